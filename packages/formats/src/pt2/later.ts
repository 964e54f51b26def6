/**
 * @file What not every load needs, in one module: bundlers then make one chunk of it, and divide
 * what it shares with the reader into few others.
 */
export { readExtraFiles } from "./extra-files.js";
export { lazyRecord } from "./lazy-records.js";
export { savedInputs } from "./sample-inputs.js";
export { isReadByRanges, payloadFromPickle, readLazySavedFile, readSavedFile } from "./saved-file.js";
export { checkVersions } from "./versions.js";
