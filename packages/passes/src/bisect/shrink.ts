/**
 * @file Makes a failing program small: delta debugging (Zeller and Hildebrandt, 2002) on its calls,
 * then on its results.
 */

import type { Work } from "@sconce/errors";
import { forEachInput, type Graph, type ProgramRunner } from "@sconce/ir";
import { Parts, type Reproducer, withExamples } from "./subprogram.js";

export interface ShrinkOptions {
  readonly run: ProgramRunner | undefined;
  /** Whether it still fails as it did. */
  readonly fails: (candidate: Reproducer) => Work<boolean>;
  /** A node near the failure, where known. */
  readonly near: string | undefined;
  /** Most programs tried. */
  readonly maxTries: number;
  /** Called with the calls of each smaller program that fails. */
  readonly smaller: (calls: number) => void;
}

/** Returns the smallest program found that still fails; the one given where no part of it does. */
export function shrink(whole: Reproducer, options: ShrinkOptions): Work<Reproducer> {
  return new Shrinker(whole, options).shrink();
}

class Shrinker {
  readonly #whole: Reproducer;
  readonly #options: ShrinkOptions;
  readonly #parts: Parts;
  #calls: readonly string[];
  #best: Reproducer;
  #left: number;

  constructor(whole: Reproducer, options: ShrinkOptions) {
    this.#whole = whole;
    this.#options = options;
    this.#parts = new Parts(options.run, whole);
    this.#calls = this.#parts.calls.map(({ name }) => name);
    this.#best = withExamples(whole);
    this.#left = options.maxTries;
  }

  *shrink(): Work<Reproducer> {
    yield* this.#focus();
    for (let size = Math.ceil(this.#calls.length / 2); size >= 1; ) {
      const smaller = yield* this.#removeChunks(size);
      if (size === 1 && !smaller) break;
      size = Math.max(1, Math.min(size >> 1, this.#calls.length >> 1));
    }
    yield* this.#dropResults();
    return this.#best;
  }

  /** Nodes within growing distances of the failure: mostly a few of them fail already. */
  *#focus(): Work<void> {
    const { near } = this.#options;
    const { graph } = this.#whole.program;
    if (near === undefined || graph.find(near) === undefined) return;
    for (let radius = 0; radius <= 8; radius = radius === 0 ? 1 : radius * 2)
      if (yield* this.#try(within(graph, near, radius))) return;
  }

  /** Takes chunks away, from the end on; whether one could be. */
  *#removeChunks(size: number): Work<boolean> {
    let removed = false;
    for (let end = this.#calls.length; end > 0; end -= size) {
      const start = Math.max(0, end - size);
      const rest = this.#calls.filter((_, i) => i < start || i >= end);
      if (yield* this.#try(new Set(rest))) removed = true;
    }
    return removed;
  }

  *#dropResults(): Work<void> {
    const without = new Set<string>();
    const results = this.#best.program.graphSignature.outputSpecs.map(({ arg }) => arg.name);
    for (const name of results)
      if (yield* this.#try(new Set(this.#calls), new Set([...without, name]))) without.add(name);
  }

  *#try(calls: ReadonlySet<string>, without?: ReadonlySet<string>): Work<boolean> {
    if (this.#left <= 0) return false;
    const candidate = this.#parts.take(calls, without);
    if (candidate === undefined) return false;
    this.#left--;
    if (!(yield* this.#options.fails(candidate))) return false;
    this.#best = candidate;
    this.#calls = this.#calls.filter((name) => candidate.program.graph.find(name)?.op === "call_function");
    this.#options.smaller(this.#calls.length);
    return true;
  }
}

/** Calls at most so many steps from a node, either way. */
function within(graph: Graph, start: string, radius: number): Set<string> {
  const near = new Set([start]);
  let edge = [start];
  for (let step = 0; step < radius; step++) {
    const next: string[] = [];
    const visit = (name: string): void => {
      if (near.has(name) || graph.node(name).op !== "call_function") return;
      near.add(name);
      next.push(name);
    };
    for (const name of edge) {
      forEachInput(graph.node(name), visit);
      for (const user of graph.users(name)) visit(user.name);
    }
    edge = next;
  }
  return near;
}
