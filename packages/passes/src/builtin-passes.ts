import { canonicalize } from "./builtin/canonicalize.js";
import { checkFunctional } from "./builtin/check-functional.js";
import { dtypeConversion } from "./builtin/convert-dtype.js";
import { commonSubexpressionElimination } from "./builtin/cse.js";
import { deadCodeElimination } from "./builtin/dce.js";
import { decompose } from "./builtin/decompose.js";
import { coreAten, toEdge } from "./builtin/edge.js";
import { foldBatchNorm } from "./builtin/fold-batch-norm.js";
import { foldConstants } from "./builtin/fold-constants.js";
import { functionalize } from "./builtin/functionalize.js";
import { fuse } from "./builtin/fuse-regions.js";
import { moveToDevice } from "./builtin/move-to-device.js";
import { partitionByBackend } from "./builtin/partition.js";
import { shapePropagation } from "./builtin/propagate-shapes.js";
import { removeTypePromotion } from "./builtin/remove-type-promotion.js";
import { rewrite } from "./builtin/rewrite.js";
import { approximateRules } from "./builtin/rules/approximate.js";
import { batchNormRules } from "./builtin/rules/batch-norm.js";
import { identityRules } from "./builtin/rules/identities.js";
import { viewRules } from "./builtin/rules/views.js";
import { sinkTransposes } from "./builtin/sink-transposes.js";
import { stripMetadata } from "./builtin/strip-metadata.js";
import { extract, inline, split } from "./builtin/submodules.js";
import type { Pass } from "./pass/pass.js";
import type { Rule } from "./rewrite/rule.js";

/** The passes that come with Sconce, in the order in which a pipeline has them. */
export const builtinPasses: readonly Pass[] = Object.freeze([
  functionalize,
  checkFunctional,
  decompose,
  coreAten,
  toEdge,
  canonicalize,
  rewrite,
  foldConstants,
  foldBatchNorm,
  commonSubexpressionElimination,
  deadCodeElimination,
  sinkTransposes,
  removeTypePromotion,
  dtypeConversion,
  shapePropagation,
  moveToDevice,
  stripMetadata,
  fuse,
  partitionByBackend,
  extract,
  split,
  inline,
]);

/**
 * The rules that come with Sconce; `canonicalize` applies them, the approximate ones when asked to;
 * `fold-batch-norm` its own.
 */
export const builtinRules: readonly Rule[] = Object.freeze([
  ...identityRules,
  ...viewRules,
  ...approximateRules,
  ...batchNormRules,
]);
