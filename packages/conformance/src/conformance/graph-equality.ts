/**
 * @file Whether two graphs are the same program: operators in order with equal arguments, whatever
 * the nodes are called.
 */
import { type Argument, FakeTensor, type Graph, isRef, isTuple, type MetaValue, type Node } from "@sconce/ir";
import { printExpr, SymExpr } from "@sconce/symbolic";

/**
 * Returns the first difference, or undefined. Symbolic arithmetic is compared by the expressions
 * that its users see, not by its own nodes. `getitem` nodes are compared by their source and index.
 */
export function graphDifference(got: Graph, want: Graph): string | undefined {
  return new Comparison(got, want).run();
}

class Comparison {
  readonly #got: Graph;
  readonly #want: Graph;
  /** Names in the wanted graph by names in ours. */
  readonly #names = new Map<string, string>();

  constructor(got: Graph, want: Graph) {
    this.#got = got;
    this.#want = want;
  }

  run(): string | undefined {
    const got = significant(this.#got);
    const want = significant(this.#want);
    for (let i = 0; i < Math.max(got.length, want.length); i++) {
      const [a, b] = [got[i], want[i]];
      if (a === undefined || b === undefined) return `node ${i}: ${describe(a)} instead of ${describe(b)}`;
      const problem = this.#node(a, b);
      if (problem !== undefined) return `node ${i} (${a.name} / ${b.name}): ${problem}`;
      this.#names.set(a.name, b.name);
    }
    return undefined;
  }

  #node(a: Node, b: Node): string | undefined {
    if (a.op !== b.op) return `${a.op} instead of ${b.op}`;
    if (a.op === "get_attr")
      return graphDifference(this.#got.subgraphs.get(a.target)!, this.#want.subgraphs.get(b.target)!);
    if (a.op === "placeholder")
      return typeOf(a.meta.val) === typeOf(b.meta.val)
        ? undefined
        : `${typeOf(a.meta.val)} instead of ${typeOf(b.meta.val)}`;
    if (a.target !== b.target) return `${a.target} instead of ${b.target}`;
    const [left, right] = [this.#call(a, this.#got, true), this.#call(b, this.#want, false)];
    if (left !== right) return `${a.target}${left} instead of ${right}`;
    const [given, wanted] = [typeOf(a.meta.val), typeOf(b.meta.val)];
    return a.op === "output" || given === wanted || wanted === ""
      ? undefined
      : `${a.target} gives ${given} instead of ${wanted}`;
  }

  #call(node: Node, graph: Graph, ours: boolean): string {
    if (node.target === "aten._assert_scalar.default") return this.#argument(node.args[0]!, graph, ours);
    const args = node.args.map((arg) => this.#argument(arg, graph, ours));
    for (const key in node.kwargs) args.push(`${key}=${this.#argument(node.kwargs[key]!, graph, ours)}`);
    return `(${args.join(", ")})`;
  }

  #argument(value: Argument, graph: Graph, ours: boolean): string {
    if (isRef(value)) {
      const node = graph.node(value.name);
      const scalar = scalarText(node.meta.val) ?? (isScalarCall(node) ? node.target : undefined);
      return scalar ?? `%${ours ? (this.#names.get(value.name) ?? `${value.name}?`) : value.name}`;
    }
    if (Array.isArray(value))
      return `[${(value as readonly Argument[]).map((item) => this.#argument(item, graph, ours)).join(", ")}]`;
    if (isTuple(value)) return `[${value.items.map((item) => this.#argument(item, graph, ours)).join(", ")}]`;
    return typeof value === "object" && value !== null
      ? JSON.stringify(value)
      : Object.is(value, -0)
        ? "-0"
        : String(value);
  }
}

/** Nodes without symbolic arithmetic and without values that nothing reads. */
function significant(graph: Graph): Node[] {
  return [...graph.nodes()].filter((node) => {
    if (node.op === "placeholder" || node.op === "output") return true;
    if (node.target === "operator.getitem")
      return graph.users(node.name).length > 0 && scalarText(node.meta.val) === undefined;
    if (isScalarCall(node)) return false;
    if (node.target.startsWith("aten._local_scalar") || node.target === "aten.item.default") return true;
    return scalarText(node.meta.val) === undefined;
  });
}

const isScalarCall = ({ op, target }: Node): boolean =>
  op === "call_function" && target !== "operator.getitem" && /^(operator|math|builtins|torch)\./.test(target);

function scalarText(val: MetaValue | undefined): string | undefined {
  if (typeof val !== "object" || val === null || !("expr" in val)) return undefined;
  // A file does not hold that a condition always holds.
  if (typeof val.expr === "boolean") return undefined;
  return val.expr instanceof SymExpr ? printExpr(val.expr) : String(val.expr);
}

/** dtype and sizes of tensors. */
function typeOf(val: MetaValue | undefined): string {
  if (val instanceof FakeTensor)
    return `${val.dtype}[${val.shape.map((size) => (typeof size === "number" ? size : printExpr(size))).join(", ")}]`;
  return "";
}

const describe = (node: Node | undefined): string =>
  node === undefined ? "nothing" : `${node.name} = ${node.target}`;
