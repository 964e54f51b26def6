/** @file The built-in passes as functions, and what is asked of programs. */
export {
  builtinPasses as builtin,
  builtinRules as rules,
  canonicalize,
  commonSubexpressionElimination,
  coverageText,
  deadCodeElimination,
  decompose,
  foldConstants,
  functionality,
  functionalized,
  isFunctional,
  moveToDevicePass,
  propagateShapes,
  runDecompositions,
  strip,
  VALUE_CLASSES,
} from "../index.js";
