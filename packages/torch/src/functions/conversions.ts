/**
 * @file Conversions of tensors, which PyTorch binds by hand
 * (`tools/autograd/templates/python_variable_methods.cpp`).
 */
import { type DeviceLiteral, dtypeLiteral, layout } from "@sconce/ir";
import { type DType, isDType, type Tensor } from "@sconce/tensor";
import { callOperator, type OperatorArgument, type OperatorKeywords } from "../trace/dispatch.js";
import { isMeta, META } from "../trace/meta-tensors.js";
import { convert, deviceOf, isTraced } from "./arguments.js";
import { invalidArgument } from "./errors.js";
import { camelCase } from "./names.js";
import type { Parameter, Signature } from "./parameters.js";
import { type Keywords, parseCall, splitKeywords } from "./parse-call.js";

const parameter = (name: string, base: Parameter["base"], more: Partial<Parameter> = {}): Parameter => ({
  name,
  keywords: [camelCase(name)],
  base,
  list: false,
  size: 0,
  allowNone: false,
  optional: false,
  keywordOnly: false,
  role: "argument",
  ...more,
});

const OPTIONS = [
  parameter("non_blocking", "bool", { optional: true }),
  parameter("copy", "bool", { optional: true }),
  parameter("memory_format", "MemoryFormat", { optional: true, allowNone: true, keywordOnly: true }),
];

const signature = (...first: readonly Parameter[]): Signature => ({
  schema: undefined as never,
  outSchema: undefined,
  parameters: [...first, ...OPTIONS],
  maxPositional: first.length + 2,
  variadic: false,
  numbersAsTensors: false,
  hasTensorOptions: false,
  deviceFromTensor: true,
  deprecated: false,
});

/** The signatures of `Tensor.to`, in PyTorch's order. */
const TO = [
  signature(
    parameter("device", "Device", { optional: true, allowNone: true }),
    parameter("dtype", "ScalarType", { optional: true, allowNone: true }),
  ),
  signature(parameter("dtype", "ScalarType")),
  signature(parameter("tensor", "Tensor")),
];

/** Returns the device of a tensor; tensors with values are on the CPU. */
export const deviceOfTensor = (tensor: Tensor): DeviceLiteral => {
  if (isTraced(tensor)) return tensor.fake.device;
  return isMeta(tensor) ? META : deviceOf("cpu");
};

interface Options {
  readonly nonBlocking: boolean;
  readonly copy: boolean;
  readonly memoryFormat: OperatorArgument;
}

/** `to.dtype_layout` with all of the tensor's own options, but for those given. */
function toOptions(
  self: Tensor,
  device: OperatorArgument,
  { nonBlocking, copy, memoryFormat }: Options,
): unknown {
  const kwargs: Record<string, OperatorArgument> = {
    dtype: dtypeLiteral(self.dtype),
    layout: layout("strided"),
    device,
    non_blocking: nonBlocking,
    copy,
    memory_format: memoryFormat,
  };
  return callOperator("aten.to.dtype_layout", [self], kwargs as OperatorKeywords);
}

/** `to.dtype`, as `x.long()` calls it. */
export const toDType = (self: Tensor, dtype: DType, memoryFormat: OperatorArgument = null): unknown =>
  callOperator("aten.to.dtype", [self, dtypeLiteral(dtype), false, false, memoryFormat]);

/**
 * Refuses a call whose only choice is undefined, as a misspelled name gives it: `to` would return
 * the tensor as it is.
 */
function requireChoice(given: readonly unknown[], args: readonly unknown[], kwargs: Keywords): void {
  if (given.length === 0 || args.length > 0) return;
  if (given[0] !== undefined && !("dtype" in kwargs || "device" in kwargs)) return;
  if (Object.values(kwargs).some((value) => value !== undefined)) return;
  throw invalidArgument(
    "Tensor.to",
    "the dtype or device is undefined",
    'check its name: dtypes are texts, "float16", and constants, torch.float16; `x.to()` returns x',
  );
}

/** `Tensor.to`, of a dtype, a device, or the dtype and device of another tensor. */
export function to(self: Tensor, given: readonly unknown[]): unknown {
  const { args, kwargs } = splitKeywords(given);
  requireChoice(given, args, kwargs);
  const { signature: chosen, values } = parseCall("Tensor.to", TO, args, kwargs);
  const [nonBlocking, copy, format] = values.slice(-3);
  const memoryFormat = (format ?? undefined) === undefined ? null : convert(OPTIONS[2]!, format);
  const options = { nonBlocking: nonBlocking === true, copy: copy === true, memoryFormat };
  const rest = [options.nonBlocking, options.copy, options.memoryFormat];
  if (chosen === TO[1])
    return callOperator("aten.to.dtype", [self, convert(chosen.parameters[0]!, values[0]), ...rest]);
  if (chosen === TO[2]) {
    const other = values[0] as Tensor;
    return callOperator("aten.to.device", [self, deviceOfTensor(other), dtypeLiteral(other.dtype), ...rest]);
  }
  return toPlace(self, values, options, chosen.parameters[1]!);
}

/** `to` with a device, a dtype, both, or none of them. */
function toPlace(
  self: Tensor,
  values: readonly unknown[],
  options: Options,
  dtypeParameter: Parameter,
): unknown {
  const [device, dtype] = [values[0] ?? null, values[1] ?? null];
  const rest = [options.nonBlocking, options.copy, options.memoryFormat];
  if (device === null && dtype === null) {
    const changes = options.copy || options.memoryFormat !== null;
    return changes ? toOptions(self, deviceOfTensor(self), options) : self;
  }
  if (dtype === null) return toOptions(self, deviceOf(device), options);
  const kind = convert(dtypeParameter, dtype);
  if (device === null) return callOperator("aten.to.dtype", [self, kind, ...rest]);
  return callOperator("aten.to.device", [self, deviceOf(device), kind, ...rest]);
}

/** The dtypes of the methods that convert to one: `x.long()`. */
export const DTYPE_METHODS: Readonly<Record<string, DType>> = {
  bfloat16: "bfloat16",
  bool: "bool",
  byte: "uint8",
  cdouble: "complex128",
  cfloat: "complex64",
  char: "int8",
  double: "float64",
  float: "float32",
  half: "float16",
  int: "int32",
  long: "int64",
  short: "int16",
};

const LEGACY_TYPES: Readonly<Record<string, DType>> = {
  Double: "float64",
  Float: "float32",
  Half: "float16",
  BFloat16: "bfloat16",
  Long: "int64",
  Int: "int32",
  Short: "int16",
  Char: "int8",
  Byte: "uint8",
  Bool: "bool",
};

/** `Tensor.type`: the name of the tensor's type, or the tensor as another type. */
export function type(self: Tensor, dtype: unknown): unknown {
  if (dtype === undefined || dtype === null) {
    const name = Object.keys(LEGACY_TYPES).find((key) => LEGACY_TYPES[key] === self.dtype);
    return `torch.${name ?? self.dtype}${name === undefined ? "" : "Tensor"}`;
  }
  const legacy = typeof dtype === "string" ? /^torch\.(\w+)Tensor$/.exec(dtype)?.[1] : undefined;
  if (legacy !== undefined && legacy in LEGACY_TYPES)
    return callOperator("aten.to.device", [self, deviceOf("cpu"), dtypeLiteral(LEGACY_TYPES[legacy]!)]);
  if (isDType(dtype)) return callOperator("aten.to.dtype", [self, dtypeLiteral(dtype)]);
  return to(self, [dtype]);
}
