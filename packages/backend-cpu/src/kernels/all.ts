/** @file All kernels of the backend. */
import type { KernelTable } from "../kernel/kernel.js";
import { activationKernels } from "./activation.js";
import { activationBackwardKernels } from "./activation-backward.js";
import { assertionKernels } from "./assertion.js";
import { attentionKernels } from "./attention.js";
import { binaryPointwiseKernels } from "./binary-pointwise.js";
import { comparisonKernels } from "./comparison.js";
import { conversionKernels } from "./conversion.js";
import { convolutionKernels } from "./convolution.js";
import { convolutionBackwardKernels } from "./convolution-backward.js";
import { creationKernels } from "./creation.js";
import { ctcLossKernels } from "./ctc-loss.js";
import { cumulativeKernels } from "./cumulative.js";
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
import { lossMarginBackwardKernels } from "./loss-margin-backward.js";
import { matmulKernels } from "./matmul.js";
import { matrixFactorKernels } from "./matrix-factor.js";
import { matrixSolveKernels } from "./matrix-solve.js";
import { matrixSpectrumKernels } from "./matrix-spectrum.js";
import { nonzeroKernels } from "./nonzero.js";
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
import { trilinearKernels } from "./trilinear.js";
import { unaryBesselKernels } from "./unary-bessel.js";
import { unaryPointwiseKernels } from "./unary-pointwise.js";
import { upsampleKernels } from "./upsample.js";
import { varianceKernels } from "./variance.js";
import { vectorProductKernels } from "./vector-product.js";
import { viewBackwardKernels } from "./view-backward.js";

/** Every kernel, by target. */
export const CPU_KERNELS: KernelTable = Object.freeze({
  ...assertionKernels,
  ...attentionKernels,
  ...quantizedKernels,
  ...quantizedParametersKernels,
  ...conversionKernels,
  ...convolutionBackwardKernels,
  ...convolutionKernels,
  ...creationKernels,
  ...distanceKernels,
  ...embeddingKernels,
  ...fftKernels,
  ...gridSamplerKernels,
  ...gridSamplerBackwardKernels,
  ...indexTensorsKernels,
  ...viewBackwardKernels,
  ...joinKernels,
  ...nonzeroKernels,
  ...paddingKernels,
  ...scatterKernels,
  ...linearAlgebraKernels,
  ...matrixFactorKernels,
  ...matrixSolveKernels,
  ...matrixSpectrumKernels,
  ...linearSystemKernels,
  ...lossKernels,
  ...matmulKernels,
  ...normalizationBackwardKernels,
  ...normalizationKernels,
  ...activationKernels,
  ...activationBackwardKernels,
  ...binaryPointwiseKernels,
  ...comparisonKernels,
  ...selectWhereKernels,
  ...unaryPointwiseKernels,
  ...unaryBesselKernels,
  ...poolKernels,
  ...randomKernels,
  ...randomChoiceKernels,
  ...randomDistributionsKernels,
  ...randomIntegersKernels,
  ...randomMultinomialKernels,
  ...philoxKernels,
  ...reductionExtremeKernels,
  ...varianceKernels,
  ...orderStatisticKernels,
  ...cumulativeKernels,
  ...reductionSumKernels,
  ...reductionTruthKernels,
  ...softmaxKernels,
  ...sortSearchKernels,
  ...sortUniqueKernels,
  ...sortKernels,
  ...trilinearKernels,
  ...upsampleKernels,
  ...segmentKernels,
  ...histogramKernels,
  ...poolFractionalKernels,
  ...lossMarginBackwardKernels,
  ...ctcLossKernels,
  ...polynomialKernels,
  ...vectorProductKernels,
});
