/** @file From a lowered graph to loop nests. */
import { SconceError } from "@sconce/errors";
import {
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  itemsOf,
  type MetaValue,
  type Node,
  type NodeRef,
} from "@sconce/ir";
import { bindArgs, isScalarFunction, type OperatorTable } from "@sconce/ops";

import type { LoopOutput, LoopProgram, NotLowered } from "../ir/loop-program.js";
import { CannotLower, cannot, type Lowered, type LoweringTable, shapeOf } from "./call.js";
import { type FusionLimits, LoweringContext } from "./context.js";
import { LazyTensor } from "./lazy.js";
import { LOWERINGS } from "./table.js";

export interface LowerToLoopsOptions {
  readonly operators: OperatorTable;
  readonly limits?: FusionLimits;
  /** How operators are said; Sconce's own table when left out. */
  readonly lowerings?: LoweringTable;
}

/**
 * Lowers a functional graph of core operators to loop nests, fusing as it goes: views become index arithmetic, chains of
 * pointwise operators join what reads or makes their operands, reductions and products keep their epilogues.
 *
 * Shapes may be symbolic; sizes then stay in the index expressions until a program is run.
 *
 * @throws SconceError `NOT_LOWERED` that names every node that loops cannot say
 */
export function lowerToLoops(graph: Graph, options: LowerToLoopsOptions): LoopProgram {
  const lowering = new GraphLowering(graph, options);
  lowering.run();
  if (lowering.refused.length > 0) throw notLowered(lowering.refused);
  return lowering.program();
}

/** Why loops cannot say a call, or undefined when they can; each call is asked on its own. */
export function whyNotLowered(node: Node, graph: Graph, options: LowerToLoopsOptions): string | undefined {
  if (node.op !== "call_function" || isStructural(node)) return undefined;
  const lowering = new GraphLowering(graph, options);
  forEachInput(node, (name) => lowering.assume(graph.node(name)));
  try {
    lowering.call(node, true);
    return undefined;
  } catch (error) {
    if (error instanceof CannotLower) return error.message;
    throw error;
  }
}

/** Calls that pick from results or compute sizes: nothing to lower. */
const isStructural = (node: Node): boolean =>
  node.target === "operator.getitem" || isSizeValue(node.meta.val);
const isSizeValue = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value as { kind?: string }).kind === "SymInt";

function notLowered(refused: readonly NotLowered[]): SconceError {
  const shown = refused.slice(0, 5).map(({ node, reason }) => `"${node}": ${reason}`);
  const more = refused.length > 5 ? `; and ${refused.length - 5} more` : "";
  return new SconceError({
    code: "NOT_LOWERED",
    message: `${refused.length} of the nodes cannot be lowered to loops: ${shown.join("; ")}${more}`,
    where: `node "${refused[0]!.node}"`,
    fix: "partition the program first, so that these nodes stay with the interpreter, or decompose them further",
  });
}

class GraphLowering {
  readonly refused: NotLowered[] = [];
  readonly #graph: Graph;
  readonly #options: LowerToLoopsOptions;
  readonly #context: LoweringContext;
  readonly #table: LoweringTable;
  readonly #values = new Map<string, Lowered>();
  readonly #inputs: (number | undefined)[] = [];

  constructor(graph: Graph, options: LowerToLoopsOptions) {
    this.#graph = graph;
    this.#options = options;
    this.#table = options.lowerings ?? LOWERINGS;
    this.#context = new LoweringContext(consumers(graph, this.#table), options.limits);
  }

  run(): void {
    for (const node of this.#graph.nodes()) {
      if (node.op === "placeholder") this.#inputs.push(this.assume(node));
      else if (node.op === "call_function") this.#attempt(node);
      else if (node.op === "get_attr")
        this.refused.push({ node: node.name, reason: "nested graphs are not lowered to loops" });
    }
  }

  #attempt(node: Node): void {
    try {
      this.call(node);
    } catch (error) {
      if (!(error instanceof CannotLower)) throw error;
      this.refused.push({ node: node.name, reason: error.message });
      this.assume(node);
    }
  }

  /** Takes a node's value as given in memory. */
  assume({ name, meta: { val } }: Node): number | undefined {
    const tensors = Array.isArray(val) ? (val as readonly unknown[]) : [val];
    const given = tensors.map((fake) =>
      fake instanceof FakeTensor ? this.#context.input(name, fake.dtype, shapeOf(fake)) : null,
    );
    if (Array.isArray(val)) this.#values.set(name, given);
    else if (given[0]) this.#values.set(name, given[0]);
    return given[0]?.buffer;
  }

  /** @throws CannotLower */
  call(node: Node, isProbe = false): void {
    if (isSizeValue(node.meta.val)) return;
    if (node.target === "operator.getitem") {
      this.#pick(node);
      return;
    }
    const lowering = this.#table[node.target] ?? cannot(`no loops are known for ${node.target}`);
    const schema = this.#options.operators.schemaOf(node.target) ?? cannot(`${node.target} has no schema`);
    const args = bindArgs(schema, node.args, node.kwargs, (ref) => this.#resolve(ref));
    const { name, target, meta } = node;
    const result = lowering.rule({
      context: this.#context,
      node: name,
      target,
      args,
      value: meta.val as MetaValue,
    });
    this.#values.set(name, result);
    if (isProbe) for (const tensor of tensorsOf(result)) this.#context.buffer(tensor);
  }

  #pick(node: Node): void {
    const [from, at] = node.args as readonly [NodeRef, number];
    const items = this.#values.get(from.name);
    const item = Array.isArray(items) ? (items as readonly (LazyTensor | null)[])[at] : undefined;
    this.#values.set(node.name, item ?? cannot(`"${from.name}" has no result ${at} that loops compute`));
  }

  #resolve({ name }: NodeRef): unknown {
    return this.#values.get(name) ?? this.#graph.node(name).meta.val;
  }

  program(): LoopProgram {
    const outputs = this.#outputs();
    return { buffers: this.#context.buffers, nests: this.#context.nests, inputs: this.#inputs, outputs };
  }

  #outputs(): LoopOutput[] {
    const output = this.#graph.nodes().find(({ op }) => op === "output");
    return flat(output?.args ?? []).map((item): LoopOutput => {
      if (!isRef(item)) return { kind: "constant", value: item as string | number | null };
      const value = this.#values.get(item.name);
      if (value instanceof LazyTensor) {
        const buffer = this.#context.buffer(value);
        return { kind: "buffer", buffer, shape: value.shape, node: item.name };
      }
      const scalar = this.#graph.node(item.name).meta.val as { kind?: string; expr?: never };
      return scalar.kind === "SymInt"
        ? { kind: "size", value: scalar.expr! }
        : { kind: "constant", value: null };
    });
  }
}

const tensorsOf = (value: Lowered): LazyTensor[] =>
  (value instanceof LazyTensor ? [value] : value).filter((item) => item !== null);

/** Leaves of the output's nested lists. */
const flat = (value: unknown): unknown[] => {
  const items = itemsOf(value as never);
  return items === undefined ? [value] : items.flatMap(flat);
};

/** Operators that look at the shape and dtype of their argument only. */
const READS_NO_CELLS = /^aten\.((full|zeros|ones|empty|rand|randn)_like|new_(full|zeros|ones|empty))\./;

/** How many times a value is read, through views to what is behind them: an upper bound of the kernels that would compute it. */
function consumers(graph: Graph, table: LoweringTable): Map<string, number> {
  const counts = new Map<string, number>();
  const nodes = graph.nodes();
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at]!;
    const isView =
      node.op === "call_function" && (table[node.target]?.isView || node.target === "operator.getitem");
    const passes = isView ? (counts.get(node.name) ?? 0) : 1;
    if (isSizeValue(node.meta.val) || isScalarFunction(node.target) || READS_NO_CELLS.test(node.target))
      continue;
    let isFirst = true;
    forEachInput(node, (name) => {
      // A view passes on its consumers to what it shows, not to sizes among its arguments.
      if (!isView || isFirst) counts.set(name, (counts.get(name) ?? 0) + passes);
      isFirst = false;
    });
  }
  return counts;
}
