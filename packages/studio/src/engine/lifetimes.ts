/**
 * @file How long the interpreter keeps each value of a run: from the call that computes it to the
 * last one that uses it.
 */
import { createRunner } from "@sconce/backend-cpu";
import { deadAfter, type ExportedProgram, forEachInput, type PlannedValue, type Value } from "@sconce/ir";
import { tensorsOf } from "@sconce/ir/text";
import { type Storage, Tensor } from "@sconce/tensor";

/** A value with its bytes, and the calls between which it is kept. */
interface Lifetime {
  readonly node: string;
  readonly bytes: number;
  readonly from: number;
  to: number;
}

/** The values of a run on the interpreter. */
export interface Lifetimes {
  /** Number of calls, in the order of the run. */
  readonly calls: number;
  /** Places are for a drawing alone: the interpreter has no plan of addresses. */
  readonly values: readonly PlannedValue[];
}

/**
 * Runs a program on the interpreter, and returns the values that it computes. Inputs and weights
 * are not among them, nor what a call keeps to itself. Views belong to the value that they show.
 */
export function lifetimesOf(program: ExportedProgram, inputs: readonly Value[]): Lifetimes {
  const nodes = [...program.graph.nodes()].filter(({ op }) => op !== "placeholder" && op !== "output");
  const output = [...program.graph.nodes()].filter(({ op }) => op === "output");
  const positions = new Map(nodes.map(({ name }, at) => [name, at]));
  const values: Lifetime[] = [];
  /** Whose bytes a node holds. */
  const held = new Map<string, Lifetime[]>();
  // The bytes are not kept: the run frees them.
  const known = new WeakMap<Storage, Lifetime | "given">();
  for (const { storage } of tensorsOf(program).values()) known.set(storage, "given");
  for (const input of inputs) eachTensor(input, ({ storage }) => known.set(storage, "given"));
  createRunner()(program, inputs, ({ name }, value) => {
    const from = positions.get(name);
    if (from === undefined) return;
    eachTensor(value, ({ storage }) => {
      let one = known.get(storage);
      if (one === undefined && storage.byteLength > 0) {
        one = { node: name, bytes: storage.byteLength, from, to: from };
        known.set(storage, one);
        values.push(one);
      }
      if (one === undefined || one === "given") return;
      held.set(name, [...(held.get(name) ?? []), one]);
    });
  });
  const results = new Set<string>();
  for (const node of output) forEachInput(node, (name) => results.add(name));
  const dead = deadAfter<string>(
    nodes.length,
    (at, use) => {
      forEachInput(nodes[at]!, use);
      use(nodes[at]!.name);
    },
    results,
  );
  const extend = (name: string, to: number): void => {
    for (const one of held.get(name) ?? []) one.to = Math.max(one.to, to);
  };
  for (const [at, names] of dead.entries()) for (const name of names) extend(name, at);
  for (const name of results) extend(name, nodes.length - 1);
  return { calls: nodes.length, values: placed(values) };
}

function eachTensor(value: unknown, take: (tensor: Tensor) => void): void {
  if (value instanceof Tensor) take(value);
  else if (Array.isArray(value)) for (const item of value) eachTensor(item, take);
}

/** Gives each value the lowest place that is free while it is kept, in the order of the run. */
function placed(values: readonly Lifetime[]): PlannedValue[] {
  let alive: PlannedValue[] = [];
  return [...values]
    .sort((a, b) => a.from - b.from)
    .map((value) => {
      alive = alive.filter(({ to }) => to >= value.from);
      let offset = 0;
      let at = 0;
      for (; at < alive.length && alive[at]!.offset - offset < value.bytes; at++)
        offset = Math.max(offset, alive[at]!.offset + alive[at]!.bytes);
      const one: PlannedValue = { ...value, piece: 0, offset };
      // From the lowest place to the highest.
      alive.splice(at, 0, one);
      return one;
    });
}
