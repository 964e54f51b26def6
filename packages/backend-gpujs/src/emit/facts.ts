/** @file Cached facts about scalars for the kernel writer. */
import {
  boundsOf,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  type LoopProgram,
  partsOf,
  product,
  type Scalar,
} from "@sconce/codegen";
import { EXACT } from "./dialect.js";

/** Calls of a branch that is computed whether it is chosen or not. */
const CHEAP_CALLS = 4;

/** Facts about the scalars of one nest. */
export class ScalarFacts {
  readonly #uses = new Map<Scalar, number>();
  readonly #axes = new Map<Scalar, ReadonlySet<string>>();
  readonly #cost = new Map<Scalar, number>();
  readonly #length: (buffer: number) => number;

  constructor(root: Scalar, length: (buffer: number) => number) {
    this.#length = length;
    const count = (part: Scalar): void => void this.#uses.set(part, (this.#uses.get(part) ?? 0) + 1);
    count(root);
    forEachScalar(root, (scalar) => {
      for (const part of [...partsOf(scalar), ...valuesOf(scalar)]) count(part);
    });
  }

  /** Whether several expressions read the scalar. */
  isShared(scalar: Scalar): boolean {
    return (this.#uses.get(scalar) ?? 0) > 1;
  }

  /** Names of the axes that the value hangs on. */
  axesOf(scalar: Scalar): ReadonlySet<string> {
    let axes = this.#axes.get(scalar);
    if (axes === undefined) {
      const found = new Set<string>();
      for (const part of [...partsOf(scalar), ...valuesOf(scalar)])
        for (const name of this.axesOf(part)) found.add(name);
      for (const index of indicesOf(scalar))
        forEachAtom(index, (item) => {
          if (item.kind === "axis") found.add(item.name);
        });
      axes = found;
      this.#axes.set(scalar, axes);
    }
    return axes;
  }

  /** Whether computing the scalar where it is not wanted does no harm and costs little. */
  isCheap(scalar: Scalar): boolean {
    return this.#costOf(scalar) <= CHEAP_CALLS;
  }
  #costOf(scalar: Scalar): number {
    let cost = this.#cost.get(scalar);
    if (cost === undefined) {
      cost = [...partsOf(scalar), ...valuesOf(scalar)].reduce((sum, part) => sum + this.#costOf(part), 0);
      if (scalar.kind === "call") cost += 1;
      if (scalar.kind === "reduce" || scalar.kind === "select") cost = Number.POSITIVE_INFINITY;
      if (scalar.kind === "load" && !this.#isInside(scalar.index, scalar.buffer))
        cost = Number.POSITIVE_INFINITY;
      this.#cost.set(scalar, cost);
    }
    return cost;
  }

  /** Whether a buffer has more elements than float32 counts exactly. */
  isLong(buffer: number): boolean {
    return this.#length(buffer) > EXACT;
  }
  #isInside(index: Index, buffer: number): boolean {
    const { min, max } = boundsOf(index);
    return min !== undefined && max !== undefined && min >= 0 && max < this.#length(buffer);
  }
}

/** Scalars that are read as indices. */
function valuesOf(scalar: Scalar): Scalar[] {
  const found: Scalar[] = [];
  for (const index of indicesOf(scalar))
    forEachAtom(index, (item) => {
      if (item.kind === "value") found.push(item.scalar);
    });
  return found;
}

/** Elements of each buffer of a program for fixed sizes. */
export function lengthsOf(program: LoopProgram, bind: (index: Index) => Index): (buffer: number) => number {
  const known = new Map<number, number>();
  return (id) => {
    let length = known.get(id);
    if (length === undefined) {
      length = fixedValue(bind(product(program.buffers[id]!.shape))) ?? 0;
      known.set(id, length);
    }
    return length;
  };
}
