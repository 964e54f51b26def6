/** @file The parametrizations that users register (`torch.nn.utils.parametrizations`). */
export { type OrthogonalMap, type OrthogonalOptions, orthogonal } from "./orthogonal.js";
export {
  type SpectralNormOptions,
  spectralNorm,
  type WeightNormOptions,
  weightNorm,
} from "./parametrizations.js";
