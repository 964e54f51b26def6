import {
  type Argument,
  FakeTensor,
  isRef,
  isSymScalar,
  type MetaValue,
  NO_KWARGS,
  NO_META,
  type Node,
  type NodeMeta,
  type NodeRef,
  ref,
  type SymScalar,
  symInt,
} from "@sconce/ir";
import { type Emit, type EmitArg, emitFrom, metaOf, type OperatorTable, type UnboundArg } from "@sconce/ops";
import { type IntLike, type SymEnv, SymExpr } from "@sconce/symbolic";
import { argumentOf, callName, normalizeCall } from "@sconce/trace";
import { foreignTensor, unknownSize, writingReplacement } from "./errors.js";
import type { Found } from "./match.js";
import type { WorkGraph } from "./work-graph.js";

/** Arithmetic on sizes as nodes. */
const ARITHMETIC: Readonly<Record<string, string>> = {
  Add: "operator.add",
  Mul: "operator.mul",
  FloorDiv: "operator.floordiv",
  CleanDiv: "operator.floordiv",
  Mod: "operator.mod",
};

/**
 * Makes the nodes of replacements, one replacement after another. They are held back until the rule
 * has agreed to its own result, and then put into the graph, or forgotten.
 */
export class Replacer {
  readonly emit: Emit;
  #nodes: Node[] = [];
  readonly #graph: WorkGraph;
  readonly #operators: OperatorTable;
  readonly #env: SymEnv;
  #meta: NodeMeta = NO_META;
  readonly #tensors = new Map<FakeTensor, NodeRef>();
  readonly #scalars = new Map<string, Argument>();

  constructor(graph: WorkGraph, operators: OperatorTable, env: SymEnv) {
    this.#graph = graph;
    this.#operators = operators;
    this.#env = env;
    this.emit = emitFrom(env, (target, args, kwargs) => this.#call(target, args, kwargs));
  }

  /**
   * Begins a replacement, whose nodes get this metadata; values of the one before are foreign from
   * now on.
   */
  begin(meta: NodeMeta): void {
    this.#nodes = [];
    this.#meta = meta;
    this.#tensors.clear();
    this.#scalars.clear();
  }

  /** The nodes of the current replacement, in order. */
  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  /** Returns what a rule's functions see in place of captured arguments. */
  captures(found: Found): Record<string, EmitArg> {
    const captures: Record<string, EmitArg> = {};
    found.captures.forEach((value, name) => {
      captures[name] = this.#value(value);
    });
    return captures;
  }

  #value(argument: Argument): EmitArg {
    if (Array.isArray(argument)) return (argument as readonly Argument[]).map((item) => this.#value(item));
    if (!isRef(argument)) return argument;
    const val = this.#graph.find(argument.name)?.meta.val;
    if (val instanceof FakeTensor) {
      // A separate object: two nodes may have the same value.
      const own = new FakeTensor(val);
      this.#tensors.set(own, argument);
      return own;
    }
    if (isSymbolic(val)) {
      this.#scalars.set(val.expr.key, argument);
      return val;
    }
    return argument;
  }

  /**
   * Returns the argument that refers to a value of this replacement. @throws SconceError
   * `UNTRACED_TENSOR`
   */
  argumentOf(value: UnboundArg | EmitArg): Argument {
    return argumentOf((value ?? null) as UnboundArg, this);
  }

  #call(target: string, args: readonly EmitArg[], kwargs: Readonly<Record<string, EmitArg>>): MetaValue {
    if (target === "operator.getitem" && Array.isArray(args[0])) {
      const item = (args[0] as readonly MetaValue[])[Number(args[1])];
      if (item !== undefined) return item;
    }
    const row = this.#operators.require(target);
    if (row.schema.isMutable) {
      throw writingReplacement(target);
    }
    const normal = normalizeCall(row.schema, args, kwargs);
    const result = metaOf(this.#operators, target, normal.args, normal.kwargs, this.#env);
    const nodeKwargs: Record<string, Argument> = {};
    for (const key in normal.kwargs) nodeKwargs[key] = this.argumentOf(normal.kwargs[key]!);
    const own = fresh(result);
    const node = this.#push(
      callName(target),
      target,
      normal.args.map((arg) => this.argumentOf(arg)),
      nodeKwargs,
      own,
    );
    this.#track(own, node);
    return own;
  }

  #track(value: MetaValue, node: NodeRef): void {
    if (value instanceof FakeTensor) this.#tensors.set(value, node);
    else if (isSymbolic(value)) this.#scalars.set(value.expr.key, node);
    else if (Array.isArray(value)) {
      (value as readonly MetaValue[]).forEach((item, index) => {
        if (item instanceof FakeTensor)
          this.#track(item, this.#push("getitem", "operator.getitem", [node, index], NO_KWARGS, item));
      });
    }
  }

  #push(
    candidate: string,
    target: string,
    args: readonly Argument[],
    kwargs: Readonly<Record<string, Argument>>,
    val: MetaValue,
  ): NodeRef {
    const name = this.#graph.freshName(candidate);
    this.#nodes.push({ name, op: "call_function", target, args, kwargs, meta: { ...this.#meta, val } });
    return ref(name);
  }

  /** Returns the node of a tensor. @throws SconceError `UNTRACED_TENSOR` */
  nodeOf(value: FakeTensor): NodeRef {
    const node = this.#tensors.get(value);
    if (node !== undefined) return node;
    throw foreignTensor(value);
  }

  /**
   * Returns a node for a symbolic size: one that was captured, a size of a tensor at hand, or
   * arithmetic on those.
   */
  numberOf(expr: SymExpr): Argument {
    const known = this.#scalars.get(expr.key);
    if (known !== undefined) return known;
    if (expr.op === "Integer") return Number(expr.value);
    const node = this.#readSize(expr) ?? this.#arithmetic(expr);
    this.#scalars.set(expr.key, node);
    return node;
  }

  #readSize(expr: SymExpr): NodeRef | undefined {
    for (const [tensor, node] of this.#tensors) {
      const dim = tensor.shape.findIndex((size) => size instanceof SymExpr && size.key === expr.key);
      if (dim >= 0)
        return this.#push("sym_size_int", "aten.sym_size.int", [node, dim], NO_KWARGS, symInt(expr));
    }
    return undefined;
  }

  #arithmetic(expr: SymExpr): Argument {
    const target = ARITHMETIC[expr.op];
    if (target === undefined) {
      throw unknownSize(expr);
    }
    return expr.args
      .map((arg) => [this.numberOf(arg), arg as IntLike] as const)
      .reduce<readonly [Argument, IntLike] | undefined>((left, right) => {
        if (left === undefined) return right;
        const name = target.slice(target.lastIndexOf(".") + 1);
        return [this.#push(name, target, [left[0], right[0]], NO_KWARGS, symInt(expr)), expr];
      }, undefined)![0];
  }
}

const isSymbolic = (value: unknown): value is SymScalar & { readonly expr: SymExpr } =>
  isSymScalar(value) && value.expr instanceof SymExpr;

/** Results of meta rules may be the arguments themselves; a node's value has its own identity. */
function fresh(value: MetaValue): MetaValue {
  if (value instanceof FakeTensor)
    return new FakeTensor(value.requiresGrad ? { ...value, requiresGrad: false } : value);
  return Array.isArray(value) ? (value as readonly MetaValue[]).map(fresh) : value;
}
