/**
 * @file How values lie in memory in a run, where that decides what a program computes: kernels have
 * all values in row-major order.
 */
import {
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  type MetaValue,
  type Node,
  type Value,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { InputLayouts, layOut } from "../memory/input-layouts.js";
import { StridedReads } from "../plan/strided-reads.js";
import { bodiesOf } from "../prepare/bodies.js";
import { type OverlapCheck, overlapCheck } from "./overlaps.js";
import { type OtherLayouts, otherLayouts } from "./size-checks.js";

/** Why the host computes a whole run. */
const OTHER_VIEWS =
  "an input has other strides than the program records, and these strides decide where the program writes";
const UNKNOWN_ORDER = "a call computes in the order of memory, which is not known of its operand";

/** Calls whose results are those of their operands in the order of memory. */
const COMPUTES_IN_ORDER = /^aten\._?linalg_(slog)?det\./;

export interface LayoutsInit {
  /** The program before lowering. */
  readonly original: ExportedProgram;
  readonly program: ExportedProgram;
  readonly operators: OperatorTable;
  /** Whether the lowered program holds only for inputs that lie as it records. */
  readonly needsRecordedLayouts: boolean;
}

/** The layouts of the values of a program. `sizes` are also those of `Givens.layouts`. */
export class Layouts {
  /** What the calls give for inputs that lie in another way than the program records. */
  readonly others: OtherLayouts;
  readonly strided: StridedReads;
  /** The same for the program before lowering, which decides how its results lie. */
  readonly #given: OtherLayouts;
  /** The results of both programs, by their names in the lowered one. */
  readonly #results: ReadonlyMap<string, string>;
  readonly #program: ExportedProgram;
  readonly #overlaps: OverlapCheck | undefined;
  readonly #recorded: InputLayouts | undefined;
  /** Values that calls read in the order of memory. */
  readonly #ordered: readonly string[];

  constructor({ original, program, operators, needsRecordedLayouts }: LayoutsInit) {
    this.#program = program;
    this.strided = new StridedReads(program, operators);
    this.#overlaps = overlapCheck(original, operators);
    this.others = otherLayouts(program, operators);
    this.#given = otherLayouts(original, operators);
    this.#results = sameResults(program, original);
    this.#recorded = needsRecordedLayouts ? new InputLayouts(original) : undefined;
    this.#ordered = orderedOperands(program, operators);
  }

  /** Returns why the host has to compute all of a run, if it does. */
  whyHosted(inputs: readonly Value[], sizes: Bindings): string | undefined {
    if (this.#recorded?.others(inputs, sizes) !== undefined) return OTHER_VIEWS;
    return (
      this.strided.whyHosted(inputs, sizes) ??
      this.#overlaps?.(inputs, sizes) ??
      (this.#isOrderKnown(inputs, sizes) ? undefined : UNKNOWN_ORDER)
    );
  }
  #isOrderKnown(inputs: readonly Value[], sizes: Bindings): boolean {
    if (this.#ordered.length === 0) return true;
    const others = this.others(inputs, sizes);
    return others === undefined || this.#ordered.every((name) => !others.has(name) || others.get(name));
  }

  /**
   * Returns the values of {@link others} for a run that ends: results lie as the program before
   * lowering gives them. What a call is lowered to may give other strides.
   */
  results(inputs: readonly Value[], sizes: Bindings): ReturnType<OtherLayouts> {
    const others = this.others(inputs, sizes);
    const given = others && this.#given(inputs, sizes);
    if (others === undefined || given === undefined) return others;
    const results = new Map(others);
    for (const [name, before] of this.#results) {
      const value = given.get(before);
      if (value instanceof FakeTensor) results.set(name, value);
    }
    return results;
  }

  /**
   * Returns a value of the device as it lies in PyTorch's run; one whose strides are not known as
   * it is.
   */
  laidOut(name: string, value: Tensor, inputs: readonly Value[], sizes: Bindings): Tensor {
    const others = this.others(inputs, sizes);
    const recorded = this.#program.graph.node(name).meta.val;
    const val: MetaValue | undefined = others?.has(name) === true ? others.get(name) : recorded;
    return val instanceof FakeTensor ? layOut(name, value, val.strides, sizes) : value;
  }
}

/**
 * Returns the results that users get, by their names in one program, with those in the other one.
 */
function sameResults(program: ExportedProgram, other: ExportedProgram): ReadonlyMap<string, string> {
  const namesOf = ({ graphSignature }: ExportedProgram): readonly (string | undefined)[] =>
    graphSignature.outputSpecs.flatMap(({ kind, arg }) =>
      kind === "USER_OUTPUT" ? [arg.kind === "constant" ? undefined : arg.name] : [],
    );
  const others = namesOf(other);
  const same = new Map<string, string>();
  for (const [at, name] of namesOf(program).entries()) {
    const before = others[at];
    if (name !== undefined && before !== undefined && !same.has(name)) same.set(name, before);
  }
  return same;
}

/** Returns the tensors that calls of a program read in the order of memory. */
function orderedOperands({ graph }: ExportedProgram, operators: OperatorTable): readonly string[] {
  const names = new Set<string>();
  const known: KnownBodies = new Map();
  for (const node of graph.nodes()) {
    if (!computesInOrder(node, graph, operators, known)) continue;
    forEachInput(node, (name) => void (graph.node(name).meta.val instanceof FakeTensor && names.add(name)));
  }
  return [...names];
}

/** Whether a body has a call that computes in order: several calls may run one. */
type KnownBodies = Map<Graph, boolean>;

/**
 * Returns whether a call, or one in its bodies, gives other results for operands in another order.
 */
function computesInOrder(node: Node, graph: Graph, operators: OperatorTable, known: KnownBodies): boolean {
  const { op, target } = node;
  if (op !== "call_function") return false;
  if (COMPUTES_IN_ORDER.test(target)) return true;
  if (operators.get(target)?.tags.includes("nondeterministic_seeded") === true) return true;
  if (!target.startsWith("higher_order.")) return false;
  return bodiesOf(node, graph).some((body) => {
    const isOrdered =
      known.get(body) ?? body.nodes().some((inner) => computesInOrder(inner, body, operators, known));
    known.set(body, isOrdered);
    return isOrdered;
  });
}
