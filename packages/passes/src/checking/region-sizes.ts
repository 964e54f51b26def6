/** @file Sizes of symbols at which changed regions are run. */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { drawFrom } from "../sampling/random.js";
import { sampleSizes } from "../sampling/sample-inputs.js";
import type { Sizes } from "../sampling/sizes.js";

/** Sets of sizes that are drawn. */
const DRAWN = 8;

/** Sizes that a program takes. */
export class RegionSizes {
  readonly #program: ExportedProgram;
  readonly #seed: number;
  readonly #drawn = new Map<number, Sizes>();

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

  #draw(seed: number): Sizes {
    try {
      return sampleSizes(this.#program, drawFrom(seed));
    } catch (error) {
      // There are no sizes that the program takes.
      if (isSconceError(error)) return this.#program.symbolHints;
      throw error;
    }
  }
}
