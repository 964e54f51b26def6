/** @file In what programs and texts differ. */
export {
  alignNames,
  type DiffOptions,
  diffPrograms,
  type NodeDifference,
  type ProgramDifference,
} from "./diff/diff-programs.js";
export { unifiedDiff } from "./diff/unified.js";
