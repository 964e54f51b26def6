/** @file The functional API of PyTorch in camelCase, and the methods of tensors. */
import type { MemoryFormat } from "@sconce/ir";
import { associativeScan } from "../control-flow/associative-scan.js";
import { checkpoint } from "../control-flow/checkpoint.js";
import { cond } from "../control-flow/cond.js";
import { map } from "../control-flow/map.js";
import { scan } from "../control-flow/scan.js";
import { switchBranches } from "../control-flow/switch.js";
import { vmap } from "../control-flow/vmap.js";
import { whileLoop } from "../control-flow/while-loop.js";
import { autocast } from "../trace/autocast.js";
import { manualSeed } from "../trace/eager.js";
import { enableGrad, inferenceMode, noGrad, setGradEnabled } from "../trace/grad-mode.js";
import { check, checkIsSize, constrainAsSize, constrainAsValue } from "./check.js";
import { type TorchConstants, torchConstants } from "./dtype-names.js";
import { type Func, func } from "./func.js";
import { fftFunctions, linalgFunctions, specialFunctions, torchFunctions } from "./function-tables.js";
import type { FftFunctions, LinalgFunctions, SpecialFunctions, TorchFunctions } from "./function-types.js";
import { slice } from "./indexing.js";
import { installMethods } from "./install.js";
import type { TensorMethods } from "./method-types.js";
import type { Operators } from "./operator-types.js";
import { operators } from "./ops.js";
import { pythonFunctions } from "./python-functions.js";
import type { PythonFunctions, PythonMethods } from "./python-types.js";

declare module "@sconce/tensor" {
  interface Tensor extends TensorMethods, PythonMethods {
    /** Returns a copy in this memory format, or the tensor where it is in it already. */
    contiguous(options: { readonly memoryFormat?: MemoryFormat }): Tensor;
  }
}

installMethods();

/** Control flow, requirements, modes of gradients and seeds: functions that call no operator. */
const functionsOfPrograms = {
  cond,
  switch: switchBranches,
  whileLoop,
  scan,
  map,
  associativeScan,
  checkpoint,
  check,
  checkIsSize,
  constrainAsSize,
  constrainAsValue,
  noGrad,
  enableGrad,
  inferenceMode,
  setGradEnabled,
  autocast,
  manualSeed,
  slice,
  vmap,
};

/** The functions of PyTorch's module `torch`. */
export interface Torch
  extends TorchFunctions,
    PythonFunctions,
    TorchConstants,
    Readonly<typeof functionsOfPrograms> {
  /** Fourier transforms. */
  readonly fft: FftFunctions;
  /** Linear algebra. */
  readonly linalg: LinalgFunctions;
  /** Special functions. */
  readonly special: SpecialFunctions;
  /** Functions of functions, and modules as functions of their state. */
  readonly func: Func;
  /**
   * Every overload by its name: `torch.ops.aten.add.Tensor(x, y)`. It is called as it is: no other
   * signature is tried, and no device or dtype is filled in.
   */
  readonly ops: Operators;
}

const linalg = linalgFunctions();

/** PyTorch's functions: `torch.cat([a, b], 1)`, `torch.linalg.norm(x)`, `torch.fft.rfft(x)`. */
export const torch: Torch = Object.freeze({
  ...torchConstants(),
  ...torchFunctions(),
  ...pythonFunctions(linalg),
  ...functionsOfPrograms,
  fft: Object.freeze(fftFunctions()),
  linalg: Object.freeze(linalg),
  special: Object.freeze(specialFunctions()),
  func,
  get ops() {
    return operators();
  },
}) as unknown as Torch;
