/**
 * @file Index arithmetic of loop nests: integer polynomials over loop axes, sizes, quotients,
 * remainders and indices read from tensors, kept in one normal form so that equal expressions are
 * equal texts. Views become expressions of this kind. Divisions of a reshape and multiplications of
 * a permutation cancel here, not in the emitters.
 */
import { type IntLike, printExpr } from "@sconce/symbolic";
import type { Axis, Index, IndexAtom, IndexTerm, Scalar } from "./terms.js";

export type { Axis, Index, IndexAtom, IndexTerm } from "./terms.js";

const atomText = (atom: IndexAtom): string => {
  switch (atom.kind) {
    case "axis":
      return atom.name;
    case "size":
      return sizeText(atom.expr);
    case "quotient":
      return `(${atom.numerator.text} / ${divisorText(atom.denominator)})`;
    case "remainder":
      return `(${atom.numerator.text} % ${divisorText(atom.denominator)})`;
    case "value":
      return atom.key;
  }
};
const divisorText = ({ terms, text }: Index): string =>
  terms.length === 1 && text.includes("*") && !text.startsWith("{") ? `(${text})` : text;
const sizeText = (expr: Exclude<IntLike, number>): string => {
  const text = printExpr(expr);
  return /^\w+$/.test(text) ? text : `{${text}}`;
};

const atomsText = (atoms: readonly IndexAtom[]): string => atoms.map(atomText).join("*");

function termText({ coefficient, atoms }: IndexTerm): string {
  const text = atomsText(atoms);
  const factor = Math.abs(coefficient);
  return factor === 1 ? text : `${text}*${factor}`;
}

function indexText(terms: readonly IndexTerm[], constant: number): string {
  let text = "";
  for (const term of terms) {
    const sign = term.coefficient < 0 ? (text === "" ? "-" : " - ") : text === "" ? "" : " + ";
    text += sign + termText(term);
  }
  if (text === "") return String(constant);
  if (constant === 0) return terms.length > 1 ? `(${text})` : text;
  return `(${text} ${constant < 0 ? "-" : "+"} ${Math.abs(constant)})`;
}

const CONSTANTS = new Map<number, Index>();

/** Returns a fixed number; whole and safe. */
export function constant(value: number): Index {
  const known = CONSTANTS.get(value);
  if (known !== undefined) return known;
  const made: Index = { terms: [], constant: value, text: String(value) };
  if (CONSTANTS.size < 4096) CONSTANTS.set(value, made);
  return made;
}
/** The index 0. */
export const ZERO = constant(0);
export const ONE = constant(1);

/** Returns the index that is one atom. */
export const atom = (item: IndexAtom): Index => normal([{ coefficient: 1, atoms: [item] }], 0);
/**
 * Returns a size as PyTorch's metadata gives it: a number or an expression over the program's
 * symbols.
 */
export function size(value: IntLike): Index {
  if (typeof value === "number") return constant(value);
  if (value.op === "Integer") return constant(Number(value.value));
  // Sums and products are expanded, so that sizes cancel.
  if (value.op === "Add") return add(...value.args.map(size));
  if (value.op === "Mul") return product(value.args.map(size));
  return atom({ kind: "size", expr: value });
}
/** Returns a new loop variable. */
export const axis = (name: string, extent: Index): Axis => ({ kind: "axis", name, extent });

/** Returns the value of an index without atoms, else undefined. */
export const fixedValue = (index: Index): number | undefined =>
  index.terms.length === 0 ? index.constant : undefined;
export const isZero = (index: Index): boolean => index.terms.length === 0 && index.constant === 0;
/**
 * Returns whether two indices are equal for all values of their axes and sizes.
 */
export const same = (a: Index, b: Index): boolean => a === b || a.text === b.text;

function normal(terms: readonly IndexTerm[], sum: number): Index {
  // A factor may have made -0 of 0.
  const whole = sum + 0;
  if (terms.length === 0) return constant(whole);
  return { terms, constant: whole, text: indexText(terms, whole) };
}

function collect(terms: Iterable<IndexTerm>, whole: number): Index {
  const byAtoms = new Map<string, IndexTerm>();
  for (const term of terms) {
    const key = atomsText(term.atoms);
    const known = byAtoms.get(key);
    const coefficient = (known?.coefficient ?? 0) + term.coefficient;
    if (coefficient === 0) byAtoms.delete(key);
    else byAtoms.set(key, known === undefined ? term : { coefficient, atoms: term.atoms });
  }
  const sorted = [...byAtoms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term);
  return rejoined(sorted, whole) ?? normal(sorted, whole);
}

/** With one `c*d*(n / d) + c*(n % d)` merged to `c*n`; undefined if there is none. */
function rejoined(terms: readonly IndexTerm[], whole: number): Index | undefined {
  for (const low of terms) {
    for (const item of low.atoms) {
      if (item.kind !== "remainder") continue;
      const others = { coefficient: low.coefficient, atoms: low.atoms.filter((other) => other !== item) };
      const wanted = multiply(
        multiply(divide(item.numerator, item.denominator), item.denominator),
        termIndex(others),
      );
      const [high] = wanted.terms;
      if (wanted.terms.length !== 1 || wanted.constant !== 0) continue;
      const key = atomsText(high!.atoms);
      const pair = terms.find(
        ({ coefficient, atoms }) => coefficient === high!.coefficient && atomsText(atoms) === key,
      );
      if (pair === undefined) continue;
      const rest = terms.filter((term) => term !== low && term !== pair);
      return add(normal(rest, whole), multiply(item.numerator, termIndex(others)));
    }
  }
  return undefined;
}
const termIndex = (term: IndexTerm): Index =>
  term.atoms.length === 0 ? constant(term.coefficient) : normal([term], 0);

/** Returns the sum of indices. */
export function add(...items: readonly Index[]): Index {
  let total = 0;
  const terms: IndexTerm[] = [];
  let last: Index | undefined;
  for (const item of items) {
    total += item.constant;
    if (item.terms.length === 0) continue;
    terms.push(...item.terms);
    last = last === undefined ? item : null!;
  }
  if (terms.length === 0) return constant(total);
  if (last && last.constant === total) return last;
  return collect(terms, total);
}

/** Returns an index multiplied by an integer. */
export function scale(index: Index, factor: number): Index {
  if (factor === 0) return ZERO;
  if (factor === 1) return index;
  const terms = index.terms.map(({ coefficient, atoms }) => ({ coefficient: coefficient * factor, atoms }));
  return normal(terms, index.constant * factor);
}
export const subtract = (a: Index, b: Index): Index => (same(a, b) ? ZERO : add(a, scale(b, -1)));

/** Returns the product of two indices. */
export function multiply(a: Index, b: Index): Index {
  if (a.terms.length === 0) return scale(b, a.constant);
  if (b.terms.length === 0) return scale(a, b.constant);
  const terms: IndexTerm[] = [];
  for (const x of [...a.terms, { coefficient: a.constant, atoms: [] }]) {
    for (const y of [...b.terms, { coefficient: b.constant, atoms: [] }]) {
      const coefficient = x.coefficient * y.coefficient;
      if (coefficient === 0 || x.atoms.length + y.atoms.length === 0) continue;
      terms.push({ coefficient, atoms: [...x.atoms, ...y.atoms].sort(byText) });
    }
  }
  return collect(terms, a.constant * b.constant);
}
const byText = (a: IndexAtom, b: IndexAtom): number => (atomText(a) < atomText(b) ? -1 : 1);

/** Returns the product of indices; 1 for none. */
export const product = (items: readonly Index[]): Index => items.reduce(multiply, ONE);

/**
 * Returns the smallest and largest value that an index provably takes; undefined without a proof.
 */
export function boundsOf(index: Index): {
  readonly min: number | undefined;
  readonly max: number | undefined;
} {
  let min: number | undefined = index.constant;
  let max: number | undefined = index.constant;
  for (const { coefficient, atoms } of index.terms) {
    let top: number | undefined = 1;
    let bottom = 1;
    for (const item of atoms) {
      const range = atomBounds(item);
      if (range.min === undefined || range.min < 0) return { min: undefined, max: undefined };
      bottom *= range.min;
      top = top === undefined || range.max === undefined ? undefined : top * range.max;
    }
    const low = coefficient > 0 ? bottom : top;
    const high = coefficient > 0 ? top : bottom;
    min = min === undefined || low === undefined ? undefined : min + coefficient * low;
    max = max === undefined || high === undefined ? undefined : max + coefficient * high;
  }
  return { min, max };
}

function atomBounds(item: IndexAtom): { min: number | undefined; max: number | undefined } {
  switch (item.kind) {
    case "axis":
      return { min: 0, max: below(item.extent) };
    case "value":
      return { min: 0, max: below(item.bound) };
    case "size":
      return { min: 0, max: undefined };
    case "remainder":
      return { min: 0, max: below(item.denominator) };
    case "quotient": {
      const { min, max } = boundsOf(item.numerator);
      const by = fixedValue(item.denominator);
      if (min === undefined || min < 0) return { min: undefined, max: undefined };
      return {
        min: by === undefined ? 0 : Math.floor(min / by),
        max: max === undefined ? undefined : by === undefined ? max : Math.floor(max / by),
      };
    }
  }
}
function below(extent: Index): number | undefined {
  const { max } = boundsOf(extent);
  return max === undefined ? undefined : Math.max(0, max - 1);
}

/** Returns whether `0 <= index < limit` holds for every value of the axes. */
export function isWithin(index: Index, limit: Index): boolean {
  const { min, max } = boundsOf(index);
  if (min === undefined || min < 0) return false;
  const fixed = fixedValue(limit);
  if (fixed !== undefined && max !== undefined) return max < fixed;
  const highest = atHighest(index);
  if (highest === undefined) return false;
  const room = subtract(limit, add(highest, ONE));
  const least = boundsOf(room).min;
  return least !== undefined && least >= 0;
}

/**
 * Returns the index with every axis at its last value; undefined if an axis counts downwards or is
 * not linear.
 */
function atHighest(index: Index): Index | undefined {
  let total = constant(index.constant);
  for (const { coefficient, atoms } of index.terms) {
    let factor = constant(coefficient);
    for (const item of atoms) {
      const top = highestOf(item);
      if (top === undefined || (coefficient < 0 && item.kind !== "size")) return undefined;
      factor = multiply(factor, top);
    }
    total = add(total, factor);
  }
  return total;
}
function highestOf(item: IndexAtom): Index | undefined {
  if (item.kind === "axis") return subtract(item.extent, ONE);
  if (item.kind === "value") return subtract(item.bound, ONE);
  if (item.kind === "size") return atom(item);
  if (item.kind === "remainder") return subtract(item.denominator, ONE);
  const { max } = boundsOf(atom(item));
  return max === undefined ? undefined : constant(max);
}

/** Returns the term divided by the divisor when that is exact, else undefined. */
function termOver(term: IndexTerm, divisor: IndexTerm): IndexTerm | undefined {
  if (term.coefficient % divisor.coefficient !== 0) return undefined;
  const rest = [...term.atoms];
  for (const item of divisor.atoms) {
    const key = atomText(item);
    const at = rest.findIndex((other) => atomText(other) === key);
    if (at < 0) return undefined;
    rest.splice(at, 1);
  }
  return { coefficient: term.coefficient / divisor.coefficient, atoms: rest };
}

/** `index = whole * divisor + rest`, with as much in `whole` as divides term by term. */
function split(index: Index, divisor: Index): { whole: Index; rest: Index } {
  const by = asTerm(divisor);
  if (by === undefined)
    return same(index, divisor) ? { whole: ONE, rest: ZERO } : { whole: ZERO, rest: index };
  const whole: IndexTerm[] = [];
  const rest: IndexTerm[] = [];
  let unit = 0;
  for (const term of index.terms) {
    const over = termOver(term, by);
    if (over === undefined) rest.push(term);
    else if (over.atoms.length === 0) unit += over.coefficient;
    else whole.push(over);
  }
  let left = index.constant;
  if (by.atoms.length === 0) {
    const quotient = Math.floor(left / by.coefficient);
    unit += quotient;
    left -= quotient * by.coefficient;
  }
  return { whole: collect(whole, unit), rest: collect(rest, left) };
}
function asTerm(index: Index): IndexTerm | undefined {
  if (index.terms.length === 0) return { coefficient: index.constant, atoms: [] };
  return index.terms.length === 1 && index.constant === 0 ? index.terms[0] : undefined;
}

/**
 * `floor(index / divisor)` for a positive divisor; 0 for a divisor of 0, in which no place lies.
 */
export function divide(index: Index, divisor: Index): Index {
  const by = fixedValue(divisor);
  if (by === 0) return ZERO;
  if (by === 1 || isZero(index)) return index;
  const { whole, rest } = split(index, divisor);
  if (isZero(rest) || isWithin(rest, divisor)) return whole;
  return add(whole, quotientOf(rest, divisor));
}
function quotientOf(rest: Index, divisor: Index): Index {
  const common = by(rest, divisor);
  const numerator = common === 1 ? rest : scaleDown(rest, common);
  const denominator = common === 1 ? divisor : scaleDown(divisor, common);
  const inner = numerator.constant === 0 && numerator.terms.length === 1 ? numerator.terms[0]! : undefined;
  const only = inner?.coefficient === 1 && inner.atoms.length === 1 ? inner.atoms[0]! : undefined;
  if (only?.kind === "quotient") return divide(only.numerator, multiply(only.denominator, denominator));
  if (fixedValue(denominator) === 1) return numerator;
  if (isWithin(numerator, denominator)) return ZERO;
  const parted = coarsened(numerator, denominator);
  if (parted !== undefined) return divide(parted.coarse, parted.divisor);
  return atom({ kind: "quotient", numerator, denominator });
}

interface Coarsened {
  readonly coarse: Index;
  readonly divisor: Index;
  readonly fine: Index;
  readonly step: number;
}
/**
 * `index = step * coarse + fine` with `0 <= fine < step`, where the step divides the divisor too:
 * only `coarse` is to divide.
 */
function coarsened(index: Index, divisor: Index): Coarsened | undefined {
  const whole = asTerm(divisor)?.coefficient ?? 1;
  const steps = new Set(index.terms.map(({ coefficient }) => gcd(coefficient, whole)));
  for (const step of [...steps].sort((a, b) => b - a)) {
    if (step === 1) return undefined;
    const isCoarse = ({ coefficient }: IndexTerm): boolean => coefficient % step === 0;
    const low = index.constant - Math.floor(index.constant / step) * step;
    const fine = normal(
      index.terms.filter((term) => !isCoarse(term)),
      low,
    );
    if (!isWithin(fine, constant(step))) continue;
    const coarse = normal(index.terms.filter(isCoarse), index.constant - low);
    return { coarse: scaleDown(coarse, step), divisor: scaleDown(divisor, step), fine, step };
  }
  return undefined;
}
/**
 * Returns the greatest common factor of all coefficients; the constant may be rounded down, as
 * floor division allows.
 */
function by(index: Index, divisor: Index): number {
  const fixed = fixedValue(divisor);
  if (fixed === undefined) return 1;
  return Math.abs(index.terms.reduce((common, { coefficient }) => gcd(common, coefficient), fixed));
}
const gcd = (a: number, b: number): number => (b === 0 ? Math.abs(a) : gcd(b, a % b));
const scaleDown = (index: Index, factor: number): Index =>
  normal(
    index.terms.map(({ coefficient, atoms }) => ({ coefficient: coefficient / factor, atoms })),
    Math.floor(index.constant / factor),
  );

/** `index - floor(index / divisor) * divisor` for a positive divisor; 0 for a divisor of 0. */
export function remainder(index: Index, divisor: Index): Index {
  const whole = fixedValue(divisor);
  if (whole === 0 || whole === 1) return ZERO;
  const { rest } = split(index, divisor);
  if (isZero(rest) || isWithin(rest, divisor)) return rest;
  const common = by(rest, divisor);
  if (common > 1 && rest.constant % common === 0)
    return scale(remainder(scaleDown(rest, common), scaleDown(divisor, common)), common);
  const parted = coarsened(rest, divisor);
  if (parted !== undefined)
    return add(scale(remainder(parted.coarse, parted.divisor), parted.step), parted.fine);
  const only = rest.constant === 0 && rest.terms.length === 1 ? rest.terms[0]! : undefined;
  const inner = only?.coefficient === 1 && only.atoms.length === 1 ? only.atoms[0]! : undefined;
  if (inner?.kind === "remainder" && isZero(split(inner.denominator, divisor).rest))
    return remainder(inner.numerator, divisor);
  return atom({ kind: "remainder", numerator: rest, denominator: divisor });
}

/** Returns the index with axes replaced; `scalars` rewrites the indices that tensors hold. */
export function substituteIndex(
  index: Index,
  axes: ReadonlyMap<string, Index>,
  scalars: (scalar: Scalar) => Scalar,
  keyOf: (scalar: Scalar) => string,
): Index {
  if (index.terms.length === 0) return index;
  const swap = (inner: Index): Index => substituteIndex(inner, axes, scalars, keyOf);
  let total = constant(index.constant);
  for (const { coefficient, atoms } of index.terms) {
    let factor = constant(coefficient);
    for (const item of atoms) factor = multiply(factor, swapAtom(item));
    total = add(total, factor);
  }
  return total;

  function swapAtom(item: IndexAtom): Index {
    switch (item.kind) {
      case "axis":
        return axes.get(item.name) ?? atom(item);
      case "size":
        return atom(item);
      case "quotient":
        return divide(swap(item.numerator), swap(item.denominator));
      case "remainder":
        return remainder(swap(item.numerator), swap(item.denominator));
      case "value": {
        const scalar = scalars(item.scalar);
        return atom({ kind: "value", scalar, key: keyOf(scalar), bound: swap(item.bound) });
      }
    }
  }
}

/** Calls `visit` for each atom, those inside quotients and remainders included. */
export function forEachAtom(index: Index, visit: (atom: IndexAtom) => void): void {
  for (const { atoms } of index.terms) {
    for (const item of atoms) {
      visit(item);
      if (item.kind === "quotient" || item.kind === "remainder") {
        forEachAtom(item.numerator, visit);
        forEachAtom(item.denominator, visit);
      }
    }
  }
}

/** Returns whether a tensor names a place that an index depends on. */
export function namesPlaces(index: Index): boolean {
  let found = false;
  forEachAtom(index, ({ kind }) => {
    found ||= kind === "value";
  });
  return found;
}

/** Row-major strides of a shape. */
function stridesOf(shape: readonly Index[]): Index[] {
  const strides = new Array<Index>(shape.length);
  let step = ONE;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step = multiply(step, shape[d]!);
  }
  return strides;
}
/** Returns the row-major place of coordinates in a shape. */
export const flatIndex = (coordinates: readonly Index[], shape: readonly Index[]): Index => {
  const strides = stridesOf(shape);
  return add(ZERO, ...coordinates.map((coordinate, d) => multiply(coordinate, strides[d]!)));
};
/** Returns the coordinates of a row-major place in a shape. */
export function coordinatesOf(flat: Index, shape: readonly Index[]): Index[] {
  const strides = stridesOf(shape);
  return shape.map((extent, d) => {
    const over = divide(flat, strides[d]!);
    return d === 0 ? over : remainder(over, extent);
  });
}
