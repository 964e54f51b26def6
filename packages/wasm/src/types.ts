/** @file Types of values. */

/** A type of a value. */
export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

const CODES: Readonly<Record<ValueType, number>> = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b };

/** Returns the encoding of a type. */
export const typeCode = (type: ValueType): number => CODES[type];

/** A local variable or a parameter of one function. */
export interface Local<T extends ValueType = ValueType> {
  /** Its place among the parameters and locals. */
  readonly index: number;
  readonly type: T;
}

/** Parameters and results of a function. */
export interface Signature {
  /** Types of the parameters. */
  readonly params: readonly ValueType[];
  /** Types of the results; none by default. */
  readonly results?: readonly ValueType[];
}
