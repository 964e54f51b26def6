import type { OpSchema } from "@sconce/ir";
import type { OpDefinition } from "../rows/define-op.js";
import { KnownSchemas } from "../schema/known-schemas.js";
import { joinTables, tableOf } from "../table/join-tables.js";
import { OperatorTable } from "../table/table.js";
import { activationOps } from "./activation.js";
import { activationBackwardOps } from "./activation-backward.js";
import { adaptivePoolOps } from "./adaptive-pool.js";
import { assertionOps } from "./assertion.js";
import { attentionOps } from "./attention.js";
import { attentionDeviceOps } from "./attention-device.js";
import { attentionLayerOps } from "./attention-layers.js";
import { batchNormOps } from "./batch-norm.js";
import { batchNormBackwardOps } from "./batch-norm-backward.js";
import { batchNormPartOps } from "./batch-norm-parts.js";
import { binaryPointwiseOps } from "./binary-pointwise.js";
import { chunkCatOps } from "./chunk-cat.js";
import { columnOps } from "./columns.js";
import { comparisonOps } from "./comparison.js";
import { complexOps } from "./complex.js";
import { compositeBackwardOps } from "./composite-backward.js";
import { conversionOps } from "./conversion.js";
import { conversionLegacyOps } from "./conversion-legacy.js";
import { convolutionOps } from "./convolution.js";
import { convolutionCompositeOps } from "./convolution-composite.js";
import { convolutionLegacyOps } from "./convolution-legacy.js";
import { convolutionSecondOps } from "./convolution-second.js";
import { creationOps } from "./creation.js";
import { ctcLossOps } from "./ctc-loss.js";
import { cumulativeOps } from "./cumulative.js";
import { diagonalOps } from "./diagonal.js";
import { diagonalFillOps } from "./diagonal-fill.js";
import { differenceOps } from "./difference.js";
import { dimOrderOps } from "./dim-order.js";
import { distanceOps } from "./distance.js";
import { einsumOps } from "./einsum.js";
import { embeddingOps } from "./embedding.js";
import { environmentOps } from "./environment.js";
import { fakeQuantizeOps } from "./fake-quantize.js";
import { fakeQuantizeLearnedOps } from "./fake-quantize-learned.js";
import { fftOps } from "./fft.js";
import { fftHermitianOps } from "./fft-hermitian.js";
import { fusedOptimizerOps } from "./fused-optimizer.js";
import { gradientOps } from "./gradient.js";
import { gridSamplerOps } from "./grid-sampler.js";
import { histogramOps } from "./histogram.js";
import { inPlaceViewOps } from "./in-place-view.js";
import { indexReadOps } from "./index-read.js";
import { indexWriteOps } from "./index-write.js";
import { jaggedOps } from "./jagged.js";
import { joinOps } from "./join.js";
import { linearAlgebraOps } from "./linear-algebra.js";
import { linearSystemOps } from "./linear-system.js";
import { lookupBackwardOps } from "./lookup-backward.js";
import { lossOps } from "./loss.js";
import { lossBackwardOps } from "./loss-backward.js";
import { lossClassificationOps } from "./loss-classification.js";
import { lossMarginOps } from "./loss-margin.js";
import { lossMarginBackwardOps } from "./loss-margin-backward.js";
import { lossMultiMarginOps } from "./loss-multi-margin.js";
import { matmulOps } from "./matmul.js";
import { matmulCompositeOps } from "./matmul-composite.js";
import { matmulMixedOps } from "./matmul-mixed.js";
import { matmulPackedOps } from "./matmul-packed.js";
import { matmulScaledOps } from "./matmul-scaled.js";
import { matrixFactorOps } from "./matrix-factor.js";
import { matrixNormOps } from "./matrix-norm.js";
import { matrixOrthogonalOps } from "./matrix-orthogonal.js";
import { matrixRankOps } from "./matrix-rank.js";
import { matrixSolveOps } from "./matrix-solve.js";
import { matrixSpectrumOps } from "./matrix-spectrum.js";
import { mixedPrecisionOps } from "./mixed-precision.js";
import { normOps } from "./norm.js";
import { normalizationOps } from "./normalization.js";
import { normalizationBackwardOps } from "./normalization-backward.js";
import { oneHotOps } from "./one-hot.js";
import { orderStatisticOps } from "./order-statistic.js";
import { paddingOps } from "./padding.js";
import { paddingBackwardOps } from "./padding-backward.js";
import { philoxOps } from "./philox.js";
import { polynomialOps } from "./polynomial.js";
import { poolOps } from "./pool.js";
import { poolFractionalOps } from "./pool-fractional.js";
import { primitiveOps } from "./primitive.js";
import { productOps } from "./product.js";
import { quantileOps } from "./quantile.js";
import { quantizedOps } from "./quantized.js";
import { quantizedAffineOps } from "./quantized-affine.js";
import { quantizedParametersOps } from "./quantized-parameters.js";
import { randomOps } from "./random.js";
import { randomDistributionOps } from "./random-distributions.js";
import { randomGeneratorOps } from "./random-generator.js";
import { rangeOps } from "./range.js";
import { rearrangeOps } from "./rearrange.js";
import { recurrentOps } from "./recurrent.js";
import { recurrentBackwardOps } from "./recurrent-backward.js";
import { reductionOps } from "./reduction.js";
import { renamedOps } from "./renamed.js";
import { scalarReadOps } from "./scalar-reads.js";
import { segmentOps } from "./segment.js";
import { selectWhereOps } from "./select-where.js";
import { softmaxOps } from "./softmax.js";
import { softmaxMaskedOps } from "./softmax-masked.js";
import { sortOps } from "./sort.js";
import { specialCompositeOps } from "./special-composite.js";
import { spectrogramOps } from "./spectrogram.js";
import { statisticOps } from "./statistic.js";
import { tensorPropertyOps } from "./tensor-properties.js";
import { ternaryPointwiseOps } from "./ternary-pointwise.js";
import { torchTestOps } from "./torch-tests.js";
import { unaryPointwiseOps } from "./unary-pointwise.js";
import { upsampleOps } from "./upsample.js";
import { upsampleBackwardOps } from "./upsample-backward.js";
import { upsampleCubicOps } from "./upsample-cubic.js";
import { varianceOps } from "./variance.js";
import { viewCopyOps } from "./view-copy.js";
import { viewDTypeOps } from "./view-dtype.js";
import { viewExpandOps } from "./view-expand.js";
import { viewPermuteOps } from "./view-permute.js";
import { viewReshapeOps } from "./view-reshape.js";
import { viewSliceOps } from "./view-slice.js";
import { viewSplitOps } from "./view-split.js";
import { windowOps } from "./window.js";

/** Operator rows by family: each entry is one file of this folder. */
const FAMILIES = {
  activation: activationOps,
  activationBackward: activationBackwardOps,
  adaptivePool: adaptivePoolOps,
  assertion: assertionOps,
  primitive: primitiveOps,
  attention: attentionOps,
  batchNorm: batchNormOps,
  batchNormBackward: batchNormBackwardOps,
  binaryPointwise: binaryPointwiseOps,
  columns: columnOps,
  comparison: comparisonOps,
  complex: complexOps,
  conversion: conversionOps,
  convolutionComposite: convolutionCompositeOps,
  convolution: convolutionOps,
  creation: creationOps,
  cumulative: cumulativeOps,
  diagonal: diagonalOps,
  diagonalFill: diagonalFillOps,
  difference: differenceOps,
  dimOrder: dimOrderOps,
  distance: distanceOps,
  einsum: einsumOps,
  embedding: embeddingOps,
  fakeQuantize: fakeQuantizeOps,
  fft: fftOps,
  gridSampler: gridSamplerOps,
  inPlaceView: inPlaceViewOps,
  indexRead: indexReadOps,
  indexWrite: indexWriteOps,
  join: joinOps,
  linearAlgebra: linearAlgebraOps,
  linearSystem: linearSystemOps,
  lossClassification: lossClassificationOps,
  lossMargin: lossMarginOps,
  lossMultiMargin: lossMultiMarginOps,
  loss: lossOps,
  lossBackward: lossBackwardOps,
  lookupBackward: lookupBackwardOps,
  matmulComposite: matmulCompositeOps,
  matmul: matmulOps,
  matrixFactor: matrixFactorOps,
  matrixNorm: matrixNormOps,
  matrixOrthogonal: matrixOrthogonalOps,
  matrixRank: matrixRankOps,
  matrixSolve: matrixSolveOps,
  matrixSpectrum: matrixSpectrumOps,
  norm: normOps,
  normalization: normalizationOps,
  normalizationBackward: normalizationBackwardOps,
  oneHot: oneHotOps,
  orderStatistic: orderStatisticOps,
  padding: paddingOps,
  paddingBackward: paddingBackwardOps,
  philox: philoxOps,
  pool: poolOps,
  product: productOps,
  quantile: quantileOps,
  quantized: quantizedOps,
  quantizedAffine: quantizedAffineOps,
  quantizedParameters: quantizedParametersOps,
  random: randomOps,
  randomDistributions: randomDistributionOps,
  randomGenerator: randomGeneratorOps,
  range: rangeOps,
  rearrange: rearrangeOps,
  recurrent: recurrentOps,
  reduction: reductionOps,
  renamed: renamedOps,
  upsampleCubic: upsampleCubicOps,
  upsample: upsampleOps,
  upsampleBackward: upsampleBackwardOps,
  scalarReads: scalarReadOps,
  selectWhere: selectWhereOps,
  softmax: softmaxOps,
  sort: sortOps,
  specialComposite: specialCompositeOps,
  ternaryPointwise: ternaryPointwiseOps,
  unaryPointwise: unaryPointwiseOps,
  variance: varianceOps,
  viewCopy: viewCopyOps,
  viewDtype: viewDTypeOps,
  viewExpand: viewExpandOps,
  viewPermute: viewPermuteOps,
  viewReshape: viewReshapeOps,
  viewSlice: viewSliceOps,
  viewSplit: viewSplitOps,
  statistic: statisticOps,
  gradient: gradientOps,
  fftHermitian: fftHermitianOps,
  spectrogram: spectrogramOps,
  tensorProperties: tensorPropertyOps,
  segment: segmentOps,
  histogram: histogramOps,
  poolFractional: poolFractionalOps,
  lossMarginBackward: lossMarginBackwardOps,
  chunkCat: chunkCatOps,
  window: windowOps,
  convolutionLegacy: convolutionLegacyOps,
  conversionLegacy: conversionLegacyOps,
  ctcLoss: ctcLossOps,
  polynomial: polynomialOps,
  recurrentBackward: recurrentBackwardOps,
  compositeBackward: compositeBackwardOps,
  convolutionSecond: convolutionSecondOps,
  environment: environmentOps,
  torchTests: torchTestOps,
  batchNormParts: batchNormPartOps,
  softmaxMasked: softmaxMaskedOps,
  matmulMixed: matmulMixedOps,
  attentionLayers: attentionLayerOps,
  attentionDevice: attentionDeviceOps,
  matmulPacked: matmulPackedOps,
  matmulScaled: matmulScaledOps,
  jagged: jaggedOps,
  fakeQuantizeLearned: fakeQuantizeLearnedOps,
  fusedOptimizer: fusedOptimizerOps,
  mixedPrecision: mixedPrecisionOps,
};

const byTarget = (rows: readonly OpDefinition[]): Readonly<Record<string, OpDefinition>> =>
  tableOf(rows.map((row) => [row.target, row]));

/** Every operator row that Sconce has. */
export const ALL_OPS: readonly OpDefinition[] = Object.freeze(
  Object.values(
    joinTables(
      Object.fromEntries(Object.entries(FAMILIES).map(([family, rows]) => [family, byTarget(rows)])),
    ),
  ),
);

const KNOWN = new KnownSchemas(() => ALL_OPS.map(({ schemaText }) => schemaText));

/**
 * Returns the schema of any ATen overload that PyTorch has, whether Sconce has a row for it or not;
 * undefined also for the few with types that no program holds (`QScheme`, `Dict(Tensor, Tensor)`).
 */
export const knownSchema = (target: string): OpSchema | undefined => KNOWN.schema(target);

/** As {@link knownSchema}, unparsed. */
export const knownSchemaText = (target: string): string | undefined => KNOWN.text(target);

/** Targets of every ATen overload that PyTorch has. */
export const knownTargets = (): Iterable<string> => KNOWN.targets();

let table: OperatorTable | undefined;

/** Returns the table of {@link ALL_OPS}, made when first asked for. */
export function defaultOperators(): OperatorTable {
  table ??= new OperatorTable(ALL_OPS, KNOWN, true);
  return table;
}
