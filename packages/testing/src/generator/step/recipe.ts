import type { DType } from "@sconce/tensor";

/** What one input of a generated program is like. */
export interface InputRecipe {
  readonly dtype: DType;
  /** 1 to 4 each; the first is the batch, which all inputs share. */
  readonly shape: readonly number[];
  /** Identifies the input, whatever else changes. */
  readonly key: number;
}

/**
 * One step: a maker, and the numbers that it decides by. Any numbers make a valid step, or none.
 */
export interface StepRecipe {
  readonly maker: number;
  readonly choices: readonly number[];
  /** Identifies the step and its results, whatever else changes. */
  readonly key: number;
  /** Whether a result that nothing reads is an output rather than dead code. */
  readonly live: boolean;
}

/**
 * A program as plain numbers. Everything follows from it, and every recipe gives a valid program:
 * that is what makes shrinking safe, since a recipe with steps left out or numbers made smaller is
 * a recipe.
 */
export interface ProgramRecipe {
  readonly dialect: "TRAINING" | "ATEN";
  /** Whether the batch is symbolic. */
  readonly dynamic: boolean;
  readonly inputs: readonly InputRecipe[];
  readonly steps: readonly StepRecipe[];
  /** Of the elements of inputs, parameters, buffers and constants. */
  readonly seed: number;
}

/** Mixes integers into 32 bits (murmur3's finalizer). */
export function mix(...values: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const value of values) {
    hash = Math.imul(hash ^ value, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}

/** The choices of one step, one after another; past their end they are 0. */
export class Choices {
  readonly #step: StepRecipe;
  #next = 0;
  #slot = 0;

  constructor(step: StepRecipe) {
    this.#step = step;
  }

  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number {
    const value = this.#step.choices[this.#next++] ?? 0;
    return count <= 1 ? 0 : value % count;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  flag(): boolean {
    return this.below(2) === 1;
  }

  /**
   * One of the candidates, by rendezvous hashing: the choice stays the same when others come or go,
   * so that leaving a step out changes nothing but the steps that read its results.
   */
  rendezvous<T extends { readonly id: number }>(candidates: readonly T[]): T | undefined {
    const slot = this.#slot++;
    let best: T | undefined;
    let most = -1;
    for (const candidate of candidates) {
      const score = mix(this.#step.key, slot, candidate.id);
      if (score > most) [best, most] = [candidate, score];
    }
    return best;
  }
}
