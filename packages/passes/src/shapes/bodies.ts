/** @file Nested graphs beside the operands that their calls give them. */
import {
  type Argument,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  typeText,
} from "@sconce/ir";
import { eq, type IntLike, symEquals } from "@sconce/symbolic";

type Given = MetaValue | undefined;

/** The places of the graphs among the arguments of a call, and what it gives each of them. */
interface Bodies {
  readonly at: readonly number[];
  readonly given: (
    args: readonly Argument[],
    values: (arg: Argument | undefined) => readonly Given[],
  ) => readonly Given[];
}

const region = (at: number, from: number): Bodies => ({
  at: [at],
  given: (args, values) => args.slice(from).flatMap((arg) => values([arg])),
});
/** Calls of their first argument with the others. */
export const REGIONS: readonly string[] = [
  ...["wrap", "wrap_activation_checkpoint", "tag_activation_checkpoint", "foreach_map"],
  ...["invoke_quant", "invoke_quant_packed", "local_map_hop"],
].map((name) => `higher_order.${name}`);
const listed: Bodies = { at: [0], given: (args, values) => values(args[1]) };

const LOOP: Bodies = { at: [0, 1], given: (args, values) => [...values(args[2]), ...values(args[3])] };

const BODIES: ReadonlyMap<string, Bodies> = new Map([
  ["higher_order.cond", { at: [1, 2], given: (args, values) => values(args[3]) }],
  [
    "higher_order.map_impl",
    { at: [0], given: (args, values) => [...values(args[1]).map(slice), ...values(args[2])] },
  ],
  ["higher_order.while_loop", LOOP],
  ["higher_order.while_loop_stack_output", LOOP],
  [
    "higher_order.scan",
    {
      at: [0],
      given: (args, values) => [...values(args[1]), ...values(args[2]).map(slice), ...values(args[3])],
    },
  ],
  [
    "higher_order.associative_scan",
    {
      at: [0],
      given: (args, values) => {
        const slices = values(args[1]).map(slice);
        return [...slices, ...slices, ...values(args[2])];
      },
    },
  ],
  ["higher_order.wrap_with_set_grad_enabled", region(1, 2)],
  ["higher_order.wrap_with_autocast", region(4, 5)],
  ["higher_order.invoke_subgraph", region(0, 2)],
  ["higher_order.strict_mode", listed],
  ["higher_order.hints_wrapper", listed],
  ["higher_order.run_const_graph", listed],
  ...REGIONS.map((name) => [name, region(0, 1)] as const),
  // The score and four places, then what the function reads.
  [
    "higher_order.flex_attention",
    { at: [3], given: (args, values) => [...new Array<Given>(5).fill(undefined), ...values(args[7])] },
  ],
] as const);

/** One element of what a loop runs over. */
const slice = (val: Given): Given =>
  val instanceof FakeTensor && val.ndim > 0
    ? new FakeTensor({ ...val, shape: val.shape.slice(1), strides: val.strides.slice(1) })
    : val;

/**
 * Returns the first nested graph with an input that records another value than its call gives it,
 * in words. Its calls would be lowered for values that it never gets.
 */
export function bodyProblem(graph: Graph): string | undefined {
  if (graph.subgraphs.size === 0) return undefined;
  for (const node of graph.nodes()) {
    if (!node.target.startsWith("higher_order.")) continue;
    const problem = callProblem(node, graph);
    if (problem !== undefined) return problem;
  }
  for (const nested of graph.subgraphs.values()) {
    const problem = bodyProblem(nested);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function callProblem(node: Node, graph: Graph): string | undefined {
  const graphs = node.args.map((arg) => (isRef(arg) ? nestedOf(graph, arg.name) : undefined));
  const bodies = BODIES.get(node.target);
  if (bodies === undefined)
    return graphs.some((one) => one !== undefined)
      ? `the operands of ${node.target} are not known`
      : undefined;
  const values = (arg: Argument | undefined): readonly Given[] =>
    (arg === undefined ? [] : (itemsOf(arg) ?? [])).map((item) =>
      isRef(item) ? graph.find(item.name)?.meta.val : undefined,
    );
  const given = bodies.given(node.args, values);
  for (const at of bodies.at) {
    const inputs = graphs[at]?.placeholders() ?? [];
    const wrong = inputs.find(({ meta: { val } }, i) => !mayBe(val, given[i]));
    if (wrong !== undefined)
      return `input ${wrong.name} of a graph of ${node.name} ${recordedText(wrong.meta.val)}`;
  }
  return undefined;
}

const recordedText = (val: Given): string =>
  val instanceof FakeTensor
    ? `records ${typeText(val)}, which is not its operand's`
    : "records another value than its operand";

function nestedOf(graph: Graph, name: string): Graph | undefined {
  const node = graph.find(name);
  return node?.op === "get_attr" ? graph.subgraphs.get(node.target) : undefined;
}

/** Returns whether an input that records one value may get the other. Literals are not recorded. */
function mayBe(recorded: Given, given: Given): boolean {
  if (given === undefined || recorded === undefined) return true;
  if (recorded instanceof FakeTensor && given instanceof FakeTensor)
    return (
      recorded.dtype === given.dtype &&
      recorded.ndim === given.ndim &&
      recorded.shape.every((size, d) => mayEqual(size, given.shape[d]!))
    );
  if (isSymScalar(recorded) && isSymScalar(given))
    return (
      recorded.kind === given.kind &&
      (recorded.kind !== "SymInt" || mayEqual(recorded.expr, given.expr as IntLike))
    );
  return recorded instanceof FakeTensor === given instanceof FakeTensor;
}

const mayEqual = (a: IntLike, b: IntLike): boolean => symEquals(a, b) || eq(a, b) !== false;
