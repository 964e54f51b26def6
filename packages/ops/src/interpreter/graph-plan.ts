/**
 * @file A graph prepared for execution: names become slots, literals are separated from
 * references, values are released after their last use.
 */
import { eachInPieces, finish, internalError, type Work } from "@sconce/errors";
import {
  type Argument,
  deathSteps,
  forEachInput,
  type Graph,
  isRef,
  type Node,
  type UsesOf,
} from "@sconce/ir";
import { noOutput, noSubgraph, undefinedNode } from "./errors.js";
import type { CallArgument, NestedGraph, NodeArgument } from "./values.js";

/** One node with its inputs by slot. */
export interface Step {
  readonly node: Node;
  readonly slot: number;
  readonly args: readonly Template[];
  readonly kwargs: readonly (readonly [name: string, value: Template])[];
  /** The nested graph that a `get_attr` reads. */
  readonly subgraph: GraphPlan | undefined;
  /** Slots whose values nothing reads after this step. */
  readonly dead: readonly number[];
}

/** A step whose last uses are not known yet. */
type StepDraft = Omit<Step, "dead"> & { dead: Step["dead"] };

/** A graph as steps over slots; nested graphs are values of this kind. */
export interface GraphPlan extends NestedGraph {
  readonly slots: number;
  /** The placeholders. */
  readonly inputs: readonly Step[];
  readonly steps: readonly Step[];
  readonly output: Step;
}

/** An argument: the slot of a value, a list with slots in it, or a literal. */
export type Template =
  | { readonly kind: "slot"; readonly slot: number }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "literal"; readonly value: CallArgument };

/** Values by slot. Nested graphs are values too, as plans. */
export type Frame<T> = NodeArgument<T>[];

/** Plans a graph and all graphs inside of it. */
export const planGraph = (graph: Graph): GraphPlan => finish(planSteps(graph));

/** As {@link planGraph}, in pieces; `name` is what the outer graph calls the graph. */
export function* planSteps(graph: Graph, name = ""): Work<GraphPlan> {
  const nested = yield* planNested(graph);
  const slotOf = new Map<string, number>();
  const steps: StepDraft[] = [];
  const inputs: Step[] = [];
  // Assigned in a function that the compiler does not follow.
  let output = undefined as StepDraft | undefined;
  yield* eachInPieces(graph.nodes(), (node) => {
    const slot = slotOf.size;
    const template = (value: Argument): Template => templateOf(value, slotOf, node);
    const step = draftOf(node, slot, template, nested);
    if (node.op === "output") {
      output = step;
      return;
    }
    (node.op === "placeholder" ? inputs : steps).push(step);
    slotOf.set(node.name, slot);
  });
  if (output === undefined) throw noOutput();
  const results: number[] = [];
  forEachInput(output.node, (name) => results.push(slotOf.get(name)!));
  const uses: UsesOf<number> = (at, use) => {
    const { node, slot } = steps[at]!;
    forEachInput(node, (name) => use(slotOf.get(name)!));
    use(slot);
  };
  const dead = yield* deathSteps(steps.length, uses, results);
  yield* eachInPieces(steps, (step, at) => {
    step.dead = dead[at]!;
  });
  return { graph, name, slots: slotOf.size, inputs, steps, output };
}

/** Returns the plans of the nested graphs that are read, by name. */
function* planNested(graph: Graph): Work<ReadonlyMap<string, GraphPlan>> {
  const plans = new Map<string, GraphPlan>();
  if (graph.subgraphs.size === 0) return plans;
  for (const { op, target } of graph.nodes()) {
    const nested = op === "get_attr" && !plans.has(target) ? graph.subgraphs.get(target) : undefined;
    if (nested !== undefined) plans.set(target, yield* planSteps(nested, target));
  }
  return plans;
}

function draftOf(
  node: Node,
  slot: number,
  template: (value: Argument) => Template,
  nested: ReadonlyMap<string, GraphPlan>,
): StepDraft {
  const subgraph = node.op === "get_attr" ? nested.get(node.target) : undefined;
  if (node.op === "get_attr" && subgraph === undefined) throw noSubgraph(node);
  return {
    node,
    slot,
    args: node.args.map(template),
    kwargs: Object.entries(node.kwargs).map(([key, value]) => [key, template(value)] as const),
    subgraph,
    dead: [],
  };
}

function templateOf(value: Argument, slotOf: ReadonlyMap<string, number>, user: Node): Template {
  if (isRef(value)) {
    const slot = slotOf.get(value.name);
    if (slot === undefined) throw undefinedNode(value.name, user);
    return { kind: "slot", slot };
  }
  const items = Array.isArray(value) ? (value as readonly Argument[]) : itemsOfTuple(value);
  if (items === undefined) return { kind: "literal", value };
  const parts = items.map((item) => templateOf(item, slotOf, user));
  if (parts.some((part) => part.kind !== "literal")) return { kind: "list", items: parts };
  return { kind: "literal", value: parts.map((part) => (part as { value: CallArgument }).value) };
}

function itemsOfTuple(value: Argument): readonly Argument[] | undefined {
  const tagged = value as { kind?: string; items?: readonly Argument[] } | null;
  return typeof value === "object" && tagged?.kind === "tuple" ? tagged.items : undefined;
}

/** Returns the value of an argument in a frame. */
export function resolve<T>(template: Template, frame: Frame<T>): NodeArgument<T> {
  switch (template.kind) {
    case "slot":
      return frame[template.slot];
    case "literal":
      return template.value as CallArgument<T>;
    case "list":
      return template.items.map((item) => resolve(item, frame) as CallArgument<T>);
  }
}

/** Returns the step of a node. */
export function stepOf({ name }: Node, { inputs, steps, output }: GraphPlan): Step {
  const step = [...inputs, ...steps, output].find(({ node }) => node.name === name);
  if (step === undefined) throw internalError(`"${name}" is not a node of the running graph`);
  return step;
}
