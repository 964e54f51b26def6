/** @file All kernels of the backend. */
import type { KernelTable } from "../kernel/kernel.js";
import { assertionKernels } from "./assertion.js";
import { attentionKernels } from "./attention.js";
import { convertKernels } from "./convert.js";
import { convertQuantizeKernels } from "./convert-quantize.js";
import { convertQuantizeParametersKernels } from "./convert-quantize-parameters.js";
import { convolutionKernels } from "./convolution.js";
import { convolutionBackwardKernels } from "./convolution-backward.js";
import { createKernels } from "./create.js";
import { ctcLossKernels } from "./ctc-loss.js";
import { distanceKernels } from "./distance.js";
import { embeddingKernels } from "./embedding.js";
import { fftKernels } from "./fft.js";
import { gridSamplerKernels } from "./grid-sampler.js";
import { gridSamplerBackwardKernels } from "./grid-sampler-backward.js";
import { histogramKernels } from "./histogram.js";
import { indexAdvancedKernels } from "./index-advanced.js";
import { indexBackwardKernels } from "./index-backward.js";
import { indexJoinKernels } from "./index-join.js";
import { indexNonzeroKernels } from "./index-nonzero.js";
import { indexPadKernels } from "./index-pad.js";
import { indexScatterKernels } from "./index-scatter.js";
import { linearAlgebraKernels } from "./linear-algebra.js";
import { linearFactorKernels } from "./linear-factor.js";
import { linearFunctionKernels } from "./linear-function.js";
import { linearSpectrumKernels } from "./linear-spectrum.js";
import { linearSystemKernels } from "./linear-system.js";
import { lossKernels } from "./loss.js";
import { lossMarginKernels } from "./loss-margin.js";
import { matmulKernels } from "./matmul.js";
import { normalizationKernels } from "./normalization.js";
import { normalizationBackwardKernels } from "./normalization-backward.js";
import { pointwiseActivationKernels } from "./pointwise-activation.js";
import { pointwiseBackwardKernels } from "./pointwise-backward.js";
import { pointwiseBesselKernels } from "./pointwise-bessel.js";
import { pointwiseBinaryKernels } from "./pointwise-binary.js";
import { pointwiseCompareKernels } from "./pointwise-compare.js";
import { pointwiseSelectKernels } from "./pointwise-select.js";
import { pointwiseUnaryKernels } from "./pointwise-unary.js";
import { polynomialKernels } from "./polynomial.js";
import { poolingKernels } from "./pooling.js";
import { poolingFractionalKernels } from "./pooling-fractional.js";
import { randomKernels } from "./random.js";
import { randomChoiceKernels } from "./random-choice.js";
import { randomDistributionKernels } from "./random-distributions.js";
import { randomIntegerKernels } from "./random-integers.js";
import { multinomialKernels } from "./random-multinomial.js";
import { philoxKernels } from "./random-philox.js";
import { reduceExtremeKernels } from "./reduce-extreme.js";
import { reduceMomentKernels } from "./reduce-moment.js";
import { reduceOrderKernels } from "./reduce-order.js";
import { reduceScanKernels } from "./reduce-scan.js";
import { reduceSumKernels } from "./reduce-sum.js";
import { reduceTruthKernels } from "./reduce-truth.js";
import { segmentKernels } from "./segment.js";
import { softmaxKernels } from "./softmax.js";
import { sortKernels } from "./sort.js";
import { sortSearchKernels } from "./sort-search.js";
import { sortUniqueKernels } from "./sort-unique.js";
import { trilinearKernels } from "./trilinear.js";
import { upsampleKernels } from "./upsample.js";
import { vectorProductKernels } from "./vector-product.js";

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
