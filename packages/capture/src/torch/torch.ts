/** @file The functional API of PyTorch in camelCase. */
import "./install.js";
import { pythonFunctions } from "./python-functions.js";
import { fftFunctions, linalgFunctions, specialFunctions, torchFunctions } from "./registry.js";

const linalg = linalgFunctions();

/** PyTorch's functions: `torch.cat([a, b], 1)`, `torch.linalg.norm(x)`, `torch.fft.rfft(x)`. */
export const torch = Object.freeze({
  ...torchFunctions(),
  ...pythonFunctions(linalg),
  fft: Object.freeze(fftFunctions()),
  linalg: Object.freeze(linalg),
  special: Object.freeze(specialFunctions()),
});
