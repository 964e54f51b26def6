/**
 * @file Sizes that a program does not take, or at which its values are not those that it records.
 */
import { type LoopProgram, SizeLimits, sizeOf } from "@sconce/codegen";
import {
  type ExportedProgram,
  type FakeTensor,
  type Graph,
  type MetaValue,
  nodePlace,
  type Value,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { SizeChecks, type SizeProblem } from "@sconce/passes";
import { type Bindings, evaluateInt, type IntLike } from "@sconce/symbolic";
import type { Device } from "../device/device.js";
import { InputLayouts } from "../memory/input-layouts.js";
import { isTensor, type RunValue } from "../memory/values.js";
import { callOf, tooLargeFor } from "../plan/large-buffers.js";
import type { Reasons } from "../plan/program-plan.js";
import { HostRun } from "./original-runs.js";

/** Equal for equal sizes. */
export const keyOf = (sizes: Bindings): string =>
  sizes.size === 0
    ? ""
    : [...sizes]
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join();

/** Sets of sizes whose answers are kept. */
const MOST_KNOWN = 64;

/** Answers by sizes, each found once. */
class Known<T> {
  readonly #known = new Map<string, T>();
  /** The sizes of the last answer: runs with the same sizes follow each other. */
  #last: { readonly sizes: Bindings; readonly more: string; readonly answer: T } | undefined;

  /** @param more what the answer depends on besides the sizes */
  at(sizes: Bindings, more: string, find: () => T): T {
    const last = this.#last;
    if (last !== undefined && last.more === more && areSame(last.sizes, sizes)) return last.answer;
    const key = `${keyOf(sizes)} ${more}`;
    if (!this.#known.has(key)) {
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, find());
    }
    const answer = this.#known.get(key)!;
    this.#last = { sizes: new Map(sizes), more, answer };
    return answer;
  }
}

/** Returns whether sizes are equal. Cheaper than keys. */
export function areSame(a: Bindings, b: Bindings): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (b.get(name) !== value) return false;
  return true;
}

/** Why a program does not hold at given sizes, in words; undefined where it does. */
export type SizeCheck = (sizes: Bindings) => string | undefined;

/** Compares the values that a program records with those that its calls give. */
export function sizeCheck(program: ExportedProgram, operators: OperatorTable): SizeCheck {
  const checks = new SizeChecks(program, operators);
  const known = new Known<string | undefined>();
  const ask = (sizes: Bindings): string | undefined => {
    const problem = checks.at(sizes);
    return problem && reasonOf(problem, sizes);
  };
  return (sizes) => (checks.holdAt(sizes) ? undefined : known.at(sizes, "", () => ask(sizes)));
}
function reasonOf({ node, error }: SizeProblem, sizes: Bindings): string {
  const at = [...sizes].map(([name, size]) => `${name} = ${size}`).join(", ");
  const what = error === undefined ? "is not what the program records" : "is refused";
  return `at ${at}, %${node.name} ${what}`;
}

/**
 * Throws what the calls of a program throw for sizes that they do not take, or for strides of which
 * they have no view, before any of them is computed.
 *
 * @throws SconceError that of the shape rule, with the node
 * @throws HostRun where a call gives another value than the program records, and where an assertion
 * before it may fail first
 */
export type SizeRequirement = (inputs: readonly Value[], sizes: Bindings) => void;

export function sizeRequirement(program: ExportedProgram, operators: OperatorTable): SizeRequirement {
  const [checks, layouts] = [new SizeChecks(program, operators), new InputLayouts(program)];
  const known = new Known<SizeProblem | undefined>();
  const nodes = program.graph.nodes();
  const isAsserted = ({ node }: SizeProblem): boolean =>
    nodes.slice(0, nodes.indexOf(node)).some(({ target }) => ASSERTION.test(target));
  return (inputs, sizes) => {
    const others = layouts.others(inputs, sizes);
    if (others === undefined && checks.holdAt(sizes)) return;
    const problem = known.at(sizes, stridesOf(others), () => checks.at(sizes, others));
    if (problem?.error !== undefined && !isAsserted(problem)) throw problem.error.at(nodePlace(problem.node));
    // What is lowered is made of the recorded values.
    if (problem !== undefined) throw new HostRun(reasonOf(problem, sizes));
  };
}

/** Calls that may refuse a run before others do. */
const ASSERTION = /^aten\._assert_(scalar|async)\b/;

/**
 * What calls give that read inputs with other strides than the program records, by name; undefined
 * for inputs as recorded. A value is undefined where no shape rule gives it.
 */
export type OtherLayouts = (
  inputs: readonly Value[],
  sizes: Bindings,
) => ReadonlyMap<string, MetaValue | undefined> | undefined;

export function otherLayouts(program: ExportedProgram, operators: OperatorTable): OtherLayouts {
  const layouts = new InputLayouts(program);
  const known = new Known<ReadonlyMap<string, MetaValue | undefined>>();
  let checks: SizeChecks | undefined;
  return (inputs, sizes) => {
    const others = layouts.others(inputs, sizes);
    if (others === undefined) return undefined;
    return known.at(sizes, stridesOf(others), () => {
      checks ??= new SizeChecks(program, operators);
      return checks.valuesWith(sizes, others);
    });
  };
}

const stridesOf = (others: ReadonlyMap<string, FakeTensor> = new Map()): string =>
  others.size === 0 ? "" : [...others].map(([name, { strides }]) => `${name}:${strides.join("x")}`).join();

/** The sizes that the loops of a region take. */
export class LoopSizes {
  readonly #loops: LoopProgram;
  readonly #graph: Graph;
  readonly #limits: SizeLimits;
  /** Results that are sizes. */
  readonly #results: readonly IntLike[];

  constructor(loops: LoopProgram, graph: Graph) {
    this.#results = loops.outputs.flatMap((output) => (output.kind === "size" ? [output.value] : []));
    this.#loops = loops;
    this.#graph = graph;
    this.#limits = new SizeLimits(loops);
  }

  /** Returns the calls that a device does not compute at these sizes, with the reasons. */
  refused(sizes: Bindings, device: Device): Map<string, string> {
    const faults = this.#limits.faults(sizes);
    const refused = new Map<string, string>();
    for (const { nodes, reason } of faults)
      for (const name of nodes) refused.set(callOf(name, this.#graph), reason);
    const areValid = !faults.some(({ isInvalid }) => isInvalid);
    const large = areValid ? tooLargeFor(this.#loops, this.#graph, sizes, device) : [];
    for (const [call, reason] of large) refused.set(call, reason);
    return refused;
  }
  /**
   * Returns whether kernels that get their sizes when they run compute all values of indices
   * exactly.
   */
  areNarrow(sizes: Bindings): boolean {
    return this.#limits.areNarrow(sizes);
  }

  /** Returns why all calls are the host's: a result is a size that is not exact. */
  whyInexact(sizes: Bindings): Reasons | undefined {
    const areExact = this.#results.every((size) => Number.isSafeInteger(evaluateInt(size, sizes)));
    return areExact ? undefined : allCalls(this.#graph, "it gives a size of 2^53 or more");
  }
}

/** Returns all calls of a graph, with one reason. */
export const allCalls = (graph: Graph, reason: string): Reasons =>
  new Map(
    graph
      .nodes()
      .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem")
      .map(({ name }) => [name, reason]),
  );

/** Returns whether inputs have the sizes that the program records of them. */
export function haveRecordedSizes(
  { inputs: ids, buffers }: LoopProgram,
  inputs: readonly RunValue[],
  positions: readonly number[],
  sizes: Bindings,
): boolean {
  return positions.every((at) => {
    const value = inputs[at];
    if (!isTensor(value)) return true;
    const { shape } = buffers[ids[at]!]!;
    return (
      shape.length === value.shape.length && shape.every((size, d) => sizeOf(size, sizes) === value.shape[d])
    );
  });
}
