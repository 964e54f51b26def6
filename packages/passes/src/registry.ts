import { checkFunctional } from "./builtin/check-functional.js";
import { dtypeConversion } from "./builtin/convert-dtype.js";
import { commonSubexpressionElimination } from "./builtin/cse.js";
import { deadCodeElimination } from "./builtin/dce.js";
import { decompose } from "./builtin/decompose.js";
import { foldConstants } from "./builtin/fold-constants.js";
import { functionalize } from "./builtin/functionalize.js";
import { partitionByBackend } from "./builtin/partition.js";
import { shapePropagation } from "./builtin/propagate-shapes.js";
import { removeTypePromotion } from "./builtin/remove-type-promotion.js";
import { stripMetadata } from "./builtin/strip-metadata.js";
import { extract, inline, split } from "./builtin/submodules.js";
import type { Pass } from "./pass.js";

/** The passes that come with Sconce. */
export const builtinPasses: readonly Pass[] = Object.freeze([
  functionalize,
  checkFunctional,
  decompose,
  foldConstants,
  commonSubexpressionElimination,
  deadCodeElimination,
  removeTypePromotion,
  dtypeConversion,
  shapePropagation,
  stripMetadata,
  partitionByBackend,
  extract,
  split,
  inline,
]);
