/** @file Values for the symbols of a program's inputs. */
import { type ExportedProgram, FakeTensor, type MetaValue, type RangeConstraint } from "@sconce/ir";
import type { Leaf } from "@sconce/ops";
import { evaluateInt, freeSymbols, type IntLike, printExpr, solveLinear } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import type { Draw } from "./random.js";

/** Values of symbols by name. */
export type Sizes = ReadonlyMap<string, number>;

/** The largest size drawn for a symbol without an upper bound and without an example. */
const DEFAULT_SIZE = 6;

/** Returns every symbolic size of the inputs, and every symbolic integer given as an input. */
function sizesOf(program: ExportedProgram, leaves: readonly Leaf[]): IntLike[] {
  return leaves.flatMap((leaf) => sizesOfValue(program.graph.node(leaf.name).meta.val));
}

function sizesOfValue(val: MetaValue | undefined): readonly IntLike[] {
  if (val instanceof FakeTensor) return val.shape;
  return typeof val === "object" && val !== null && "kind" in val && val.kind === "SymInt" ? [val.expr] : [];
}

/** Twice as much, except where that would make samples slow to run. */
const twice = (size: number): number => Math.max(size, Math.min(2 * size, 64));

/** Names of the symbols in the inputs, in order of appearance. */
export function inputSymbols(program: ExportedProgram, leaves: readonly Leaf[]): string[] {
  const names = new Set<string>();
  for (const size of sizesOf(program, leaves)) for (const name of freeSymbols(size).keys()) names.add(name);
  return [...names];
}

/**
 * Returns the sizes that the program was exported with, as far as its hints and example inputs show
 * them.
 */
export function exampleSizes(
  program: ExportedProgram,
  leaves: readonly Leaf[],
  examples: readonly unknown[],
): Map<string, number> {
  const known = new Map(program.symbolHints);
  leaves.forEach((leaf, i) => {
    const example = examples[i];
    const given = example instanceof Tensor ? example.shape : [Number(example)];
    sizesOfValue(program.graph.node(leaf.name).meta.val).forEach((size, d) => {
      const [name, ...others] = freeSymbols(size).keys();
      if (name === undefined || others.length > 0 || known.has(name)) return;
      const value = Number.isInteger(given[d]) ? solveLinear(size, given[d]!)?.value : undefined;
      if (value !== undefined) known.set(name, value);
    });
  });
  return known;
}

/**
 * Draws a value for each symbol: often the example's or the least, else one up to about twice the
 * example's. A dynamic size is at least 2 where its range allows it, as when its program was
 * traced.
 */
export function drawSizes(
  program: ExportedProgram,
  symbols: readonly string[],
  examples: Sizes,
  draw: Draw,
): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const name of symbols) {
    const { min, max } = program.rangeConstraints.get(name) ?? { min: 2, max: Number.POSITIVE_INFINITY };
    const low = Math.min(Math.max(min, 2), max);
    const example = examples.get(name);
    const high = Math.min(max, Math.max(low + 1, example === undefined ? DEFAULT_SIZE : twice(example)));
    const kind = draw.integer(0, 3);
    sizes.set(
      name,
      kind === 0 && example !== undefined ? example : kind === 1 ? low : draw.integer(low, high),
    );
  }
  return sizes;
}

/**
 * Returns whether all sizes, compound ones included, are nonnegative and within the program's
 * ranges.
 */
export function withinRanges(program: ExportedProgram, leaves: readonly Leaf[], sizes: Sizes): boolean {
  const inside = (value: number, range: RangeConstraint | undefined): boolean =>
    range === undefined ? value >= 0 : value >= range.min && value <= range.max;
  return sizesOf(program, leaves).every((size) => {
    const value = evaluateInt(size, sizes);
    return Number.isInteger(value) && inside(value, program.rangeConstraints.get(printExpr(size)));
  });
}
