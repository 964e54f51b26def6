/** @file What is done to modules and to their parameters (`torch.nn.utils`). */
export {
  clipGradNorm_,
  clipGradsWithNorm_,
  clipGradValue_,
  getTotalNorm,
  parametersToVector,
  type TotalNormOptions,
  vectorToParameters,
  type WithGradient,
} from "./gradients.js";
export { removeSpectralNorm, removeWeightNorm, spectralNorm, weightNorm } from "./norm-hooks.js";
export * as parametrizations from "./parametrizations-public.js";
export * as parametrize from "./parametrize-public.js";
export * as prune from "./prune-public.js";
export * as rnn from "./rnn.js";
