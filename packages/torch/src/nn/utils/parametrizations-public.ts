/** @file The parametrizations that users register (`torch.nn.utils.parametrizations`). */
export {
  type SpectralNormOptions,
  spectralNorm,
  type WeightNormOptions,
  weightNorm,
} from "./parametrizations.js";
