/** @file Parts of graphs: arguments of nodes, levels, checks. */
export {
  ATEN,
  GraphBuilder,
  isFloat,
  isInt,
  isInterpretedCall,
  isRef,
  metaOf,
  missingValues,
  ref,
  TRAINING,
  tensorsOf,
  tuple,
  verifyGraph,
} from "../index.js";
