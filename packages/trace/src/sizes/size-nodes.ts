/**
 * @file The nodes of symbolic sizes while a program is traced: made when something uses a size, as
 * `torch.fx.experimental.proxy_tensor` makes them (`track_tensor`, `_sym_register`).
 *
 * A size is known by its object: equal sizes of two tensors have two nodes, unless a shape rule
 * passed the object on. PyTorch does so with the objects of `SymNode` (`_SymNodeDict`).
 */
import { type Argument, type FakeTensor, float, symInt } from "@sconce/ir";
import { elementsOf } from "@sconce/ops";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import type { AddScalarNode, TraceNode } from "../nodes/trace-node.js";
import { lowerExpression } from "./lower-expression.js";

/** The node of an expression, or a function that makes it at its first use. */
interface Source<M> {
  node: TraceNode<M> | undefined;
  readonly make: () => TraceNode<M>;
}

/** What the nodes of sizes need of a trace. */
export interface SizeTrace<M> {
  /** Adds a node. */
  readonly add: AddScalarNode<M>;
  /** Finds a symbol that no value of this graph has in the enclosing graph. */
  readonly outside: (symbol: SymExpr) => TraceNode<M> | undefined;
  /** The error for an expression that nothing in the graph gives. */
  readonly unknown: (expr: SymExpr) => Error;
}

/** Finds the nodes of symbolic values. The first source of each object is kept. */
export class SizeNodes<M> {
  readonly #sources = new Map<SymExpr, Source<M>>();
  /** Sources of values whose objects no tensor has: computed where no shape rule runs. */
  readonly #byValue = new Map<string, Source<M>>();
  readonly #trace: SizeTrace<M>;

  constructor(trace: SizeTrace<M>) {
    this.#trace = trace;
  }

  /**
   * Makes the sizes, the strides, the number of elements and the offset of a tensor readable.
   *
   * @param elements the number of elements. @defaultValue what shape rules ask for
   */
  track(tensor: FakeTensor, node: TraceNode<M>, elements: IntLike = elementsOf(tensor)): void {
    const { shape, strides, storageOffset } = tensor;
    for (let dim = 0; dim < shape.length; dim++) this.#readable(shape[dim]!, node, "size", dim);
    for (let dim = 0; dim < strides.length; dim++) this.#readable(strides[dim]!, node, "stride", dim);
    this.#readable(elements, node, "numel");
    this.#readable(storageOffset, node, "storage_offset");
  }

  #readable(size: IntLike, node: TraceNode<M>, property: string, ...dim: number[]): void {
    if (!(size instanceof SymExpr) || this.#sources.has(size)) return;
    const name = `sym_${property}`;
    const kind = dim.length > 0 ? "int" : "default";
    this.#offer(size, () =>
      this.#trace.add(`aten.${name}.${kind}`, [node, ...dim], symInt(size), `${name}_${kind}`),
    );
  }

  /** Lets an object have the node of another one. */
  alias(expr: SymExpr, known: SymExpr): void {
    const source = this.#sources.get(known);
    if (source !== undefined && !this.#sources.has(expr)) this.#sources.set(expr, source);
  }

  /** Whether any value so far is symbolic. */
  get hasSymbols(): boolean {
    return this.#sources.size > 0;
  }

  /** Returns whether a node represents the object. */
  has(expr: SymExpr): boolean {
    return this.#sources.has(expr);
  }

  /** Lets a node represent a symbolic value, unless another does. */
  bind(expr: SymExpr, node: TraceNode<M>): void {
    if (!this.#sources.has(expr)) this.#offer(expr, () => node);
  }

  /** Lets an input represent a symbolic value, though tensors have it too. */
  prefer(expr: SymExpr, node: TraceNode<M>): void {
    const source: Source<M> = { node, make: () => node };
    this.#sources.set(expr, source);
    this.#byValue.set(expr.key, source);
  }

  #offer(expr: SymExpr, make: () => TraceNode<M>): void {
    const source: Source<M> = { node: undefined, make };
    this.#sources.set(expr, source);
    if (!this.#byValue.has(expr.key)) this.#byValue.set(expr.key, source);
  }

  /** Returns the node of an expression, or the number that it is. */
  argument(expr: SymExpr): TraceNode<M> | Argument {
    if (expr.op === "Integer") return expr.value as number;
    if (expr.op === "Float") return float(Number(expr.value));
    const source = this.#sources.get(expr) ?? this.#byValue.get(expr.key);
    if (source === undefined) return this.#compute(expr);
    source.node ??= source.make();
    return source.node;
  }

  /** Reads a size of a tensor, if it was not read before. */
  read(expr: SymExpr): void {
    if (this.#sources.has(expr) || this.#byValue.has(expr.key)) this.argument(expr);
  }

  /** Returns an expression that no tensor has and no arithmetic gave: computed from its parts. */
  #compute(expr: SymExpr): TraceNode<M> {
    const node =
      expr.op === "Symbol"
        ? this.#trace.outside(expr)
        : lowerExpression(expr, (part) => this.argument(part), this.#trace.add);
    if (node === undefined) throw this.#trace.unknown(expr);
    this.#offer(expr, () => node);
    return node;
  }
}
