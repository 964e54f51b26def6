/** @file Checks for the options of passes. */
export {
  backendNames,
  callTargets,
  operatorNames,
  operatorOrNodeNames,
  ruleNames,
  wholeNumber,
} from "../index.js";
