/**
 * @file IR text, which is not in the index: what only reads archives, prints as PyTorch does, edits
 * and runs programs does not need it.
 */
export { Cursor as IrCursor } from "./ir-text/cursor.js";
export type { VersionOptions } from "./ir-text/format-version.js";
export {
  PARSE_GRAPH_OPTIONS,
  PARSE_IR_OPTIONS,
  type ParseGraphOptions,
  type ParseIrOptions,
  parseGraph,
  parseIr,
} from "./ir-text/parse-program.js";
export { type PrintIrOptions, printIr, tensorsOf } from "./ir-text/print-program.js";
export { MAX_HOLES } from "./ir-text/program-draft.js";
export { parseValue as parseArgument, valueText as argumentText } from "./ir-text/values.js";
export { shortTarget } from "./print-torch/short-target.js";
