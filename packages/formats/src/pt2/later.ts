/**
 * @file Parts that only some loads need. They are one module, so that bundlers make one chunk of
 * them instead of many small ones.
 */
export { allPrograms, noModel } from "./all-programs.js";
export { readExtraFiles } from "./extra-files.js";
export { lazyRecord } from "./lazy-records.js";
export { savedInputs } from "./sample-inputs.js";
export { isReadByRanges, payloadFromPickle, readLazySavedFile, readSavedFile } from "./saved-file.js";
export { checkVersions } from "./versions.js";
