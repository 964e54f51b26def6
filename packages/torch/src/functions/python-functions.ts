/**
 * @file Functions of `torch` that PyTorch writes in Python (`torch/functional.py`) or binds by
 * hand.
 */
import { dtypeLiteral, layout } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import type { Size } from "../trace/sym-int.js";
import { isSym } from "../trace/sym-int.js";
import { deviceOf } from "./arguments.js";
import type { AnyFunction } from "./call-function.js";
import { asArray, asTensor, tensor } from "./constants.js";
import { deviceOfTensor } from "./conversions.js";
import { finfo, iinfo } from "./dtype-limits.js";
import { invalidArgument, requireChoice } from "./errors.js";
import { FACTS, factOf } from "./facts.js";
import { callMethod, callTorch } from "./function-tables.js";
import { LIST_FUNCTIONS } from "./lists.js";
import { LOW_RANK } from "./low-rank.js";
import { camelCase } from "./names.js";
import { type PythonArguments, pythonFunction } from "./python-function.js";
import { numelOf, sizesOf, sizesText } from "./sizes.js";
import { guard, sym } from "./sym.js";

const isNumber = (value: unknown): boolean => typeof value === "number" || isSym(value);

/** `torch.split` and `x.split`: chunks of one size, or of the sizes in a list. */
export function split({ tensor: input, splitSizeOrSections: sizes, dim }: PythonArguments): unknown {
  const size = sizes instanceof Tensor ? callOperator("aten.item.default", [sizes]) : sizes;
  return callTorch(isNumber(size) ? "split" : "split_with_sizes", [input, size, dim]);
}

const vectorNorm = (
  input: Tensor,
  p: unknown,
  dim: unknown,
  { keepdim, dtype, out }: PythonArguments,
): unknown => linalg("vector_norm", [input, p, dim, keepdim], { dtype, out });

function linalg(name: string, args: readonly unknown[], kwargs: PythonArguments): unknown {
  return LINALG[name]!(...args, kwargs);
}

/** `torch.norm` and `x.norm`. */
export function norm(args: PythonArguments): unknown {
  const { input, p, dim, keepdim, dtype, out } = args;
  const dims = dim === null || Array.isArray(dim) ? dim : [dim];
  if (typeof p !== "string") return vectorNorm(input, p ?? 2, dims, args);
  if (p === "fro" && (dims === null || dims.length <= 2)) return vectorNorm(input, 2, dims, args);
  const all = dims ?? Array.from({ length: (input as Tensor).ndim }, (_, i) => i);
  return linalg("matrix_norm", [input, p, all, keepdim], { dtype, out });
}

const COMPUTE_MODES: Readonly<Record<string, number | null>> = {
  use_mm_for_euclid_dist_if_necessary: null,
  use_mm_for_euclid_dist: 1,
  donot_use_mm_for_euclid_dist: 2,
};

function cdist({ x1, x2, p, computeMode }: PythonArguments): unknown {
  requireChoice("torch.cdist", "computeMode", computeMode, Object.keys(COMPUTE_MODES));
  return callTorch("cdist", [x1, x2, p, COMPUTE_MODES[computeMode]]);
}

/** `torch.stft` and `x.stft`: the signal is padded before where it is centered. */
export function stft(args: PythonArguments): unknown {
  const { nFft, hopLength, winLength, window, center, padMode, normalized, onesided, returnComplex } = args;
  const { alignToWindow } = args;
  let { input } = args as { readonly input: Tensor };
  if (center && alignToWindow !== null)
    throw invalidArgument(
      "torch.stft",
      "alignToWindow is given for a centered signal",
      "use `center: false`",
    );
  if (center) {
    const signal = input.ndim;
    const extended = [...new Array<Size>(Math.max(0, 3 - signal)).fill(1), ...sizesOf(input)];
    const pad = Math.trunc(nFft / 2);
    const view = callMethod(input, "view", [extended]) as Tensor;
    const padded = callOperator("aten.pad.default", [view, [pad, pad], padMode]) as Tensor;
    input = callMethod(padded, "view", [sizesOf(padded).slice(padded.ndim - signal)]) as Tensor;
  }
  return callTorch("stft", [
    input,
    nFft,
    hopLength,
    winLength,
    window,
    normalized,
    onesided,
    returnComplex,
    alignToWindow,
  ]);
}

/** Returns the results that are asked for: one tensor, or several. */
function chosen(results: readonly unknown[], { returnInverse, returnCounts }: PythonArguments): unknown {
  if (!returnInverse && !returnCounts) return results[0];
  return results.filter((_, i) => i === 0 || (i === 1 ? returnInverse : returnCounts));
}

/** `torch.unique` and `x.unique`. */
export function unique(args: PythonArguments): unknown {
  const { input, sorted, returnInverse, returnCounts, dim } = args;
  const options = { sorted, returnInverse, returnCounts };
  const results =
    dim === null ? callTorch("_unique2", [input], options) : callTorch("unique_dim", [input, dim], options);
  return chosen(results as readonly unknown[], args);
}

/** `torch.unique_consecutive` and `x.unique_consecutive`. */
export function uniqueConsecutive(args: PythonArguments): unknown {
  const { input, returnInverse, returnCounts, dim } = args;
  return chosen(
    callTorch("unique_consecutive", [input], { returnInverse, returnCounts, dim }) as readonly unknown[],
    args,
  );
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

function contractedDims(a: Tensor, b: Tensor, dims: unknown): readonly unknown[] {
  if (dims instanceof Tensor) {
    const values = callMethod(dims, "tolist") as readonly unknown[] | number;
    return Array.isArray(values) && numelOf(dims) !== 1 ? values : contractedDims(a, b, Number(values));
  }
  if (Array.isArray(dims)) return dims;
  if (typeof dims !== "number" || !(dims >= 0 && dims <= Math.min(a.ndim, b.ndim)))
    throw invalidArgument(
      "torch.tensordot",
      `dims ${String(dims)} is not between 0 and ${Math.min(a.ndim, b.ndim)}`,
      "give the number of dimensions, or a list of two lists",
    );
  return [range(-dims, 0), range(0, dims)];
}

function tensordot({ a, b, dims, out }: PythonArguments): unknown {
  const [left, right] = contractedDims(a, b, dims);
  return callTorch("tensordot", [a, b, left, right], out === null ? {} : { out });
}

function unravelIndex({ indices, shape }: PythonArguments): unknown {
  const sizes: readonly number[] = Array.isArray(shape) ? shape : [shape];
  const factors = sizes.map((_, i) => sizes.slice(i + 1).reduce((x, y) => x * y, 1));
  const options = { dtype: "int64", device: deviceOfTensor(indices) } as const;
  const places = callMethod(callMethod(indices, "unsqueeze", [-1]) as Tensor, "floor_divide", [
    tensor(factors, options),
  ]);
  const wrapped = callMethod(places as Tensor, "remainder", [tensor(sizes, options)]) as Tensor;
  return callMethod(wrapped, "unbind", [-1]);
}

/** Returns the shape that tensors of these shapes broadcast to. */
function broadcastShapes(...shapes: readonly unknown[]): readonly Size[] {
  const lists = shapes.map((shape) => (Array.isArray(shape) ? shape : [shape]) as readonly Size[]);
  const length = Math.max(0, ...lists.map((list) => list.length));
  return range(0, length).map((i) => {
    let size: Size = 1;
    for (const list of lists) {
      const own = list[list.length - length + i] ?? 1;
      if (own === 1 || own === size) continue;
      if (size === 1) size = own;
      else if (!guard(sym.eq(own, size)))
        throw invalidArgument(
          "torch.broadcastShapes",
          `the shapes ${lists.map((one) => `[${sizesText(one)}]`).join(" and ")} do not broadcast`,
          "use sizes that are equal or 1",
        );
    }
    return size;
  });
}

/** `torch.lu` and `x.lu`. */
export function lu({ A, pivot, getInfos }: PythonArguments): unknown {
  const results = callTorch("_lu_with_info", [A], { pivot, checkErrors: !getInfos }) as readonly unknown[];
  return getInfos ? results : results.slice(0, 2);
}

/** `nonzero`: one tensor of positions, or a tensor for each dimension. */
export const nonzero = ({ input, asTuple, out }: PythonArguments): unknown => {
  if (asTuple) return callOperator("aten.nonzero_numpy.default", [input]);
  if (out !== null) return callOperator("aten.nonzero.out", [input], { out });
  return callOperator("aten.nonzero.default", [input]);
};

const closedRange = ({ start, end, step, dtype, device }: PythonArguments): unknown =>
  callOperator("aten.range.step", [start, end, step], {
    dtype: dtypeLiteral(dtype ?? "float32"),
    layout: layout("strided"),
    device: deviceOf(device ?? "cpu"),
  });

const define = (signature: string, body: (args: PythonArguments) => unknown, kind?: string): AnyFunction =>
  pythonFunction("torch", signature, body, kind) as AnyFunction;
const builtin = (signature: string, body: (args: PythonArguments) => unknown): AnyFunction =>
  define(signature, body, "builtin_function_or_method");

let LINALG: Readonly<Record<string, AnyFunction>> = {};

/** Returns the functions by camelCase name; `linalg` are the functions of `torch.linalg`. */
export function pythonFunctions(
  linalgFunctions: Readonly<Record<string, AnyFunction>>,
): Record<string, AnyFunction> {
  LINALG = { vector_norm: linalgFunctions["vectorNorm"]!, matrix_norm: linalgFunctions["matrixNorm"]! };
  return {
    ...(LIST_FUNCTIONS as Record<string, AnyFunction>),
    ...(LOW_RANK as Record<string, AnyFunction>),
    asTensor: builtin("as_tensor(data, *, dtype=None, device=None)", ({ data, ...options }) =>
      asTensor(data, options),
    ),
    asarray: builtin(
      "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None)",
      ({ obj, ...options }) => asArray(obj, options),
    ),
    broadcastShapes: broadcastShapes as AnyFunction,
    finfo: finfo as unknown as AnyFunction,
    iinfo: iinfo as unknown as AnyFunction,
    isTensor: ((value: unknown) => value instanceof Tensor) as AnyFunction,
    cdist: define("cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')", cdist),
    lu: define("lu(A, pivot=True, get_infos=False)", lu),
    nonzero: builtin("nonzero(input, *, as_tuple=False, out=None)", nonzero),
    norm: define("norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None)", norm),
    range: pythonFunction(
      "torch",
      "range(start, end, step=1, *, dtype=None, device=None)",
      closedRange,
      "function",
      () => "",
    ) as AnyFunction,
    split: define("split(tensor, split_size_or_sections, dim=0)", split),
    stft: define(`stft(input: Tensor, ${STFT_PARAMETERS})`, stft),
    tensor: builtin("tensor(data, *, dtype=None, device=None, requires_grad=False)", ({ data, ...options }) =>
      tensor(data, options),
    ),
    tensordot: define("tensordot(a: Tensor, b: Tensor, dims=2, out=None)", tensordot),
    unique: define("unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)", unique),
    uniqueConsecutive: define(
      "unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)",
      uniqueConsecutive,
    ),
    unravelIndex: define("unravel_index(indices: Tensor, shape: list[int])", unravelIndex),
    ...Object.fromEntries(
      Object.keys(FACTS).map((name) => [
        camelCase(name),
        builtin(`${name}(input)`, ({ input }) => factOf(name, input)),
      ]),
    ),
  };
}

/** What `torch.stft` and `x.stft` take beside the signal. */
export const STFT_PARAMETERS =
  "n_fft: int, hop_length: int|None = None, win_length: int|None = None, window: Tensor|None = None, center=True, pad_mode='reflect', normalized=False, onesided=None, return_complex=None, align_to_window=None";
