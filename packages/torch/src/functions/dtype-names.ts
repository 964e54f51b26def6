/** @file Dtypes, memory formats and numbers that PyTorch has as constants of the module `torch`. */
import type { MemoryFormat } from "@sconce/ir";
import { DTYPES, type DType } from "@sconce/tensor";

/** Names of dtypes by which PyTorch has them, too. */
const ALIASES = {
  half: "float16",
  float: "float32",
  double: "float64",
  chalf: "complex32",
  cfloat: "complex64",
  cdouble: "complex128",
  short: "int16",
  int: "int32",
  long: "int64",
} as const;

type Aliases = typeof ALIASES;
type Named = { readonly [name in DType]: name };

/** Constants of the module `torch`: a dtype is the text that is its name. */
export interface TorchConstants extends Named, Aliases {
  /** The infinite float. */
  readonly inf: number;
  /** The float that is not a number. */
  readonly nan: number;
  /** The ratio of a circle's circumference to its diameter. */
  readonly pi: number;
  /** The base of the natural logarithm. */
  readonly e: number;
  /** `"contiguous_format"` */
  readonly contiguousFormat: MemoryFormat;
  /** `"preserve_format"` */
  readonly preserveFormat: MemoryFormat;
  /** `"channels_last"` */
  readonly channelsLast: MemoryFormat;
  /** `"channels_last_3d"` */
  readonly channelsLast3d: MemoryFormat;
}

/** Returns the constants by name. */
export const torchConstants = (): TorchConstants => ({
  ...(Object.fromEntries(DTYPES.map((name) => [name, name])) as Named),
  ...ALIASES,
  inf: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
  pi: Math.PI,
  e: Math.E,
  contiguousFormat: "contiguous_format",
  preserveFormat: "preserve_format",
  channelsLast: "channels_last",
  channelsLast3d: "channels_last_3d",
});
