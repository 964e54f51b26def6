/** @file Decomposes calls that have no lowering. */
import { isSconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue, NO_KWARGS, type Node, type NodeRef, ref } from "@sconce/ir";
import { bindArgs, type Emit, type EmitArg, emitFrom, metaOf, type OperatorTable } from "@sconce/ops";
import { not, type SymEnv, type SymExpr, sameSizes } from "@sconce/symbolic";
import { answering } from "@sconce/trace";
import type { SizeAssumption } from "../ir/loop-program.js";
import { CannotLower, cannot } from "./core/call.js";
import type { LoweringTable } from "./core/lowering.js";

export interface ExpandOptions {
  readonly operators: OperatorTable;
  readonly lowerings: LoweringTable;
  /** Decides conditions on symbolic sizes. */
  readonly env: SymEnv;
}

/**
 * Rewrites calls without a lowering as calls that have one: runs the operator's decomposition on
 * the metadata of its arguments, down to operators with lowerings. The value keeps the name of the
 * call; the steps before it get new names.
 */
export class Expander {
  /** The graph's node that a step belongs to. */
  readonly origins = new Map<string, string>();
  /** What decompositions took for granted of sizes. */
  readonly assumptions: SizeAssumption[] = [];
  /** Why a call could not be decomposed. */
  readonly reasons = new Map<string, string>();
  readonly #options: ExpandOptions;
  readonly #fakeOf: (name: string) => MetaValue | undefined;
  readonly #parts = new Map<string, readonly MetaValue[]>();
  readonly #pairs = new Map<FakeTensor, NodeRef>();

  constructor(options: ExpandOptions, fakeOf: (name: string) => MetaValue | undefined) {
    this.#options = options;
    this.#fakeOf = fakeOf;
  }

  /** Returns the steps of a call; the node itself if it has a lowering, or no decomposition. */
  expand(node: Node): readonly Node[] {
    if (node.op !== "call_function") return [node];
    if (node.target === "operator.getitem") return [this.#pick(node)];
    const { operators, lowerings } = this.#options;
    const row = operators.get(node.target);
    if (lowerings[node.target] !== undefined || row?.decompose === undefined) return [node];
    const steps: Node[] = [];
    const env = answering(this.#options.env, (condition, decide) => {
      const truth = decide();
      this.#assume(node.name, condition, truth);
      return truth;
    });
    const calls = emitFrom(env, (target, args, kwargs) =>
      this.#record(node, steps, emit, target, args, kwargs),
    );
    const emit: Emit = Object.assign(calls, { runsKernels: true });
    try {
      if (row.schema.isMutable) cannot(`${node.target} writes to its argument: functionalize first`);
      const args = bindArgs(row.schema, node.args, node.kwargs, ({ name }) => this.#given(name));
      return this.#finish(node, steps, row.decompose(emit, args));
    } catch (error) {
      if (!(error instanceof CannotLower) && !isSconceError(error)) throw error;
      this.reasons.set(node.name, error.message);
      return [node];
    }
  }

  #assume(node: string, condition: SymExpr, truth: boolean): void {
    const { env } = this.#options;
    if (!env.knownTrue(truth ? condition : not(condition)))
      this.assumptions.push({ kind: "condition", node, condition, truth });
  }

  /** Returns the metadata of an argument, as a separate object: two nodes may share one. */
  #given(name: string, at?: number, value: unknown = this.#fakeOf(name)): unknown {
    if (Array.isArray(value))
      return (value as readonly unknown[]).map((item, i) => this.#given(name, i, item));
    if (!(value instanceof FakeTensor) || at !== undefined) return value;
    const own = new FakeTensor(value);
    this.#pairs.set(own, ref(name));
    return own;
  }

  #record(
    node: Node,
    steps: Node[],
    emit: Emit,
    target: string,
    args: readonly EmitArg[],
    kwargs: Readonly<Record<string, EmitArg>>,
  ): MetaValue {
    const { operators, lowerings } = this.#options;
    const row = operators.require(target);
    if (row.schema.isMutable) cannot(`its decomposition writes in place (${target})`);
    if (lowerings[target] === undefined && row.decompose !== undefined)
      return row.decompose(emit, bindArgs(row.schema, args, kwargs));
    const val = fresh(metaOf(operators, target, args, kwargs, emit.env));
    const name = this.#step(node, steps, target, this.#refs(args), this.#refs(kwargs), val);
    this.#track(node, steps, name, val);
    return val;
  }

  #step(node: Node, steps: Node[], target: string, args: unknown, kwargs: unknown, val: MetaValue): NodeRef {
    const name = `${node.name}/${steps.length}`;
    this.origins.set(name, node.name);
    steps.push({ name, op: "call_function", target, args, kwargs, meta: { ...node.meta, val } } as Node);
    return ref(name);
  }

  #track(node: Node, steps: Node[], name: NodeRef, val: MetaValue): void {
    if (val instanceof FakeTensor) this.#pairs.set(val, name);
    if (!Array.isArray(val)) return;
    (val as readonly MetaValue[]).forEach((item, i) => {
      if (item instanceof FakeTensor)
        this.#pairs.set(item, this.#step(node, steps, "operator.getitem", [name, i], NO_KWARGS, item));
    });
  }

  /** Emitted arguments with references in place of tensors. */
  #refs(value: unknown): unknown {
    if (value instanceof FakeTensor)
      return this.#pairs.get(value) ?? cannot("its decomposition reads a tensor that it did not make");
    if (Array.isArray(value)) return value.map((item) => this.#refs(item));
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#refs(item)]));
  }

  #finish(node: Node, steps: readonly Node[], result: MetaValue): readonly Node[] {
    if (result instanceof FakeTensor) {
      if (isLike(result, node.meta.val)) return [...steps, this.#alias(node, result)];
      return cannot("its decomposition gives another shape or dtype");
    }
    if (!Array.isArray(result)) return cannot("its result is not a tensor");
    this.#parts.set(node.name, result as readonly MetaValue[]);
    return steps;
  }

  /** Returns a node that is another under its own name. */
  #alias(node: Node, call: FakeTensor): Node {
    return { ...node, target: "aten.alias.default", args: [this.#refs(call) as NodeRef], kwargs: NO_KWARGS };
  }

  #pick(node: Node): Node {
    const [from, at] = node.args as readonly [NodeRef, number];
    const part = this.#parts.get(from.name)?.[at];
    return part instanceof FakeTensor && isLike(part, node.meta.val) ? this.#alias(node, part) : node;
  }
}

/**
 * Some decompositions of PyTorch's give other things than the operator where nothing reads them.
 */
const isLike = (made: FakeTensor, wanted: unknown): boolean =>
  wanted instanceof FakeTensor && made.dtype === wanted.dtype && sameSizes(made.shape, wanted.shape);

/** Meta rules may give an argument itself; every step's value is a separate object. */
function fresh(value: MetaValue): MetaValue {
  if (value instanceof FakeTensor) return new FakeTensor(value);
  return Array.isArray(value) ? (value as readonly MetaValue[]).map(fresh) : value;
}
