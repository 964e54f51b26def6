/**
 * @file Numbers and names of the `.pt2` format: schema 8, archive version 0. Readers and writers
 * share them.
 */
import type { LayoutName, MemoryFormat } from "@sconce/ir";
import type { DType } from "@sconce/tensor";

export const SCHEMA_MAJOR = 8;
export const SCHEMA_MINOR = 20;
/** The version of ATen's operators that the known PyTorch writes. */
export const ATEN_VERSION = 10;
export const ARCHIVE_FORMAT = "pt2";
export const ARCHIVE_VERSION = "0";

/** The name that `torch.export.save` gives to its program. */
export const MODEL = "model";

/** Entry names below the root folder. */
export const RECORDS = Object.freeze({
  format: "archive_format",
  version: "archive_version",
  zipVersion: ".data/version",
  zipVersionAlias: "version",
  byteOrder: "byteorder",
  models: "models/",
  weights: "data/weights/",
  constants: "data/constants/",
  sampleInputs: "data/sample_inputs/",
  /**
   * One `torch.save` of everything, as torch 2.8 wrote it, in the weights and constants folders.
   */
  pickledModel: "model.pt",
  extra: "extra/",
  /** Native code of AOTInductor. */
  compiled: "data/aotinductor/",
});

/** Entries of the flat layout that torch 2.1 to 2.7 wrote. */
export const FLAT_RECORDS = Object.freeze({
  version: "version",
  program: "serialized_exported_program.json",
  stateDict: ["serialized_state_dict.pt", "serialized_state_dict.json"],
  constants: ["serialized_constants.pt", "serialized_constants.json"],
  sampleInputs: "serialized_example_inputs.pt",
  extra: "extra_files/",
});

/** The serializer's own numbers, not those of c10. */
export const SCALAR_TYPES: Readonly<Record<DType, number>> = Object.freeze({
  uint8: 1,
  int8: 2,
  int16: 3,
  int32: 4,
  int64: 5,
  float16: 6,
  float32: 7,
  float64: 8,
  complex32: 9,
  complex64: 10,
  complex128: 11,
  bool: 12,
  bfloat16: 13,
  uint16: 28,
  float8_e4m3fn: 29,
  float8_e5m2: 30,
  float8_e4m3fnuz: 31,
  float8_e5m2fnuz: 32,
  float8_e8m0fnu: 33,
  uint32: 34,
  uint64: 35,
});

export const LAYOUTS: Readonly<Record<LayoutName, number>> = Object.freeze({
  sparse_coo: 1,
  sparse_csr: 2,
  sparse_csc: 3,
  sparse_bsr: 4,
  sparse_bsc: 5,
  _mkldnn: 6,
  strided: 7,
});

export const MEMORY_FORMATS: Readonly<Record<MemoryFormat, number>> = Object.freeze({
  contiguous_format: 1,
  channels_last: 2,
  channels_last_3d: 3,
  preserve_format: 4,
});

/**
 * How an argument was passed. Before the thrift schema (torch 2.7 and older) the numbers were one
 * lower.
 */
export const ARGUMENT_KINDS = Object.freeze({ unknown: 0, positional: 1, keyword: 2 });
/** Files up to this minor version may use the older numbers. */
export const LAST_MINOR_WITH_OLD_KINDS = 8;
/**
 * Files up to this minor version do not say whether a higher-order call returns a bare tensor: a
 * single one is.
 */
export const LAST_MINOR_WITHOUT_BARE_RETURNS = 5;

/** Inverts one of the tables above. */
export function byNumber<K extends string>(table: Readonly<Record<K, number>>): ReadonlyMap<number, K> {
  return new Map((Object.entries(table) as [K, number][]).map(([name, number]) => [number, name]));
}

/** Prefix of operator targets in files; in graphs the rest stands alone (`aten.add.Tensor`). */
export const OPERATOR_PREFIX = "torch.ops.";
/** Python's operator module in files; in graphs it is `operator.`. */
export const PYTHON_OPERATOR_PREFIX = "_operator.";

/**
 * Functions on symbolic scalars, by the name a graph has for them: one result, positional
 * arguments.
 */
export const SYMBOLIC_FUNCTIONS: ReadonlySet<string> = new Set([
  ...[
    "eq",
    "ne",
    "le",
    "ge",
    "lt",
    "gt",
    "neg",
    "pos",
    "mul",
    "add",
    "sub",
    "floordiv",
    "mod",
    "pow",
    "truediv",
    "and_",
    "or_",
    "lshift",
    "rshift",
  ].map((name) => `operator.${name}`),
  "math.trunc",
  "math.ceil",
  "math.floor",
  "torch.sym_not",
  "torch.sym_int",
  "torch.sym_float",
  "torch.sym_ite",
  "torch.sym_max",
  "torch.sym_min",
  "torch._sym_sqrt",
  "torch.sym_sqrt",
  "torch.sym_sum",
]);

/** Other Python functions that PyTorch allows as call targets. */
const FUNCTION_MODULES = ["torch._functorch.predispatch.", "torch.amp.autocast_mode."];
const FUNCTIONS: ReadonlySet<string> = new Set(["torch._C._set_grad_enabled"]);

export const isKnownFunction = (target: string): boolean =>
  SYMBOLIC_FUNCTIONS.has(target) ||
  FUNCTIONS.has(target) ||
  FUNCTION_MODULES.some((prefix) => target.startsWith(prefix) && /^\w+$/.test(target.slice(prefix.length)));
