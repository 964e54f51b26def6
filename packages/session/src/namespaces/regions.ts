/** @file Parts of programs: partitions, and graphs made of them. */
export { extractSubmodule, inlineSubmodule, partition, regionProgram, splitBy } from "../index.js";
