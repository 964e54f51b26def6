import { unknownTarget } from "../graph/errors.js";
import { Graph } from "../graph/graph.js";
import { type TargetOptions, targetProblem } from "../graph/known-targets.js";
import { NO_KWARGS, type Node, type NodeOp } from "../graph/node.js";
import type { Argument } from "../values/argument.js";
import type { MetaValue, NodeMeta } from "../values/meta.js";
import type { Cursor } from "./cursor.js";
import type { Symbols } from "./expressions.js";
import { joinMeta } from "./metadata.js";
import { parseType } from "./types.js";
import { parseValue } from "./values.js";

/** A graph as read, before the metadata that stands at the end of the text is known. */
export interface GraphDraft {
  readonly nodes: readonly NodeDraft[];
  readonly subgraphs: ReadonlyMap<string, GraphDraft>;
}

interface NodeDraft extends Omit<Node, "meta"> {
  readonly val: MetaValue | undefined;
  readonly entry: number | undefined;
  /** Where the node stands. */
  readonly at: number;
  /** Where the target of a call stands. */
  readonly targetAt?: number | undefined;
}

type Parts = Partial<Pick<NodeDraft, "args" | "kwargs" | "val" | "entry" | "targetAt">>;

/** Reads what follows the word `graph` and its name. */
export function parseGraphBody(cursor: Cursor, symbols: Symbols): GraphDraft {
  return cursor.nested(() => {
    const nodes: NodeDraft[] = [];
    const names = new Set<string>();
    const add = (node: NodeDraft): void => {
      if (names.has(node.name)) throw cursor.fail(`the name %${node.name} is taken`, node.at);
      names.add(node.name);
      nodes.push(node);
    };
    cursor.expect("(");
    for (const node of cursor.list(")", () => parseParameter(cursor, symbols))) add(node);
    cursor.expect("{");
    const subgraphs = new Map<string, GraphDraft>();
    while (!cursor.accept("}")) {
      if (cursor.acceptWord("graph")) {
        const start = cursor.at;
        const target = cursor.path("the name of a nested graph");
        if (subgraphs.has(target)) throw cursor.fail(`a second graph ${target}`, start);
        subgraphs.set(target, parseGraphBody(cursor, symbols));
      } else add(parseStatement(cursor, symbols));
    }
    return { nodes, subgraphs };
  });
}

function draft(
  cursor: Cursor,
  name: string,
  op: NodeOp,
  target: string,
  parts: Parts,
  at: number,
): NodeDraft {
  const entry =
    parts.entry ?? (cursor.accept("#") ? cursor.integer("the number of a metadata entry") : undefined);
  return {
    name,
    op,
    target,
    args: parts.args ?? [],
    kwargs: parts.kwargs ?? NO_KWARGS,
    val: parts.val,
    entry,
    at,
    targetAt: parts.targetAt,
  };
}

function parseParameter(cursor: Cursor, symbols: Symbols): NodeDraft {
  cursor.spend();
  const at = cursor.at;
  const name = cursor.name();
  const target = cursor.accept("@") ? cursor.path("the name of an argument") : name;
  const args = cursor.accept("=") ? [parseValue(cursor)] : [];
  const val = cursor.accept(":") ? parseType(cursor, symbols) : undefined;
  return draft(cursor, name, "placeholder", target, { args, val }, at);
}

function parseStatement(cursor: Cursor, symbols: Symbols): NodeDraft {
  cursor.skip();
  cursor.spend();
  const at = cursor.at;
  if (cursor.acceptWord("return")) return parseReturn(cursor, symbols, "output", at);
  const name = cursor.name();
  const val = cursor.accept(":") ? parseType(cursor, symbols) : undefined;
  cursor.expect("=");
  if (cursor.acceptWord("return")) return parseReturn(cursor, symbols, name, at);
  cursor.skip();
  const targetAt = cursor.at;
  const target = cursor.path("an operator");
  if (cursor.accept("("))
    return draft(cursor, name, "call_function", target, { ...parseCall(cursor), val, targetAt }, at);
  switch (target) {
    case "get_attr":
      return draft(cursor, name, "get_attr", cursor.path("the name of a graph"), { val }, at);
    case "placeholder": {
      const input = cursor.path("the name of an argument");
      const args = cursor.accept("=") ? [parseValue(cursor)] : [];
      return draft(cursor, name, "placeholder", input, { args, val }, at);
    }
    default:
      throw cursor.fail(`expected ( after ${target}, found ${cursor.found()}`);
  }
}

function parseReturn(cursor: Cursor, symbols: Symbols, name: string, at: number): NodeDraft {
  const args = [parseValue(cursor)];
  const val = cursor.accept("->") ? parseType(cursor, symbols) : undefined;
  return draft(cursor, name, "output", "output", { args, val }, at);
}

function parseCall(cursor: Cursor): Pick<NodeDraft, "args" | "kwargs"> {
  const args: Argument[] = [];
  const kwargs = new Map<string, Argument>();
  cursor.list(")", () => {
    if (!cursor.ahead(() => (cursor.acceptAnyWord() || cursor.acceptAnyString()) && cursor.sees("="))) {
      if (kwargs.size > 0) throw cursor.fail("a positional argument after a keyword argument");
      args.push(parseValue(cursor));
      return;
    }
    const key = cursor.path("a keyword");
    if (kwargs.has(key)) throw cursor.fail(`a second argument ${key}`);
    // Copies of an object do not keep it.
    if (key === "__proto__") throw cursor.fail("an argument cannot have the name __proto__");
    cursor.expect("=");
    kwargs.set(key, parseValue(cursor));
  });
  return { args, kwargs: kwargs.size === 0 ? NO_KWARGS : Object.fromEntries(kwargs) };
}

/**
 * Returns the graph of a draft, once the metadata is known.
 * @throws SconceError `UNKNOWN_TARGET`, `IR_SYNTAX` for metadata that is missing
 */
export function finishGraph(
  cursor: Cursor,
  graph: GraphDraft,
  metadata: ReadonlyMap<number, NodeMeta>,
  targets: TargetOptions,
): Graph {
  const nodes = graph.nodes.map(({ name, op, target, args, kwargs, val, entry, at, targetAt }): Node => {
    const problem = targetAt === undefined ? undefined : targetProblem(target, targets);
    if (problem !== undefined) throw unknownTarget(problem, `${cursor.place(targetAt!)} (node ${name})`);
    const meta = entry === undefined ? undefined : metadata.get(entry);
    if (entry !== undefined && meta === undefined) throw cursor.fail(`there is no metadata #${entry}`, at);
    return Object.freeze({ name, op, target, args, kwargs, meta: joinMeta(meta, val) });
  });
  const subgraphs = new Map<string, Graph>();
  for (const [target, nested] of graph.subgraphs)
    subgraphs.set(target, finishGraph(cursor, nested, metadata, targets));
  return new Graph(nodes, subgraphs);
}
