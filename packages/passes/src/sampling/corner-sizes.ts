/**
 * @file Sizes of symbols at which a changed region may differ: ends of their ranges, and those that
 * its numbers name.
 */
import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type MetaValue, type RangeConstraint } from "@sconce/ir";
import { evaluateInt, freeSymbols, type IntLike, type SymExpr, solveLinear } from "@sconce/symbolic";
import type { RegionPair } from "../changes/region-pair.js";
import { sizeCheck } from "./sample-inputs.js";
import type { Sizes } from "./sizes.js";

/** Elements of all values of a region, up to which it is run at other sizes. */
const MOST_ELEMENTS = 50_000;
/** Elements of constants that count as one: each element of a value may meet as many. */
const FREE_CONSTANT = 1000;
const MOST_SIZES = 24;
const ANY_SIZE: RangeConstraint = { min: 2, max: Number.POSITIVE_INFINITY };
const LARGEST_LITERAL = 2 ** 20;
/** How many drawn sizes the other symbols are taken from. */
const DRAWS = 8;

/** Returns sizes for regions of a program; what a program takes is found out once. */
export class CornerSizes {
  readonly #program: ExportedProgram;
  readonly #drawn: (sample: number) => Sizes;
  #accepts: ((sizes: Sizes) => boolean) | undefined;

  constructor(program: ExportedProgram, drawn: (sample: number) => Sizes) {
    this.#program = program;
    this.#drawn = drawn;
  }

  /**
   * Returns the least and the largest size of each symbol, and sizes that are a literal, or one
   * less or more.
   */
  of(pair: RegionPair, literals: readonly number[]): Sizes[] {
    const sizes = symbolicSizes(pair);
    const symbols = [...new Set(sizes.flatMap((size) => [...freeSymbols(size).keys()]))];
    if (symbols.length === 0) return [];
    const isCheap = (at: Sizes): boolean => costOf(pair, at) <= MOST_ELEMENTS;
    const ends = new Map(symbols.map((name) => [name, this.#ends(name, isCheap)]));
    const extremes = [1, 0].map((end) => new Map(symbols.map((name) => [name, ends.get(name)![end]!])));
    const single = symbols.flatMap((name) => ends.get(name)!.map((value): [string, number] => [name, value]));
    const found = new Map<string, Sizes>();
    const add = (over: Iterable<readonly [string, number]>): void => {
      const at = found.size < MOST_SIZES ? this.#accepted([...over], isCheap) : undefined;
      if (at !== undefined) found.set(symbols.map((name) => at.get(name)).join(), at);
    };
    for (const one of extremes) add(one);
    for (const one of [...single.reverse(), ...solutions(sizes, literals)]) add([one]);
    return [...found.values()];
  }

  /** Returns the least size, and the largest at which the region is cheap. */
  #ends(name: string, isCheap: (sizes: Sizes) => boolean): [number, number] {
    const base = this.#drawn(0);
    const known = base.get(name) ?? 2;
    const { low: least, high: max } = this.#rangeOf(name);
    const cheap = (value: number): boolean => isCheap(new Map([...base, [name, value]]));
    let [low, high] = [known, Math.min(max, MOST_ELEMENTS)];
    if (cheap(high)) return [least, high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (cheap(middle)) low = middle;
      else high = middle;
    }
    return [least, low];
  }

  /** A dynamic size is at least 2 where its range allows it, as when its program was traced. */
  #rangeOf(name: string): { readonly low: number; readonly high: number } {
    const { min, max } = this.#program.rangeConstraints.get(name) ?? ANY_SIZE;
    return { low: Math.min(Math.max(min, ANY_SIZE.min), max), high: max };
  }

  /** Sizes with some symbols set, which the program takes; the others are drawn. */
  #accepted(
    over: readonly (readonly [string, number])[],
    isCheap: (sizes: Sizes) => boolean,
  ): Sizes | undefined {
    const isInside = ([name, value]: readonly [string, number]): boolean => {
      const { low, high } = this.#rangeOf(name);
      return value >= low && value <= high;
    };
    if (!over.every(isInside)) return undefined;
    this.#accepts ??= sizeCheck(this.#program);
    for (let draw = 0; draw < DRAWS; draw++) {
      const sizes = new Map([...this.#drawn(draw), ...over]);
      if (isCheap(sizes) && this.#accepts(sizes)) return sizes;
    }
    return undefined;
  }
}

/** Values of symbols with which a size is one of the literals, or one less or more. */
function* solutions(
  sizes: readonly SymExpr[],
  literals: readonly number[],
): Generator<readonly [string, number]> {
  const whole = literals.map(Math.abs).filter((value) => Number.isInteger(value) && value <= LARGEST_LITERAL);
  for (const literal of new Set(whole))
    for (const wanted of [literal + 1, literal, literal - 1])
      for (const size of sizes) {
        const [name] = freeSymbols(size).keys();
        const value = solveLinear(size, wanted)?.value;
        if (name !== undefined && value !== undefined) yield [name, value];
      }
}

/** Returns the different symbolic sizes of all values of a region. */
function symbolicSizes({ before, after }: RegionPair): SymExpr[] {
  const found = new Map<string, SymExpr>();
  const visit = (size: IntLike): void => {
    if (typeof size === "object") found.set(size.key, size);
  };
  for (const { graph } of [before, after])
    for (const { meta } of graph.nodes()) {
      for (const { shape } of tensorsIn(meta.val)) shape.forEach(visit);
      const val = meta.val;
      if (typeof val === "object" && val !== null && "kind" in val && val.kind === "SymInt") visit(val.expr);
    }
  return [...found.values()];
}

const tensorsIn = (val: MetaValue | undefined): readonly FakeTensor[] =>
  val instanceof FakeTensor
    ? [val]
    : Array.isArray(val)
      ? (val as readonly MetaValue[]).flatMap(tensorsIn)
      : [];

/**
 * Elements of all values of a region that are computed or sampled, times those of its large
 * constants.
 */
export function costOf({ before, after, inputs }: RegionPair, sizes: Sizes): number {
  const fixed = new Map(inputs.map(({ name, fixed: value }) => [name, value?.numel]));
  let constants = 0;
  for (const count of fixed.values()) constants = Math.max(constants, count ?? 0);
  let elements = 0;
  for (const { graph } of [before, after])
    for (const { name, op, meta } of graph.nodes())
      if (fixed.get(name) === undefined && (op === "call_function" || graph === before.graph))
        for (const fake of tensorsIn(meta.val)) elements += elementsAt(fake, sizes);
  return elements * Math.max(1, constants / FREE_CONSTANT);
}

function elementsAt({ shape }: FakeTensor, sizes: Sizes): number {
  try {
    return shape.reduce<number>((count, size) => count * evaluateInt(size, sizes), 1);
  } catch (error) {
    // Of a symbol without a value.
    if (isSconceError(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}
