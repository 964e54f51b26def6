import { joinTables } from "@sconce/ops";
import type { LoweringTable } from "./core/lowering.js";
import { ACTIVATIONS } from "./families/activation.js";
import { ACTIVATION_GRADIENTS } from "./families/activation-backward.js";
import { ADAPTIVE_POOLS } from "./families/adaptive-pool.js";
import { ASSERTIONS } from "./families/assertion.js";
import { BATCH_NORMS } from "./families/batch-norm.js";
import { BINARY_OPERATORS } from "./families/binary-pointwise.js";
import { COMPARISONS } from "./families/comparison.js";
import { COMPLEX_NUMBERS } from "./families/complex.js";
import { CONVERSIONS } from "./families/conversion.js";
import { CONVOLUTIONS } from "./families/convolution.js";
import { CONVOLUTION_GRADIENTS } from "./families/convolution-backward.js";
import { CREATIONS } from "./families/creation.js";
import { SCANS } from "./families/cumulative.js";
import { LOG_SCANS } from "./families/cumulative-log.js";
import { DISTANCES } from "./families/distance.js";
import { EMBEDDINGS } from "./families/embedding.js";
import { FOURIER_TRANSFORMS } from "./families/fft.js";
import { GRID_SAMPLINGS } from "./families/grid-sampler.js";
import { INDEX_READS } from "./families/index-read.js";
import { INDEX_WRITES } from "./families/index-write.js";
import { JOINS } from "./families/join.js";
import { MATRIX_PRODUCTS } from "./families/matmul.js";
import { NORMALIZATIONS } from "./families/normalization.js";
import { ORDER_STATISTICS } from "./families/order-statistic.js";
import { PADDINGS } from "./families/padding.js";
import { POOLS } from "./families/pool.js";
import { DROPOUTS } from "./families/random.js";
import { RANGES } from "./families/range.js";
import { REARRANGEMENTS } from "./families/rearrange.js";
import { REDUCTIONS } from "./families/reduction.js";
import { INDEX_SCATTERS } from "./families/scatter.js";
import { CHOICES } from "./families/select-where.js";
import { SOFTMAXES } from "./families/softmax.js";
import { SORTS } from "./families/sort.js";
import { TERNARY_OPERATORS } from "./families/ternary-pointwise.js";
import { TRILINEAR_PRODUCTS } from "./families/trilinear.js";
import { UNARY_OPERATORS } from "./families/unary-pointwise.js";
import { UPSAMPLES } from "./families/upsample.js";
import { VARIANCES } from "./families/variance.js";
import { VIEWS } from "./families/view.js";
import { SCATTERED_VIEWS } from "./families/view-copy.js";

/** The loop lowerings of core operators, by overload; each family is one file of `families`. */
export const LOWERINGS: LoweringTable = joinTables({
  activationBackward: ACTIVATION_GRADIENTS,
  activation: ACTIVATIONS,
  adaptivePool: ADAPTIVE_POOLS,
  assertion: ASSERTIONS,
  batchNorm: BATCH_NORMS,
  binaryPointwise: BINARY_OPERATORS,
  comparison: COMPARISONS,
  complex: COMPLEX_NUMBERS,
  conversion: CONVERSIONS,
  convolutionBackward: CONVOLUTION_GRADIENTS,
  convolution: CONVOLUTIONS,
  creation: CREATIONS,
  cumulativeLog: LOG_SCANS,
  cumulative: SCANS,
  distance: DISTANCES,
  embedding: EMBEDDINGS,
  fft: FOURIER_TRANSFORMS,
  gridSampler: GRID_SAMPLINGS,
  indexRead: INDEX_READS,
  indexWrite: INDEX_WRITES,
  join: JOINS,
  matmul: MATRIX_PRODUCTS,
  normalization: NORMALIZATIONS,
  orderStatistic: ORDER_STATISTICS,
  padding: PADDINGS,
  pool: POOLS,
  random: DROPOUTS,
  range: RANGES,
  rearrange: REARRANGEMENTS,
  reduction: REDUCTIONS,
  scatter: INDEX_SCATTERS,
  selectWhere: CHOICES,
  softmax: SOFTMAXES,
  sort: SORTS,
  ternaryPointwise: TERNARY_OPERATORS,
  trilinear: TRILINEAR_PRODUCTS,
  unaryPointwise: UNARY_OPERATORS,
  upsample: UPSAMPLES,
  variance: VARIANCES,
  viewCopy: SCATTERED_VIEWS,
  view: VIEWS,
});
