/** @file All kernels of the backend. */
import { assertionKernels } from "./kernels/assertion.js";
import { convertKernels } from "./kernels/convert.js";
import { convolutionKernels } from "./kernels/convolution.js";
import { createKernels } from "./kernels/create.js";
import { distanceKernels } from "./kernels/distance.js";
import { embeddingKernels } from "./kernels/embedding.js";
import { indexAdvancedKernels } from "./kernels/index-advanced.js";
import { indexJoinKernels } from "./kernels/index-join.js";
import { indexNonzeroKernels } from "./kernels/index-nonzero.js";
import { indexPadKernels } from "./kernels/index-pad.js";
import { indexScatterKernels } from "./kernels/index-scatter.js";
import { matmulKernels } from "./kernels/matmul.js";
import { normalizationKernels } from "./kernels/normalization.js";
import { pointwiseActivationKernels } from "./kernels/pointwise-activation.js";
import { pointwiseBinaryKernels } from "./kernels/pointwise-binary.js";
import { pointwiseCompareKernels } from "./kernels/pointwise-compare.js";
import { pointwiseSelectKernels } from "./kernels/pointwise-select.js";
import { pointwiseUnaryKernels } from "./kernels/pointwise-unary.js";
import { poolingKernels } from "./kernels/pooling.js";
import { reduceExtremeKernels } from "./kernels/reduce-extreme.js";
import { reduceMomentKernels } from "./kernels/reduce-moment.js";
import { reduceOrderKernels } from "./kernels/reduce-order.js";
import { reduceScanKernels } from "./kernels/reduce-scan.js";
import { reduceSumKernels } from "./kernels/reduce-sum.js";
import { reduceTruthKernels } from "./kernels/reduce-truth.js";
import { softmaxKernels } from "./kernels/softmax.js";
import { upsampleKernels } from "./kernels/upsample.js";
import type { KernelTable } from "./kernel.js";

/** Every kernel, by target. */
export const CPU_KERNELS: KernelTable = Object.freeze({
  ...assertionKernels, ...convertKernels, ...convolutionKernels, ...createKernels, ...distanceKernels,
  ...embeddingKernels, ...indexAdvancedKernels, ...indexJoinKernels, ...indexNonzeroKernels,
  ...indexPadKernels, ...indexScatterKernels, ...matmulKernels, ...normalizationKernels,
  ...pointwiseActivationKernels, ...pointwiseBinaryKernels, ...pointwiseCompareKernels,
  ...pointwiseSelectKernels, ...pointwiseUnaryKernels, ...poolingKernels, ...reduceExtremeKernels,
  ...reduceMomentKernels, ...reduceOrderKernels, ...reduceScanKernels, ...reduceSumKernels,
  ...reduceTruthKernels, ...softmaxKernels, ...upsampleKernels,
});
