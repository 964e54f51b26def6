/**
 * @file The nodes of symbolic sizes while a program is traced: made when somebody uses a size, as
 * `torch.fx.experimental.proxy_tensor` makes them (`track_tensor`, `_sym_register`).
 */
import { type Argument, type FakeTensor, float, symInt } from "@sconce/ir";
import { mul, SymExpr, type SymInt } from "@sconce/symbolic";
import { unknownSymbol } from "./errors.js";
import { lowerExpression } from "./lower-expression.js";
import type { AddScalarNode, TraceNode } from "./trace-node.js";

/** The node of an expression, or a function that makes it at its first use. */
type Source = TraceNode | (() => TraceNode);

/** Finds the nodes of symbolic values by their expressions. The first source of each is kept. */
export class SizeNodes {
  readonly #sources = new Map<string, Source>();
  /** Results of arithmetic: each has a separate node, as in PyTorch. */
  readonly #results = new WeakMap<SymExpr, TraceNode>();
  readonly #add: AddScalarNode;
  readonly #outside: (expr: SymExpr) => TraceNode | undefined;

  /** @param outside finds a symbol that no value of this graph has in the graph around it */
  constructor(add: AddScalarNode, outside: (expr: SymExpr) => TraceNode | undefined) {
    this.#add = add;
    this.#outside = outside;
  }

  /** Makes the sizes, the strides, the number of elements and the offset of a tensor readable. */
  track({ shape, strides, storageOffset }: FakeTensor, node: TraceNode): void {
    if (shape.every(isNumber) && strides.every(isNumber) && typeof storageOffset === "number") return;
    const read = (size: SymInt, property: string, ...dim: number[]): void => {
      if (!(size instanceof SymExpr)) return;
      const name = `sym_${property}`;
      this.#offer(size, () =>
        this.#add(
          `aten.${name}.${dim.length > 0 ? "int" : "default"}`,
          [node, ...dim],
          symInt(size),
          `${name}${dim.length > 0 ? "_int" : "_default"}`,
        ),
      );
    };
    for (const [dim, size] of shape.entries()) read(size, "size", dim);
    for (const [dim, stride] of strides.entries()) read(stride, "stride", dim);
    read(
      shape.reduce((count, size) => mul(count, size), 1 as SymInt),
      "numel",
    );
    read(storageOffset, "storage_offset");
  }

  /** Lets a node stand for the result of arithmetic: that object, and equal ones without a node. */
  bindResult(expr: SymExpr, node: TraceNode): void {
    this.#results.set(expr, node);
    this.#offer(expr, node);
  }

  /** Lets a node stand for a symbolic value, unless another does. */
  bind(expr: SymExpr, node: TraceNode): void {
    this.#offer(expr, node);
  }

  /** Lets an input stand for a symbolic value, though tensors have it too. */
  prefer({ key }: SymExpr, node: TraceNode): void {
    this.#sources.set(key, node);
  }

  #offer({ key }: SymExpr, source: Source): void {
    if (!this.#sources.has(key)) this.#sources.set(key, source);
  }

  /** The node of an expression, or the number that it is. @throws SconceError `UNKNOWN_SYMBOL` */
  argument(expr: SymExpr): TraceNode | Argument {
    if (expr.op === "Integer") return expr.value as number;
    if (expr.op === "Float") return float(Number(expr.value));
    const source = this.#results.get(expr) ?? this.#sources.get(expr.key);
    if (source === undefined) return this.#compute(expr);
    if (typeof source !== "function") return source;
    const node = source();
    this.#sources.set(expr.key, node);
    return node;
  }

  /** Reads a size of a tensor, if it was not read before. */
  read(expr: SymExpr): void {
    if (this.#sources.has(expr.key)) this.argument(expr);
  }

  /** An expression that no tensor has and no arithmetic gave: computed from its parts. */
  #compute(expr: SymExpr): TraceNode {
    const node =
      expr.op === "Symbol"
        ? this.#outside(expr)
        : lowerExpression(expr, (part) => this.argument(part), this.#add);
    if (node === undefined) throw unknownSymbol(expr);
    this.#sources.set(expr.key, node);
    return node;
  }
}

const isNumber = (size: unknown): boolean => typeof size === "number";
