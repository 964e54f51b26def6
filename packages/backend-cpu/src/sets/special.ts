/** @file Kernels of gradients, linear algebra, Fourier transforms and special functions. */
import { joinTables } from "@sconce/ops";
import { activationBackwardKernels } from "../kernels/activation-backward.js";
import { convolutionBackwardKernels } from "../kernels/convolution-backward.js";
import { ctcLossKernels } from "../kernels/ctc-loss.js";
import { fakeQuantizeLearnedKernels } from "../kernels/fake-quantize-learned.js";
import { fftKernels } from "../kernels/fft.js";
import { fusedOptimizerKernels } from "../kernels/fused-optimizer.js";
import { gridSamplerBackwardKernels } from "../kernels/grid-sampler-backward.js";
import { hashKernels } from "../kernels/hash.js";
import { jaggedKernels } from "../kernels/jagged.js";
import { linearAlgebraKernels } from "../kernels/linear-algebra.js";
import { linearSystemKernels } from "../kernels/linear-system.js";
import { lossBackwardKernels } from "../kernels/loss-backward.js";
import { lossMarginBackwardKernels } from "../kernels/loss-margin-backward.js";
import { matmulDynamicKernels } from "../kernels/matmul-dynamic.js";
import { matmulGroupedKernels } from "../kernels/matmul-grouped.js";
import { matmulPackedKernels } from "../kernels/matmul-packed.js";
import { matrixFactorKernels } from "../kernels/matrix-factor.js";
import { matrixSolveKernels } from "../kernels/matrix-solve.js";
import { matrixSpectrumKernels } from "../kernels/matrix-spectrum.js";
import { normalizationBackwardKernels } from "../kernels/normalization-backward.js";
import { polynomialKernels } from "../kernels/polynomial.js";
import { poolFractionalKernels } from "../kernels/pool-fractional.js";
import { unaryBesselKernels } from "../kernels/unary-bessel.js";
import { viewBackwardKernels } from "../kernels/view-backward.js";

/** By the files that hold them, in the words of names. */
export const SPECIAL_FAMILIES = {
  activationBackward: activationBackwardKernels,
  convolutionBackward: convolutionBackwardKernels,
  ctcLoss: ctcLossKernels,
  fft: fftKernels,
  fakeQuantizeLearned: fakeQuantizeLearnedKernels,
  jagged: jaggedKernels,
  matmulDynamic: matmulDynamicKernels,
  matmulGrouped: matmulGroupedKernels,
  matmulPacked: matmulPackedKernels,
  fusedOptimizer: fusedOptimizerKernels,
  hash: hashKernels,
  gridSamplerBackward: gridSamplerBackwardKernels,
  linearAlgebra: linearAlgebraKernels,
  linearSystem: linearSystemKernels,
  lossBackward: lossBackwardKernels,
  lossMarginBackward: lossMarginBackwardKernels,
  matrixFactor: matrixFactorKernels,
  matrixSolve: matrixSolveKernels,
  matrixSpectrum: matrixSpectrumKernels,
  normalizationBackward: normalizationBackwardKernels,
  polynomial: polynomialKernels,
  poolFractional: poolFractionalKernels,
  unaryBessel: unaryBesselKernels,
  viewBackward: viewBackwardKernels,
};

/** By target. */
export const specialSet = joinTables(SPECIAL_FAMILIES);
