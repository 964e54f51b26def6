/**
 * @file Which inputs of a graph a value may share memory with, by the alias annotations of schemas,
 * and by the list of those that have none although they should.
 */
import {
  type Argument,
  FakeTensor,
  forEachInput,
  forEachRef,
  type Graph,
  isRef,
  itemsOf,
  type MetaValue,
  type Node,
} from "@sconce/ir";
import { FEWEST_ROWS, HIDDEN_ALIASES, type OperatorTable } from "@sconce/ops";
import { argumentOf } from "./call-arguments.js";
import { perVersion } from "./per-version.js";

/** Names of placeholders. */
export type Roots = ReadonlySet<string>;

const NONE: Roots = new Set();

/**
 * Loops stack their results, or carry values on that PyTorch refuses to let alias;
 * `auto_functionalized` copies.
 */
const FRESH_RESULTS = /^higher_order\.(map|map_impl|while_loop|auto_functionalized|auto_functionalized_v2)$/;

/** Returns whether a loop has few rows at some sizes. */
function hasFewRows({ target, args, meta: { val } }: Node, fewest: number): boolean {
  const results = Array.isArray(val) ? (val as readonly MetaValue[]) : [];
  const carried = target === "higher_order.scan" ? (itemsOf(args[1] ?? null)?.length ?? 0) : 0;
  const stacked = results[carried];
  const rows = stacked instanceof FakeTensor ? stacked.shape[0] : undefined;
  return typeof rows !== "number" || rows < fewest;
}

/**
 * For each node the placeholders that its value may be a view of. Bodies of `invoke_subgraph` are
 * followed, result by result; what cannot be (an operator without a schema, the body of a wrapper)
 * counts as a view of all its inputs.
 */
export function aliasRoots(graph: Graph, operators: OperatorTable): ReadonlyMap<string, Roots> {
  const roots = new Map<string, Roots>();
  /** Of calls with several results: those of each. */
  const results = new Map<string, readonly Roots[]>();
  for (const node of graph.nodes()) {
    if (node.op === "placeholder") roots.set(node.name, new Set([node.name]));
    if (node.op !== "call_function") continue;
    const each = rootsOfBodies(node, graph, operators, roots);
    if (each !== undefined) results.set(node.name, each);
    const [source, index] = node.args;
    const taken =
      node.target === "operator.getitem" && isRef(source)
        ? results.get(source.name)?.[Number(index)]
        : undefined;
    roots.set(node.name, taken ?? (each && union(each)) ?? rootsOfCall(node, operators, roots));
  }
  return roots;
}

const union = (sets: readonly Roots[]): Roots => new Set(sets.flatMap((set) => [...set]));

/** Of each result of a region or a choice, the roots of the operands that it may be a view of. */
function rootsOfBodies(
  node: Node,
  graph: Graph,
  operators: OperatorTable,
  roots: ReadonlyMap<string, Roots>,
): readonly Roots[] | undefined {
  const { target, args } = node;
  if (target === "higher_order.invoke_subgraph")
    return rootsOfBody(graph, args[0]!, args.slice(2), operators, roots);
  if (target !== "higher_order.cond") return undefined;
  const operands = itemsOf(args[3] ?? null) ?? [];
  const branches = [args[1]!, args[2]!].map((body) => rootsOfBody(graph, body, operands, operators, roots));
  const [first, second] = branches;
  return first && second?.map((found, i) => union([found, first[i] ?? NONE]));
}

function rootsOfBody(
  graph: Graph,
  body: Argument,
  operands: readonly Argument[],
  operators: OperatorTable,
  roots: ReadonlyMap<string, Roots>,
): readonly Roots[] | undefined {
  const inner = isRef(body) ? graph.subgraphs.get(graph.node(body.name).target) : undefined;
  const outputs = inner && itemsOf(inner.outputArgument());
  if (inner === undefined || outputs === undefined) return undefined;
  const places = new Map(inner.placeholders().map(({ name }, i) => [name, operands[i]]));
  const innerRoots = aliasRoots(inner, operators);
  return outputs.map((output) => {
    const found = isRef(output) ? [...(innerRoots.get(output.name) ?? NONE)] : [];
    return union(
      found.map((name) => {
        const operand = places.get(name);
        return isRef(operand) ? (roots.get(operand.name) ?? NONE) : NONE;
      }),
    );
  });
}

function rootsOfCall(node: Node, operators: OperatorTable, roots: ReadonlyMap<string, Roots>): Roots {
  let found: Roots = NONE;
  forEachAliasedInput(node, operators, (name) => {
    const more = roots.get(name) ?? NONE;
    if (found.size === 0) found = more;
    else if (more.size > 0 && more !== found) found = new Set([...found, ...more]);
  });
  return found;
}

/** Calls `visit` for each input whose memory the result of a call may share. */
export function forEachAliasedInput(
  node: Node,
  operators: OperatorTable,
  visit: (name: string) => void,
): void {
  const { target } = node;
  if (target === "operator.getitem") {
    forEachRef(node.args[0]!, visit);
    return;
  }
  const fewest = FEWEST_ROWS[target];
  if (fewest !== undefined) {
    if (hasFewRows(node, fewest)) forEachRef(node.args[1]!, visit);
    return;
  }
  const aliased = aliasedParameters(target, operators);
  if (aliased === NO_PARAMETERS) return;
  const schema = operators.schemaOf(target);
  if (aliased === "all" || schema === undefined) {
    forEachInput(node, visit);
    return;
  }
  for (const name of aliased) {
    const value: Argument | undefined = argumentOf(node, schema, name);
    if (value !== undefined) forEachRef(value, visit);
  }
}

type Aliased = "all" | readonly string[];
const NO_PARAMETERS: readonly string[] = [];

/** What is known so far about the targets of a table. */
const knownAliases = perVersion(() => new Map<string, Aliased>());

/** Returns the parameters whose memory the result of a call of the target may share. */
function aliasedParameters(target: string, operators: OperatorTable): Aliased {
  const known = knownAliases(operators);
  let aliased = known.get(target);
  if (aliased === undefined) {
    aliased = findAliasedParameters(target, operators);
    known.set(target, aliased);
  }
  return aliased;
}

function findAliasedParameters(target: string, operators: OperatorTable): Aliased {
  if (/^(math|operator|builtins)\.|^torch\._?sym_/.test(target) || FRESH_RESULTS.test(target))
    return NO_PARAMETERS;
  const row = operators.get(target);
  const schema = row?.schema ?? operators.schemaOf(target);
  if (schema === undefined || row?.tags.includes("maybe_aliasing_or_mutating")) return "all";
  const hidden = HIDDEN_ALIASES[target];
  const names = schema.args
    .filter(({ name, alias }) => alias !== undefined || hidden?.includes(name) === true)
    .map(({ name }) => name);
  return names.length === 0 ? NO_PARAMETERS : names;
}
