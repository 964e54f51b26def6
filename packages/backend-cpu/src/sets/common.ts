/** @file Kernels of neural networks, random numbers, sorting and statistics. */
import { joinTables } from "@sconce/ops";
import { activationKernels } from "../kernels/activation.js";
import { adaptivePoolKernels } from "../kernels/adaptive-pool.js";
import { assertionKernels } from "../kernels/assertion.js";
import { attentionKernels } from "../kernels/attention.js";
import { batchNormKernels } from "../kernels/batch-norm.js";
import { columnsKernels } from "../kernels/columns.js";
import { convolutionKernels } from "../kernels/convolution.js";
import { distanceKernels } from "../kernels/distance.js";
import { embeddingKernels } from "../kernels/embedding.js";
import { gridSamplerKernels } from "../kernels/grid-sampler.js";
import { histogramKernels } from "../kernels/histogram.js";
import { lossKernels } from "../kernels/loss.js";
import { matmulKernels } from "../kernels/matmul.js";
import { normKernels } from "../kernels/norm.js";
import { normalizationKernels } from "../kernels/normalization.js";
import { orderStatisticKernels } from "../kernels/order-statistic.js";
import { paddingKernels } from "../kernels/padding.js";
import { philoxKernels } from "../kernels/philox.js";
import { poolKernels } from "../kernels/pool.js";
import { quantizedKernels } from "../kernels/quantized.js";
import { randomKernels } from "../kernels/random.js";
import { randomChoiceKernels } from "../kernels/random-choice.js";
import { randomDistributionsKernels } from "../kernels/random-distributions.js";
import { randomIntegersKernels } from "../kernels/random-integers.js";
import { randomMultinomialKernels } from "../kernels/random-multinomial.js";
import { scatterKernels } from "../kernels/scatter.js";
import { segmentKernels } from "../kernels/segment.js";
import { softmaxKernels } from "../kernels/softmax.js";
import { sortKernels } from "../kernels/sort.js";
import { sortSearchKernels } from "../kernels/sort-search.js";
import { sortUniqueKernels } from "../kernels/sort-unique.js";
import { trilinearKernels } from "../kernels/trilinear.js";
import { upsampleKernels } from "../kernels/upsample.js";
import { varianceKernels } from "../kernels/variance.js";
import { vectorProductKernels } from "../kernels/vector-product.js";

/** By the files that hold them, in the words of names. */
export const COMMON_FAMILIES = {
  activation: activationKernels,
  adaptivePool: adaptivePoolKernels,
  assertion: assertionKernels,
  attention: attentionKernels,
  batchNorm: batchNormKernels,
  columns: columnsKernels,
  convolution: convolutionKernels,
  distance: distanceKernels,
  embedding: embeddingKernels,
  gridSampler: gridSamplerKernels,
  histogram: histogramKernels,
  loss: lossKernels,
  matmul: matmulKernels,
  norm: normKernels,
  normalization: normalizationKernels,
  orderStatistic: orderStatisticKernels,
  padding: paddingKernels,
  philox: philoxKernels,
  pool: poolKernels,
  quantized: quantizedKernels,
  random: randomKernels,
  randomChoice: randomChoiceKernels,
  randomDistributions: randomDistributionsKernels,
  randomIntegers: randomIntegersKernels,
  randomMultinomial: randomMultinomialKernels,
  scatter: scatterKernels,
  segment: segmentKernels,
  softmax: softmaxKernels,
  sort: sortKernels,
  sortSearch: sortSearchKernels,
  sortUnique: sortUniqueKernels,
  trilinear: trilinearKernels,
  upsample: upsampleKernels,
  variance: varianceKernels,
  vectorProduct: vectorProductKernels,
};

/** By target. */
export const commonSet = joinTables(COMMON_FAMILIES);
