/** @file All kernels of the backend. */
import { type CoreSchema, joinTables, type TargetOf } from "@sconce/ops";
import type { AnyKernel, KernelTable } from "../kernel/kernel.js";
import { activationKernels } from "./activation.js";
import { activationBackwardKernels } from "./activation-backward.js";
import { adaptivePoolKernels } from "./adaptive-pool.js";
import { assertionKernels } from "./assertion.js";
import { attentionKernels } from "./attention.js";
import { batchNormKernels } from "./batch-norm.js";
import { binaryPointwiseKernels } from "./binary-pointwise.js";
import { columnsKernels } from "./columns.js";
import { comparisonKernels } from "./comparison.js";
import { conversionKernels } from "./conversion.js";
import { convolutionKernels } from "./convolution.js";
import { convolutionBackwardKernels } from "./convolution-backward.js";
import { creationKernels } from "./creation.js";
import { ctcLossKernels } from "./ctc-loss.js";
import { cumulativeKernels } from "./cumulative.js";
import { diagonalKernels } from "./diagonal.js";
import { distanceKernels } from "./distance.js";
import { embeddingKernels } from "./embedding.js";
import { fftKernels } from "./fft.js";
import { gridSamplerKernels } from "./grid-sampler.js";
import { gridSamplerBackwardKernels } from "./grid-sampler-backward.js";
import { histogramKernels } from "./histogram.js";
import { indexTensorsKernels } from "./index-tensors.js";
import { joinKernels } from "./join.js";
import { linearAlgebraKernels } from "./linear-algebra.js";
import { linearSystemKernels } from "./linear-system.js";
import { lossKernels } from "./loss.js";
import { lossBackwardKernels } from "./loss-backward.js";
import { lossMarginBackwardKernels } from "./loss-margin-backward.js";
import { matmulKernels } from "./matmul.js";
import { matrixFactorKernels } from "./matrix-factor.js";
import { matrixSolveKernels } from "./matrix-solve.js";
import { matrixSpectrumKernels } from "./matrix-spectrum.js";
import { nonzeroKernels } from "./nonzero.js";
import { normKernels } from "./norm.js";
import { normalizationKernels } from "./normalization.js";
import { normalizationBackwardKernels } from "./normalization-backward.js";
import { orderStatisticKernels } from "./order-statistic.js";
import { paddingKernels } from "./padding.js";
import { philoxKernels } from "./philox.js";
import { polynomialKernels } from "./polynomial.js";
import { poolKernels } from "./pool.js";
import { poolFractionalKernels } from "./pool-fractional.js";
import { quantizedKernels } from "./quantized.js";
import { quantizedParametersKernels } from "./quantized-parameters.js";
import { randomKernels } from "./random.js";
import { randomChoiceKernels } from "./random-choice.js";
import { randomDistributionsKernels } from "./random-distributions.js";
import { randomIntegersKernels } from "./random-integers.js";
import { randomMultinomialKernels } from "./random-multinomial.js";
import { rangeKernels } from "./range.js";
import { rearrangeKernels } from "./rearrange.js";
import { reductionExtremeKernels } from "./reduction-extreme.js";
import { reductionSumKernels } from "./reduction-sum.js";
import { reductionTruthKernels } from "./reduction-truth.js";
import { scatterKernels } from "./scatter.js";
import { segmentKernels } from "./segment.js";
import { selectWhereKernels } from "./select-where.js";
import { softmaxKernels } from "./softmax.js";
import { sortKernels } from "./sort.js";
import { sortSearchKernels } from "./sort-search.js";
import { sortUniqueKernels } from "./sort-unique.js";
import { ternaryPointwiseKernels } from "./ternary-pointwise.js";
import { trilinearKernels } from "./trilinear.js";
import { unaryBesselKernels } from "./unary-bessel.js";
import { unaryPointwiseKernels } from "./unary-pointwise.js";
import { upsampleKernels } from "./upsample.js";
import { varianceKernels } from "./variance.js";
import { vectorProductKernels } from "./vector-product.js";
import { viewBackwardKernels } from "./view-backward.js";
import { viewCopyKernels } from "./view-copy.js";

/**
 * A core overload that computes new values; the shape rule alone serves views, writes in place and
 * sizes.
 */
type Computes<S extends string> = S extends `${string} -> ${"Tensor(" | "Sym"}${string}` ? never : S;

/** Core ATen's targets that need a kernel. */
export type CoreTarget = TargetOf<Computes<CoreSchema>>;

/**
 * A kernel for each of core ATen's targets; a missing one does not compile, and the error names it.
 */
export type CoreKernels = Readonly<Record<CoreTarget, AnyKernel>>;

/** Every kernel, by target. */
export const CPU_KERNELS: KernelTable & CoreKernels = joinTables({
  assertion: assertionKernels,
  attention: attentionKernels,
  quantized: quantizedKernels,
  quantizedParameters: quantizedParametersKernels,
  conversion: conversionKernels,
  convolutionBackward: convolutionBackwardKernels,
  convolution: convolutionKernels,
  range: rangeKernels,
  creation: creationKernels,
  distance: distanceKernels,
  embedding: embeddingKernels,
  fft: fftKernels,
  gridSampler: gridSamplerKernels,
  gridSamplerBackward: gridSamplerBackwardKernels,
  indexTensors: indexTensorsKernels,
  viewBackward: viewBackwardKernels,
  rearrange: rearrangeKernels,
  viewCopy: viewCopyKernels,
  diagonal: diagonalKernels,
  join: joinKernels,
  nonzero: nonzeroKernels,
  columns: columnsKernels,
  padding: paddingKernels,
  scatter: scatterKernels,
  linearAlgebra: linearAlgebraKernels,
  matrixFactor: matrixFactorKernels,
  matrixSolve: matrixSolveKernels,
  matrixSpectrum: matrixSpectrumKernels,
  linearSystem: linearSystemKernels,
  loss: lossKernels,
  matmul: matmulKernels,
  normalizationBackward: normalizationBackwardKernels,
  batchNorm: batchNormKernels,
  normalization: normalizationKernels,
  activation: activationKernels,
  lossBackward: lossBackwardKernels,
  activationBackward: activationBackwardKernels,
  binaryPointwise: binaryPointwiseKernels,
  comparison: comparisonKernels,
  ternaryPointwise: ternaryPointwiseKernels,
  selectWhere: selectWhereKernels,
  unaryPointwise: unaryPointwiseKernels,
  unaryBessel: unaryBesselKernels,
  adaptivePool: adaptivePoolKernels,
  pool: poolKernels,
  random: randomKernels,
  randomChoice: randomChoiceKernels,
  randomDistributions: randomDistributionsKernels,
  randomIntegers: randomIntegersKernels,
  randomMultinomial: randomMultinomialKernels,
  philox: philoxKernels,
  reductionExtreme: reductionExtremeKernels,
  norm: normKernels,
  variance: varianceKernels,
  orderStatistic: orderStatisticKernels,
  cumulative: cumulativeKernels,
  reductionSum: reductionSumKernels,
  reductionTruth: reductionTruthKernels,
  softmax: softmaxKernels,
  sortSearch: sortSearchKernels,
  sortUnique: sortUniqueKernels,
  sort: sortKernels,
  trilinear: trilinearKernels,
  upsample: upsampleKernels,
  segment: segmentKernels,
  histogram: histogramKernels,
  poolFractional: poolFractionalKernels,
  lossMarginBackward: lossMarginBackwardKernels,
  ctcLoss: ctcLossKernels,
  polynomial: polynomialKernels,
  vectorProduct: vectorProductKernels,
});
