/** Every element type that PyTorch 2.14 can put into a `.pt2`. */
export type DType =
  | "float64"
  | "float32"
  | "float16"
  | "bfloat16"
  | "float8_e4m3fn"
  | "float8_e5m2"
  | "float8_e4m3fnuz"
  | "float8_e5m2fnuz"
  | "float8_e8m0fnu"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "bool"
  | "complex32"
  | "complex64"
  | "complex128";

/** Kinds in promotion order: a later kind absorbs an earlier one. */
export type DTypeKind = "bool" | "int" | "float" | "complex";

/**
 * Typed array that holds one dtype's elements. Halves are raw 16-bit patterns, complex numbers
 * interleaved pairs.
 */
export type TypedArray =
  | Float64Array
  | Float32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array;

/** Facts about one dtype. */
export interface DTypeInfo {
  /** The name, as PyTorch spells it without `torch.`. */
  readonly name: DType;
  /** Bytes of one element (both parts of a complex number together). */
  readonly itemSize: number;
  /** Whether elements are bools, integers, floats or complex numbers. */
  readonly kind: DTypeKind;
  /** Whether elements may be negative. */
  readonly signed: boolean;
  /** Abbreviation in printed programs (`torch/utils/_dtype_abbrs.py`). */
  readonly abbreviation: string;
  /** Typed-array lanes an element takes (2 for complex). */
  readonly lanes: 1 | 2;
  /** The typed array that holds the elements. */
  readonly array: {
    new (buffer: ArrayBufferLike, byteOffset: number, length: number): TypedArray;
    readonly BYTES_PER_ELEMENT: number;
  };
}

const row = (
  name: DType,
  itemSize: number,
  kind: DTypeKind,
  abbreviation: string,
  array: DTypeInfo["array"],
  signed = true,
  lanes: 1 | 2 = 1,
): DTypeInfo => Object.freeze({ name, itemSize, kind, signed, abbreviation, lanes, array });

const TABLE: { readonly [D in DType]: DTypeInfo } = Object.freeze({
  float64: row("float64", 8, "float", "f64", Float64Array),
  float32: row("float32", 4, "float", "f32", Float32Array),
  float16: row("float16", 2, "float", "f16", Uint16Array),
  bfloat16: row("bfloat16", 2, "float", "bf16", Uint16Array),
  float8_e4m3fn: row("float8_e4m3fn", 1, "float", "f8e4m3fn", Uint8Array),
  float8_e5m2: row("float8_e5m2", 1, "float", "f8e5m2", Uint8Array),
  float8_e4m3fnuz: row("float8_e4m3fnuz", 1, "float", "f8e4m3fnuz", Uint8Array),
  float8_e5m2fnuz: row("float8_e5m2fnuz", 1, "float", "f8e5m2fnuz", Uint8Array),
  float8_e8m0fnu: row("float8_e8m0fnu", 1, "float", "f8e8m0fnu", Uint8Array),
  int8: row("int8", 1, "int", "i8", Int8Array),
  int16: row("int16", 2, "int", "i16", Int16Array),
  int32: row("int32", 4, "int", "i32", Int32Array),
  int64: row("int64", 8, "int", "i64", BigInt64Array),
  uint8: row("uint8", 1, "int", "u8", Uint8Array, false),
  uint16: row("uint16", 2, "int", "u16", Uint16Array, false),
  uint32: row("uint32", 4, "int", "u32", Uint32Array, false),
  uint64: row("uint64", 8, "int", "u64", BigUint64Array, false),
  bool: row("bool", 1, "bool", "b8", Uint8Array, false),
  complex32: row("complex32", 4, "complex", "c32", Uint16Array, true, 2),
  complex64: row("complex64", 8, "complex", "c64", Float32Array, true, 2),
  complex128: row("complex128", 16, "complex", "c128", Float64Array, true, 2),
});

/** All dtypes, in a fixed order. */
export const DTYPES: readonly DType[] = Object.freeze(Object.keys(TABLE) as DType[]);

/** Returns what is known of a dtype. */
export function dtypeInfo(dtype: DType): DTypeInfo {
  return TABLE[dtype];
}

/** Returns whether a value is the name of a dtype. */
export function isDType(name: unknown): name is DType {
  return typeof name === "string" && Object.hasOwn(TABLE, name);
}

/** Returns whether elements of a dtype are real floating-point numbers. */
export const isFloatDType = (dtype: DType): boolean => TABLE[dtype].kind === "float";
/** Returns whether elements of a dtype are complex numbers. */
export const isComplexDType = (dtype: DType): boolean => TABLE[dtype].kind === "complex";
/** int8 to uint64, and bool, as `torch.is_integral(include_bool)`. */
export const isIntegralDType = (dtype: DType, includeBool = false): boolean =>
  TABLE[dtype].kind === "int" || (includeBool && dtype === "bool");
/** True for the dtypes whose typed array holds BigInt. */
export const isBigIntDType = (dtype: DType): dtype is "int64" | "uint64" =>
  dtype === "int64" || dtype === "uint64";
