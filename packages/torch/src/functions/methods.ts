/** @file Methods of tensors that PyTorch writes in Python or binds by hand. */
import { type Argument, unwrapFloat } from "@sconce/ir";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { convert, isTraced } from "./arguments.js";
import { type ConstantOptions, newTensor, tensor } from "./constants.js";
import { isContiguousAs } from "./contiguous.js";
import { DTYPE_METHODS, deviceOfTensor, to, toDType, type } from "./conversions.js";
import { invalidArgument } from "./errors.js";
import { FACTS, factOf } from "./facts.js";
import { callMethod, callTorch } from "./function-tables.js";
import { requireGradients } from "./gradients.js";
import { at, type Index, setAt } from "./indexing.js";
import { camelCase } from "./names.js";
import type { Parameter } from "./parameters.js";
import { splitKeywords } from "./parse-call.js";
import { named, type PythonArguments, pythonFunction } from "./python-function.js";
import {
  lu,
  nonzero,
  norm,
  STFT_PARAMETERS,
  split,
  stft,
  unique,
  uniqueConsecutive,
} from "./python-functions.js";
import { dimensionOf, numelOf, sizesOf, stridesOf } from "./sizes.js";

/** A method of tensors, untyped. */
export type AnyMethod = (this: Tensor, ...given: readonly unknown[]) => unknown;

/**
 * `x.item()`: the number of a tensor with one element. Eager floats are plain numbers; a program
 * that is traced keeps one without a fraction as a float.
 */
function item(self: Tensor): unknown {
  const value = callOperator("aten.item.default", [self]) as Argument;
  return currentTrace() === undefined ? unwrapFloat(value) : value;
}

/** `x.tolist()`: nested lists of numbers; of a traced tensor, one number by one. */
function tolist(self: Tensor): unknown {
  if (self.ndim === 0) return item(self);
  if (currentTrace()?.isStrict)
    return Array.from({ length: self.shape[0]! }, (_, i) => tolist(at(self, [i])));
  return (callMethod(self, "unbind", [0]) as readonly Tensor[]).map(tolist);
}

/** Returns a method with a Python signature, without `self`; the body gets `self` as `input`. */
function method(
  signature: string,
  body: (args: PythonArguments) => unknown,
  kind = "method_descriptor",
): AnyMethod {
  const withSelf = signature.replace("(", signature.includes("()") ? "(input" : "(input, ");
  const call = pythonFunction("Tensor", withSelf, body, kind);
  return function (this: Tensor, ...given) {
    return call(this, ...given);
  };
}

const MEMORY_FORMAT: Parameter = {
  name: "memory_format",
  keywords: ["memoryFormat"],
  base: "MemoryFormat",
  list: false,
  size: 0,
  allowNone: true,
  optional: true,
  keywordOnly: true,
  role: "argument",
};
const formatOf = (value: unknown) =>
  value === null || value === undefined ? null : convert(MEMORY_FORMAT, value);

const legacyNew = (self: Tensor, given: readonly unknown[]): unknown => {
  const [first] = given;
  if (Array.isArray(first) && first.some((value) => typeof value !== "number" || !Number.isInteger(value)))
    return tensor(first, { dtype: self.dtype });
  return callTorch("empty", [given], { dtype: self.dtype, layout: "strided", device: deviceOfTensor(self) });
};

const list = (values: (self: Tensor) => readonly unknown[]): AnyMethod =>
  method("size(dim=None)", ({ input, dim }) =>
    dim === null ? values(input) : values(input)[dimensionOf(input.ndim, dim)],
  );

/**
 * `x.requiresGrad_()`: an eager tensor keeps whether gradients are asked for; a trace ignores it.
 */
function requiresGrad({ input, requiresGrad: value }: PythonArguments): Tensor {
  if (value === true) requireGradients(input, "Tensor.requiresGrad_");
  if (!isTraced(input))
    Object.defineProperty(input, "requiresGrad", { value, enumerable: true, writable: true });
  return input;
}

/** `x.copy_(source)`. */
const copy = ({ input, other, nonBlocking }: PythonArguments): unknown =>
  callOperator("aten.copy_.default", [input, other, nonBlocking]);

function noPointer(): never {
  throw invalidArgument(
    "Tensor.dataPtr",
    "a tensor has no address here",
    "use `x.storage` to compare memory",
  );
}

/** The methods by camelCase name. */
export const PYTHON_METHODS: Readonly<Record<string, AnyMethod>> = {
  ...Object.fromEntries(
    Object.entries(DTYPE_METHODS).map(([name, dtype]) => [
      name,
      method(`${name}(*, memory_format=None)`, ({ input, memoryFormat }) =>
        toDType(input, dtype, formatOf(memoryFormat)),
      ),
    ]),
  ),
  at: function (...indices) {
    return at(this, indices as readonly Index[]);
  },
  setAt: function (indices, value) {
    return setAt(this, indices as Index, value);
  },
  ...Object.fromEntries(
    Object.keys(FACTS).map((name) => [
      camelCase(name),
      method(`${name}()`, ({ input }) => factOf(name, input)),
    ]),
  ),
  copy_: method("copy_(other, non_blocking=False)", copy),
  cpu: method("cpu(*, memory_format=None)", ({ input, memoryFormat }) =>
    to(input, [memoryFormat === null ? { device: "cpu" } : { device: "cpu", memoryFormat }]),
  ),
  dataPtr: noPointer,
  elementSize: method("element_size()", ({ input }) => dtypeInfo(input.dtype).itemSize),
  item: method("item()", ({ input }) => item(input)),
  lu: method(
    "lu(pivot=True, get_infos=False)",
    ({ input, ...options }) => lu({ A: input, ...options }),
    "function",
  ),
  ndimension: method("ndimension()", ({ input }) => input.ndim),
  nelement: method("nelement()", ({ input }) => numelOf(input)),
  new: function (...given) {
    return legacyNew(this, given);
  },
  newTensor: method(
    "new_tensor(data, *, dtype=None, device=None, requires_grad=False)",
    ({ input, data, ...options }) => newTensor(input, data, options as ConstantOptions),
  ),
  nonzero: method("nonzero(*, as_tuple=False)", (args) => nonzero({ ...args, out: null })),
  norm: method(
    "norm(p='fro', dim=None, keepdim=False, dtype=None)",
    (args) => norm({ ...args, out: null }),
    "function",
  ),
  requiresGrad_: method("requires_grad_(requires_grad=True)", requiresGrad),
  size: list(sizesOf),
  split: method(
    "split(split_size, dim=0)",
    ({ input, splitSize, dim }) => split({ tensor: input, splitSizeOrSections: splitSize, dim }),
    "function",
  ),
  stft: method(`stft(${STFT_PARAMETERS})`, stft, "function"),
  stride: list(stridesOf),
  to: function (...given) {
    return named("to", "method_descriptor", () => to(this, given));
  },
  tolist: method("tolist()", ({ input }) => tolist(input)),
  type: method("type(dtype=None)", ({ input, dtype }) => type(input, dtype)),
  unflatten: method(
    "unflatten(dim, sizes)",
    ({ input, dim, sizes }) => callMethod(input, "unflatten", [dim, sizes]),
    "function",
  ),
  unique: method(
    "unique(sorted=True, return_inverse=False, return_counts=False, dim=None)",
    unique,
    "function",
  ),
  uniqueConsecutive: method(
    "unique_consecutive(return_inverse=False, return_counts=False, dim=None)",
    uniqueConsecutive,
    "function",
  ),
};

/** Fields of the class of tensors that PyTorch has as methods: they stay fields. */
export const OWN_FIELDS: readonly string[] = ["storageOffset"];

/** Attributes that record an operator when they are read. */
export const VIEW_GETTERS: Readonly<Record<string, string>> = {
  T: "aten.numpy_T.default",
  H: "aten.matrix_H.default",
  mT: "aten.mT.default",
  mH: "aten.mH.default",
  real: "aten.real.default",
  imag: "aten.imag.default",
};

/**
 * Methods that the class of tensors has too: while a program is traced they are recorded;
 * otherwise they stay what they are for code that works on data.
 */
export const SHARED_METHODS: Readonly<Record<string, (self: Tensor, given: readonly unknown[]) => unknown>> =
  {
    contiguous: (self, given) => {
      const format = (splitKeywords(given).kwargs["memoryFormat"] ?? "contiguous_format") as string;
      if (isContiguousAs(self, format)) return self;
      const kwargs = format === "contiguous_format" ? {} : { memory_format: formatOf(format) };
      return callOperator("aten.contiguous.default", [self], kwargs);
    },
    asStrided: (self, given) => callMethod(self, "as_strided", given),
  };

/** Returns whether the methods of the class that PyTorch has, too, are recorded. */
export const recordsMethods = (): boolean => currentTrace() !== undefined;
