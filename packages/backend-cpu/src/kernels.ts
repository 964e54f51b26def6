/** @file All kernels of the backend. */
import type { KernelTable } from "./kernel.js";
import { assertionKernels } from "./kernels/assertion.js";
import { attentionKernels } from "./kernels/attention.js";
import { convertKernels } from "./kernels/convert.js";
import { convertQuantizeKernels } from "./kernels/convert-quantize.js";
import { convertQuantizeParametersKernels } from "./kernels/convert-quantize-parameters.js";
import { convolutionKernels } from "./kernels/convolution.js";
import { convolutionBackwardKernels } from "./kernels/convolution-backward.js";
import { createKernels } from "./kernels/create.js";
import { ctcLossKernels } from "./kernels/ctc-loss.js";
import { distanceKernels } from "./kernels/distance.js";
import { embeddingKernels } from "./kernels/embedding.js";
import { fftKernels } from "./kernels/fft.js";
import { gridSamplerKernels } from "./kernels/grid-sampler.js";
import { gridSamplerBackwardKernels } from "./kernels/grid-sampler-backward.js";
import { histogramKernels } from "./kernels/histogram.js";
import { indexAdvancedKernels } from "./kernels/index-advanced.js";
import { indexBackwardKernels } from "./kernels/index-backward.js";
import { indexJoinKernels } from "./kernels/index-join.js";
import { indexNonzeroKernels } from "./kernels/index-nonzero.js";
import { indexPadKernels } from "./kernels/index-pad.js";
import { indexScatterKernels } from "./kernels/index-scatter.js";
import { linearAlgebraKernels } from "./kernels/linear-algebra.js";
import { linearFactorKernels } from "./kernels/linear-factor.js";
import { linearFunctionKernels } from "./kernels/linear-function.js";
import { linearSpectrumKernels } from "./kernels/linear-spectrum.js";
import { linearSystemKernels } from "./kernels/linear-system.js";
import { lossKernels } from "./kernels/loss.js";
import { lossMarginKernels } from "./kernels/loss-margin.js";
import { matmulKernels } from "./kernels/matmul.js";
import { normalizationKernels } from "./kernels/normalization.js";
import { normalizationBackwardKernels } from "./kernels/normalization-backward.js";
import { pointwiseActivationKernels } from "./kernels/pointwise-activation.js";
import { pointwiseBackwardKernels } from "./kernels/pointwise-backward.js";
import { pointwiseBesselKernels } from "./kernels/pointwise-bessel.js";
import { pointwiseBinaryKernels } from "./kernels/pointwise-binary.js";
import { pointwiseCompareKernels } from "./kernels/pointwise-compare.js";
import { pointwiseSelectKernels } from "./kernels/pointwise-select.js";
import { pointwiseUnaryKernels } from "./kernels/pointwise-unary.js";
import { polynomialKernels } from "./kernels/polynomial.js";
import { poolingKernels } from "./kernels/pooling.js";
import { poolingFractionalKernels } from "./kernels/pooling-fractional.js";
import { randomKernels } from "./kernels/random.js";
import { randomChoiceKernels } from "./kernels/random-choice.js";
import { randomDistributionKernels } from "./kernels/random-distributions.js";
import { randomIntegerKernels } from "./kernels/random-integers.js";
import { multinomialKernels } from "./kernels/random-multinomial.js";
import { philoxKernels } from "./kernels/random-philox.js";
import { reduceExtremeKernels } from "./kernels/reduce-extreme.js";
import { reduceMomentKernels } from "./kernels/reduce-moment.js";
import { reduceOrderKernels } from "./kernels/reduce-order.js";
import { reduceScanKernels } from "./kernels/reduce-scan.js";
import { reduceSumKernels } from "./kernels/reduce-sum.js";
import { reduceTruthKernels } from "./kernels/reduce-truth.js";
import { segmentKernels } from "./kernels/segment.js";
import { softmaxKernels } from "./kernels/softmax.js";
import { sortKernels } from "./kernels/sort.js";
import { sortSearchKernels } from "./kernels/sort-search.js";
import { sortUniqueKernels } from "./kernels/sort-unique.js";
import { trilinearKernels } from "./kernels/trilinear.js";
import { upsampleKernels } from "./kernels/upsample.js";
import { vectorProductKernels } from "./kernels/vector-product.js";

/** Every kernel, by target. */
export const CPU_KERNELS: KernelTable = Object.freeze({
  ...assertionKernels,
  ...attentionKernels,
  ...convertQuantizeKernels,
  ...convertQuantizeParametersKernels,
  ...convertKernels,
  ...convolutionBackwardKernels,
  ...convolutionKernels,
  ...createKernels,
  ...distanceKernels,
  ...embeddingKernels,
  ...fftKernels,
  ...gridSamplerKernels,
  ...gridSamplerBackwardKernels,
  ...indexAdvancedKernels,
  ...indexBackwardKernels,
  ...indexJoinKernels,
  ...indexNonzeroKernels,
  ...indexPadKernels,
  ...indexScatterKernels,
  ...linearAlgebraKernels,
  ...linearFactorKernels,
  ...linearFunctionKernels,
  ...linearSpectrumKernels,
  ...linearSystemKernels,
  ...lossKernels,
  ...matmulKernels,
  ...normalizationBackwardKernels,
  ...normalizationKernels,
  ...pointwiseActivationKernels,
  ...pointwiseBackwardKernels,
  ...pointwiseBinaryKernels,
  ...pointwiseCompareKernels,
  ...pointwiseSelectKernels,
  ...pointwiseUnaryKernels,
  ...pointwiseBesselKernels,
  ...poolingKernels,
  ...randomKernels,
  ...randomChoiceKernels,
  ...randomDistributionKernels,
  ...randomIntegerKernels,
  ...multinomialKernels,
  ...philoxKernels,
  ...reduceExtremeKernels,
  ...reduceMomentKernels,
  ...reduceOrderKernels,
  ...reduceScanKernels,
  ...reduceSumKernels,
  ...reduceTruthKernels,
  ...softmaxKernels,
  ...sortSearchKernels,
  ...sortUniqueKernels,
  ...sortKernels,
  ...trilinearKernels,
  ...upsampleKernels,
  ...segmentKernels,
  ...histogramKernels,
  ...poolingFractionalKernels,
  ...lossMarginKernels,
  ...ctcLossKernels,
  ...polynomialKernels,
  ...vectorProductKernels,
});
