/** @file Indices as values that 32 bits do not hold. */
import { atom, type Index, type IndexTerm } from "./index-expr.js";
import { fits, IndexRanges, MOST } from "./index-range.js";
import { NO_SIZES } from "./known-sizes.js";
import { apply, constantScalar, indexScalar, type Scalar } from "./scalar.js";

const STATIC = new IndexRanges(NO_SIZES);

/**
 * Returns an index of known sizes as a value of int64: as a sum of int64 where an index would
 * overflow.
 */
export function exactIndex(index: Index): Scalar {
  const { terms, constant } = index;
  if (terms.length === 0) return Math.abs(constant) > MOST ? integer(constant) : indexScalar(index);
  if (fits(STATIC.of(index)) && terms.every(({ coefficient }) => Math.abs(coefficient) <= MOST))
    return indexScalar(index);
  const parts = terms.map(termScalar);
  return [...parts, ...(constant === 0 ? [] : [integer(constant)])].reduce((a, b) => apply("add", a, b));
}

const integer = (value: number): Scalar => constantScalar(value, "int64");

function termScalar({ coefficient, atoms }: IndexTerm): Scalar {
  const factors = atoms.map((item) => indexScalar(atom(item)));
  return (coefficient === 1 ? factors : [...factors, integer(coefficient)]).reduce((a, b) =>
    apply("mul", a, b),
  );
}
