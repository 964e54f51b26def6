/** @file Sizes of symbols at which changed regions are run. */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { inputCheck } from "@sconce/ops";
import { drawFrom } from "../sampling/random.js";
import { type InputShells, inputShells, sampleSizes } from "../sampling/sample-inputs.js";
import type { Sizes } from "../sampling/sizes.js";

/** Sets of sizes that are drawn. */
const DRAWN = 8;
/** The largest size that is tried because a range ends there or a call names it, and how many such sets there are. */
const [MOST_SIZE, MOST_NEAR] = [4096, 16];

/** Sizes that a program takes. */
export class RegionSizes {
  readonly #program: ExportedProgram;
  readonly #seed: number;
  readonly #drawn = new Map<number, Sizes>();
  readonly #near = new Map<string, readonly Sizes[]>();

  constructor(program: ExportedProgram, seed: number) {
    this.#program = program;
    this.#seed = seed;
  }

  /** Drawn sizes; a few sets come again and again. */
  at(sample: number): Sizes {
    const key = sample % DRAWN;
    const sizes = this.#drawn.get(key) ?? this.#draw(this.#seed * 131 + key);
    this.#drawn.set(key, sizes);
    return sizes;
  }

  /** One symbol after the other at the ends of its range, and at numbers that calls name, plus and minus one. */
  near(literals: readonly number[]): readonly Sizes[] {
    const key = literals.join();
    const sizes = this.#near.get(key) ?? this.#sizesNear(literals);
    this.#near.set(key, sizes);
    return sizes;
  }

  #draw(seed: number): Sizes {
    return known(() => sampleSizes(this.#program, drawFrom(seed))) ?? this.#program.symbolHints;
  }

  #sizesNear(literals: readonly number[]): Sizes[] {
    const shells = known(() => inputShells(this.#program));
    if (shells === undefined) return [];
    const named = literals.filter(Number.isInteger).flatMap((value) => [value - 1, value, value + 1]);
    const found: Sizes[] = [];
    for (const name of shells.symbols) {
      const { min, max } = this.#program.rangeConstraints.get(name) ?? {
        min: 2,
        max: Number.POSITIVE_INFINITY,
      };
      for (const size of new Set([max, min, ...named])) {
        if (size < Math.max(min, 1) || size > Math.min(max, MOST_SIZE)) continue;
        const sizes = new Map([...this.at(0), [name, size]]);
        if (found.length < MOST_NEAR && this.#accepts(shells, sizes)) found.push(sizes);
      }
    }
    return found;
  }

  #accepts(shells: InputShells, sizes: Sizes): boolean {
    const check = inputCheck(this.#program);
    return known(() => check(shells.at(sizes)) ?? true) === true;
  }
}

/** Undefined where there is nothing that the program takes. */
function known<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}
