/** @file Reading and printing alone, for pages that need no session. */
export { type ByteSource, type ReadPt2Options, readPt2 } from "@sconce/formats";
export {
  codeText,
  type ExportedProgram,
  type Graph,
  graphText,
  rangeConstraintsText,
  readableText,
  signatureText,
} from "@sconce/ir";
