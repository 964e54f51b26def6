/** @file Programs as JSON IR: a graph beside its weights. */
export {
  executeIR as execute,
  extractIR as extract,
  jsonIRText as text,
  programFromIR as toProgram,
  readJsonIR as read,
  verifyIRWithStateDict as verify,
} from "../index.js";
