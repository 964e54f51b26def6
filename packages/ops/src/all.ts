import type { OpDefinition } from "./define-op.js";
import { activationOps } from "./families/activation.js";
import { activationBackwardOps } from "./families/activation-backward.js";
import { adaptivePoolOps } from "./families/adaptive-pool.js";
import { assertionOps } from "./families/assertion.js";
import { attentionOps } from "./families/attention.js";
import { batchNormOps } from "./families/batch-norm.js";
import { batchNormBackwardOps } from "./families/batch-norm-backward.js";
import { binaryPointwiseOps } from "./families/binary-pointwise.js";
import { chunkCatOps } from "./families/chunk-cat.js";
import { columnOps } from "./families/columns.js";
import { comparisonOps } from "./families/comparison.js";
import { complexOps } from "./families/complex.js";
import { compositeBackwardOps } from "./families/composite-backward.js";
import { conversionOps } from "./families/conversion.js";
import { conversionLegacyOps } from "./families/conversion-legacy.js";
import { convolutionOps } from "./families/convolution.js";
import { convolutionCompositeOps } from "./families/convolution-composite.js";
import { convolutionLegacyOps } from "./families/convolution-legacy.js";
import { convolutionSecondOps } from "./families/convolution-second.js";
import { creationOps } from "./families/creation.js";
import { ctcLossOps } from "./families/ctc-loss.js";
import { cumulativeOps } from "./families/cumulative.js";
import { diagonalOps } from "./families/diagonal.js";
import { diagonalFillOps } from "./families/diagonal-fill.js";
import { differenceOps } from "./families/difference.js";
import { dimOrderOps } from "./families/dim-order.js";
import { distanceOps } from "./families/distance.js";
import { einsumOps } from "./families/einsum.js";
import { embeddingOps } from "./families/embedding.js";
import { environmentOps } from "./families/environment.js";
import { fakeQuantizeOps } from "./families/fake-quantize.js";
import { fourierOps } from "./families/fourier.js";
import { fourierHermitianOps } from "./families/fourier-hermitian.js";
import { gradientOps } from "./families/gradient.js";
import { gridOps } from "./families/grid.js";
import { histogramOps } from "./families/histogram.js";
import { inPlaceViewOps } from "./families/in-place-view.js";
import { indexReadOps } from "./families/index-read.js";
import { indexWriteOps } from "./families/index-write.js";
import { joinOps } from "./families/join.js";
import { linearAlgebraOps } from "./families/linear-algebra.js";
import { linearSystemOps } from "./families/linear-system.js";
import { lookupBackwardOps } from "./families/lookup-backward.js";
import { lossOps } from "./families/loss.js";
import { lossBackwardOps } from "./families/loss-backward.js";
import { lossClassificationOps } from "./families/loss-classification.js";
import { lossMarginOps } from "./families/loss-margin.js";
import { lossMarginBackwardOps } from "./families/loss-margin-backward.js";
import { lossMultiMarginOps } from "./families/loss-multi-margin.js";
import { matmulOps } from "./families/matmul.js";
import { matmulCompositeOps } from "./families/matmul-composite.js";
import { matrixFactorOps } from "./families/matrix-factor.js";
import { matrixNormOps } from "./families/matrix-norm.js";
import { matrixOrthogonalOps } from "./families/matrix-orthogonal.js";
import { matrixRankOps } from "./families/matrix-rank.js";
import { matrixSolveOps } from "./families/matrix-solve.js";
import { matrixSpectrumOps } from "./families/matrix-spectrum.js";
import { normOps } from "./families/norm.js";
import { normalizationOps } from "./families/normalization.js";
import { normalizationBackwardOps } from "./families/normalization-backward.js";
import { oneHotOps } from "./families/one-hot.js";
import { orderStatisticOps } from "./families/order-statistic.js";
import { paddingOps } from "./families/padding.js";
import { paddingBackwardOps } from "./families/padding-backward.js";
import { philoxOps } from "./families/philox.js";
import { polynomialOps } from "./families/polynomial.js";
import { poolOps } from "./families/pool.js";
import { poolFractionalOps } from "./families/pool-fractional.js";
import { primitiveOps } from "./families/primitive.js";
import { productOps } from "./families/product.js";
import { quantileOps } from "./families/quantile.js";
import { quantizedOps } from "./families/quantized.js";
import { randomOps } from "./families/random.js";
import { randomDistributionOps } from "./families/random-distributions.js";
import { randomGeneratorOps } from "./families/random-generator.js";
import { rangeOps } from "./families/range.js";
import { rearrangeOps } from "./families/rearrange.js";
import { recurrentOps } from "./families/recurrent.js";
import { recurrentBackwardOps } from "./families/recurrent-backward.js";
import { reductionOps } from "./families/reduction.js";
import { renamedOps } from "./families/renamed.js";
import { resizeOps } from "./families/resize.js";
import { resizeBackwardOps } from "./families/resize-backward.js";
import { resizeCubicOps } from "./families/resize-cubic.js";
import { scalarReadOps } from "./families/scalar-reads.js";
import { segmentOps } from "./families/segment.js";
import { selectWhereOps } from "./families/select-where.js";
import { softmaxOps } from "./families/softmax.js";
import { sortOps } from "./families/sort.js";
import { specialCompositeOps } from "./families/special-composite.js";
import { spectrogramOps } from "./families/spectrogram.js";
import { statisticOps } from "./families/statistic.js";
import { tensorPropertyOps } from "./families/tensor-properties.js";
import { ternaryPointwiseOps } from "./families/ternary-pointwise.js";
import { torchTestOps } from "./families/torch-tests.js";
import { unaryPointwiseOps } from "./families/unary-pointwise.js";
import { varianceOps } from "./families/variance.js";
import { viewCopyOps } from "./families/view-copy.js";
import { viewDTypeOps } from "./families/view-dtype.js";
import { viewExpandOps } from "./families/view-expand.js";
import { viewPermuteOps } from "./families/view-permute.js";
import { viewReshapeOps } from "./families/view-reshape.js";
import { viewSliceOps } from "./families/view-slice.js";
import { viewSplitOps } from "./families/view-split.js";
import { windowOps } from "./families/window.js";
import { OperatorTable } from "./table.js";

/** Every operator row that Sconce has. */
export const ALL_OPS: readonly OpDefinition[] = Object.freeze([
  ...activationOps,
  ...activationBackwardOps,
  ...adaptivePoolOps,
  ...assertionOps,
  ...primitiveOps,
  ...attentionOps,
  ...batchNormOps,
  ...batchNormBackwardOps,
  ...binaryPointwiseOps,
  ...columnOps,
  ...comparisonOps,
  ...complexOps,
  ...conversionOps,
  ...convolutionCompositeOps,
  ...convolutionOps,
  ...creationOps,
  ...cumulativeOps,
  ...diagonalOps,
  ...diagonalFillOps,
  ...differenceOps,
  ...dimOrderOps,
  ...distanceOps,
  ...einsumOps,
  ...embeddingOps,
  ...fakeQuantizeOps,
  ...fourierOps,
  ...gridOps,
  ...inPlaceViewOps,
  ...indexReadOps,
  ...indexWriteOps,
  ...joinOps,
  ...linearAlgebraOps,
  ...linearSystemOps,
  ...lossClassificationOps,
  ...lossMarginOps,
  ...lossMultiMarginOps,
  ...lossOps,
  ...lossBackwardOps,
  ...lookupBackwardOps,
  ...matmulCompositeOps,
  ...matmulOps,
  ...matrixFactorOps,
  ...matrixNormOps,
  ...matrixOrthogonalOps,
  ...matrixRankOps,
  ...matrixSolveOps,
  ...matrixSpectrumOps,
  ...normOps,
  ...normalizationOps,
  ...normalizationBackwardOps,
  ...oneHotOps,
  ...orderStatisticOps,
  ...paddingOps,
  ...paddingBackwardOps,
  ...philoxOps,
  ...poolOps,
  ...productOps,
  ...quantileOps,
  ...quantizedOps,
  ...randomOps,
  ...randomDistributionOps,
  ...randomGeneratorOps,
  ...rangeOps,
  ...rearrangeOps,
  ...recurrentOps,
  ...reductionOps,
  ...renamedOps,
  ...resizeCubicOps,
  ...resizeOps,
  ...resizeBackwardOps,
  ...scalarReadOps,
  ...selectWhereOps,
  ...softmaxOps,
  ...sortOps,
  ...specialCompositeOps,
  ...ternaryPointwiseOps,
  ...unaryPointwiseOps,
  ...varianceOps,
  ...viewCopyOps,
  ...viewDTypeOps,
  ...viewExpandOps,
  ...viewPermuteOps,
  ...viewReshapeOps,
  ...viewSliceOps,
  ...viewSplitOps,
  ...statisticOps,
  ...gradientOps,
  ...fourierHermitianOps,
  ...spectrogramOps,
  ...tensorPropertyOps,
  ...segmentOps,
  ...histogramOps,
  ...poolFractionalOps,
  ...lossMarginBackwardOps,
  ...chunkCatOps,
  ...windowOps,
  ...convolutionLegacyOps,
  ...conversionLegacyOps,
  ...ctcLossOps,
  ...polynomialOps,
  ...recurrentBackwardOps,
  ...compositeBackwardOps,
  ...convolutionSecondOps,
  ...environmentOps,
  ...torchTestOps,
]);

let table: OperatorTable | undefined;

/** The table of {@link ALL_OPS}, made when first asked for. */
export function defaultOperators(): OperatorTable {
  table ??= new OperatorTable(ALL_OPS, true);
  return table;
}
