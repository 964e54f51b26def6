/** @file Tensors that modules compute (`torch.nn.utils.parametrize`). */
export {
  cached,
  isParametrized,
  type Parametrization,
  ParametrizationList,
  type ParametrizationOptions,
  registerParametrization,
  removeParametrizations,
} from "./parametrize.js";
