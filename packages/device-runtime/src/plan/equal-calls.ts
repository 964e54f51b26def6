/** @file Loops of calls that equal an earlier one but for the names of what they read and give. */
import type { LoopProgram } from "@sconce/codegen";
import {
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  isSymScalar,
  type MetaValue,
  type Node,
  type Reason,
  type SymScalar,
} from "@sconce/ir";
import { printExpr } from "@sconce/symbolic";

/** The loops of a call, and its names in the order in which its key counts them. */
interface Known {
  readonly loops: LoopProgram;
  readonly names: readonly string[];
}

/** Lowers one of several equal calls, as equal layers have them. */
export class EqualCalls {
  readonly #known = new Map<string, Known>();

  /** Returns the loops of a call: those of an equal one by its own names, or new ones. */
  loops(node: Node, graph: Graph, lower: () => LoopProgram | Reason): LoopProgram | Reason {
    const { key, names } = keyOf(node, graph);
    const known = this.#known.get(key);
    if (known !== undefined) return renamed(known, names);
    const loops = lower();
    // Reasons may have names in them.
    if (!("reason" in loops)) this.#known.set(key, { loops, names });
    return loops;
  }
}

/**
 * Returns the key of a call: its target, its arguments, the metadata of what it reads and gives.
 */
function keyOf(node: Node, graph: Graph): { readonly key: string; readonly names: readonly string[] } {
  const numbers = new Map<string, number>([[node.name, 0]]);
  const metas = [metaText(node.meta.val)];
  forEachInput(node, (name) => {
    if (numbers.has(name)) return;
    numbers.set(name, numbers.size);
    metas.push(metaText(graph.node(name).meta.val));
  });
  const text = (value: unknown): string => textOf(value, numbers);
  const picks = Array.isArray(node.meta.val)
    ? graph.users(node.name).filter(({ target }) => target === "operator.getitem")
    : [];
  const picked = picks.map(({ name, args, meta }) => {
    numbers.set(name, numbers.size);
    return `${Number(args[1])}:${metaText(meta.val)}`;
  });
  const key = [node.target, text(node.args), text(node.kwargs), ...metas, "", ...picked].join("\n");
  return { key, names: [...numbers.keys()] };
}

/** Returns a value as text, with numbers in place of names. */
const textOf = (value: unknown, numbers: ReadonlyMap<string, number> = new Map()): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (isRef(item)) return { ref: numbers.get(item.name) };
    // JSON has neither of these numbers.
    if (typeof item === "bigint") return { bigint: String(item) };
    if (typeof item === "number" && (!Number.isFinite(item) || Object.is(item, -0)))
      return { number: Object.is(item, -0) ? "-0" : String(item) };
    return item;
  });

function metaText(value: MetaValue | undefined): string {
  if (Array.isArray(value)) return `[${(value as readonly MetaValue[]).map(metaText).join("; ")}]`;
  if (isSymScalar(value)) return `${value.kind} ${exprText(value.expr)}`;
  if (!(value instanceof FakeTensor)) return textOf(value ?? null);
  const { dtype, shape, strides, storageOffset, layout, device } = value;
  const sizes = [shape, strides, [storageOffset]].map((list) => list.map(exprText).join());
  return [dtype, ...sizes, layout, device.type].join(" ");
}
const exprText = (expr: SymScalar["expr"]): string =>
  typeof expr === "object" ? printExpr(expr) : String(expr);

/** Loops with other names of what they read and give. */
function renamed({ loops, names }: Known, now: readonly string[]): LoopProgram {
  const becomes = new Map(names.map((name, at) => [name, now[at]!]));
  const nameOf = (name: string): string => becomes.get(name) ?? name;
  return {
    ...loops,
    buffers: loops.buffers.map((buffer) => ({ ...buffer, node: nameOf(buffer.node) })),
    nests: loops.nests.map((nest) => ({ ...nest, nodes: nest.nodes.map(nameOf) })),
    outputs: loops.outputs.map((output) =>
      output.kind === "buffer" ? { ...output, node: nameOf(output.node) } : output,
    ),
  };
}
