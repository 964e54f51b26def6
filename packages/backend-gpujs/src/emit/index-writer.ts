/**
 * @file Indices as integer expressions: no locals (gpu.js holds those as floats), no division that
 * is not exact.
 */
import {
  add,
  atom,
  boundsOf,
  constant,
  fixedValue,
  type Index,
  type IndexAtom,
  type IndexTerm,
  multiply,
  type Scalar,
  scale,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { type Dialect, EXACT } from "./dialect.js";

export interface IndexNames {
  /** What an axis is called in the source. */
  readonly axis: (name: string) => string;
  /** The expression for a value that a tensor holds. */
  readonly value: (scalar: Scalar) => string;
}

/**
 * The text of an index with fixed sizes, in parentheses unless it is one name or number. gpu.js may
 * compute in floats what looks like integers, so what reaches beyond 2^24 (`isWide` where the
 * reader knows it) goes through helpers.
 */
export function indexSource(index: Index, names: IndexNames, dialect: Dialect, isWide = false): string {
  if (!dialect.isDouble && (isWide || reachesFar(index))) return wideSource(index, names, dialect);
  let text = "";
  for (const { coefficient, atoms } of index.terms) {
    const factors = atoms.map((item) => atomSource(item, names, dialect));
    const size = Math.abs(coefficient);
    const product = size === 1 ? factors.join(" * ") : `${factors.join(" * ")} * ${size}`;
    // A difference starts from zero: a sign in front would not be an integer to gpu.js everywhere.
    if (text === "") text = coefficient < 0 ? `0 - ${product}` : product;
    else text += `${coefficient < 0 ? " - " : " + "}${product}`;
  }
  if (text === "") return index.constant < 0 ? `(0 - ${-index.constant})` : String(index.constant);
  if (index.constant !== 0) text += `${index.constant < 0 ? " - " : " + "}${Math.abs(index.constant)}`;
  return /^[\w.]+$/.test(text) ? text : `(${text})`;
}

function reachesFar(index: Index): boolean {
  const { min, max } = boundsOf(index);
  return (min !== undefined && min <= -EXACT) || (max !== undefined && max >= EXACT);
}
/**
 * Sums and products of integers by a helper, whose parameters are integers in every mode. Calls
 * take time in long loops: the smallest terms are added without, as far as they stay small
 * together.
 */
function wideSource(index: Index, names: IndexNames, dialect: Dialect): string {
  // Of a literal with a sign WebGL makes a float.
  const number = (value: number): string => (value < 0 ? `iless(${-value}, 1, 0)` : String(value));
  const terms = [...index.terms].sort((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient));
  let small = constant(index.constant);
  while (terms.length > 1) {
    const more = add(small, indexOf(terms[0]!));
    if (reachesFar(more) || boundsOf(more).max === undefined || boundsOf(more).min === undefined) break;
    small = more;
    terms.shift();
  }
  let text = small.terms.length === 0 ? number(small.constant) : indexSource(small, names, dialect);
  for (const { coefficient, atoms } of terms) {
    const product = atoms
      .map((item) => atomSource(item, names, dialect))
      .reduce((left, right) => `iflat(${left}, ${right}, 0)`);
    const helper = coefficient < 0 ? "iless" : "iflat";
    text = `${helper}(${product}, ${Math.abs(coefficient)}, ${text})`;
  }
  return text;
}
const indexOf = ({ coefficient, atoms }: IndexTerm): Index =>
  scale(atoms.map(atom).reduce(multiply), coefficient);

function atomSource(item: IndexAtom, names: IndexNames, dialect: Dialect): string {
  switch (item.kind) {
    case "axis":
      return names.axis(item.name);
    case "value":
      return dialect.hasBits ? `(${names.value(item.scalar)} | 0)` : `whole(${names.value(item.scalar)})`;
    case "quotient":
      return quotient(item.numerator, item.denominator, names, dialect);
    case "remainder": {
      const by = indexSource(item.denominator, names, dialect);
      const from = indexSource(item.numerator, names, dialect);
      return `(${from} - ${quotient(item.numerator, item.denominator, names, dialect)} * ${by})`;
    }
    case "size":
      throw internalError("sizes are fixed before kernels are written");
  }
}

/**
 * Division rounded down. Below 2^24 a correctly rounded float32 quotient is on the right side of
 * every whole number; where division is not correctly rounded, or beyond, helper functions repair
 * it in integers.
 */
function quotient(numerator: Index, denominator: Index, names: IndexNames, dialect: Dialect): string {
  const [from, by] = [numerator, denominator].map((index) => indexSource(index, names, dialect));
  const { min, max } = boundsOf(numerator);
  const isSmall = min !== undefined && max !== undefined && min > -EXACT && max < EXACT;
  if (dialect.isDouble || (dialect.isStrict && isSmall && fixedValue(denominator) !== undefined))
    return `(Math.floor(${from} / ${by}) | 0)`;
  return `idiv(${from}, ${by})`;
}

/** Source, the letters of its parameters, and their type where it is not `Integer`. */
interface IndexHelper {
  readonly source: string;
  readonly parameters: string;
  readonly type?: "Number";
}
/**
 * Helpers that kernels may call, for `addFunction`: integers stay integers as their arguments, and
 * all give integers.
 */
export const INDEX_HELPERS: readonly IndexHelper[] = [
  { parameters: "x", type: "Number", source: "function whole(x) { return Math.floor(x); }" },
  { parameters: "iwq", source: "function iflat(i, w, q) { return i * w + q; }" },
  { parameters: "iwq", source: "function iless(i, w, q) { return q - i * w; }" },
  {
    parameters: "iwq",
    source:
      "function qfix(i, w, q) { if (i - q * w < 0) { return q - 1; } if (i - q * w >= w) { return q + 1; } return q; }",
  },
  { parameters: "iwq", source: "function qstep(i, w, q) { return q + (Math.floor((i - q * w) / w) | 0); }" },
  {
    parameters: "iw",
    source: "function idiv(i, w) { return qfix(i, w, qstep(i, w, Math.floor(i / w) | 0)); }",
  },
];
