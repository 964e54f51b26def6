import type { LoweringTable } from "./call.js";
import { ASSERTIONS } from "./families/assertion.js";
import { BATCH_NORMS } from "./families/batch-norm.js";
import { CONTRACTIONS } from "./families/contract.js";
import { convolutionBackward } from "./families/convolution-backward.js";
import { DISTANCES } from "./families/distance.js";
import { ELEMENTWISE } from "./families/elementwise.js";
import { LOOKUPS } from "./families/embedding.js";
import { GATHERS } from "./families/gather.js";
import { INDEXINGS } from "./families/index-tensors.js";
import { JOINED } from "./families/join.js";
import { LOG_SCANS } from "./families/log-scan.js";
import { NORMALIZATIONS } from "./families/normalization.js";
import { PADS } from "./families/padding.js";
import { POOLS } from "./families/pool.js";
import { REDUCTIONS } from "./families/reduction.js";
import { SAMPLERS } from "./families/sample.js";
import { SCANS } from "./families/scan.js";
import { SCATTERS } from "./families/scatter.js";
import { ORDERS } from "./families/sort.js";
import { VIEWS } from "./families/view.js";

/** How loops say operators, by overload. */
export const LOWERINGS: LoweringTable = Object.freeze({
  ...ELEMENTWISE,
  ...VIEWS,
  ...REDUCTIONS,
  ...CONTRACTIONS,
  ...NORMALIZATIONS,
  ...GATHERS,
  ...JOINED,
  ...SCANS,
  ...LOG_SCANS,
  ...ORDERS,
  ...POOLS,
  ...PADS,
  ...DISTANCES,
  ...ASSERTIONS,
  ...SAMPLERS,
  ...LOOKUPS,
  ...BATCH_NORMS,
  "aten.convolution_backward.default": convolutionBackward,
  ...SCATTERS,
  ...INDEXINGS,
});
