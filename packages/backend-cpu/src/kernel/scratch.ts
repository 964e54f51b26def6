/** @file The arrays that kernels work in: they count on `maxBytes` as values do. */
import { requireMemory, type TypedArray } from "@sconce/tensor";

/** A kind of typed array. */
interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): A;
}

/**
 * Returns a zeroed array of so many elements. A tensor that was expanded takes little memory, and a
 * dense copy of it may take any amount.
 *
 * @throws RangeError beyond the memory that is left; the dispatcher makes it `OUT_OF_MEMORY`
 */
export function scratch<A>(type: ArrayType<A>, length: number): A {
  requireMemory(length * type.BYTES_PER_ELEMENT);
  return new type(length);
}

/** Returns a zeroed array of the type of another one. @throws RangeError as {@link scratch} */
export const scratchLike = <A extends TypedArray>(array: A, length: number): A =>
  scratch(array.constructor as unknown as ArrayType<A>, length);
