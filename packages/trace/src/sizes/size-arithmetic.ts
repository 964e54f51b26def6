/** @file Arithmetic on sizes as nodes, where a program or a decomposition does it. */
import { type Argument, type FloatLiteral, isSymScalar, type SymScalar, symInt } from "@sconce/ir";
import { type IntLike, mul, SymExpr, type SymValue } from "@sconce/symbolic";
import { functionName } from "../names/naming.js";
import { scalarArgument } from "../nodes/argument-of.js";
import { type AddScalarNode, type TraceArgument, TraceNode } from "../nodes/trace-node.js";
import { asPython, scalarOf } from "./size-expressions.js";
import type { SizeNodes } from "./size-nodes.js";

type Operand = SymScalar | Argument;

/** Records arithmetic. Nodes that nothing reads are dropped when the trace is over. */
export class SizeArithmetic<M> {
  readonly #sizes: SizeNodes<M>;
  readonly #add: AddScalarNode<M>;
  /** Nodes of what came to a number or a truth value, where the source program has them. */
  readonly #constants = new WeakMap<SymScalar, TraceNode<M>>();
  /**
   * A number that the last computation of a decomposition came to: arithmetic that follows reads
   * its node, operators the number.
   */
  #lastNumber: { readonly value: number; readonly node: TraceNode<M> } | undefined;

  constructor(sizes: SizeNodes<M>, add: AddScalarNode<M>) {
    this.#sizes = sizes;
    this.#add = add;
  }

  /** Records arithmetic of the source program. */
  evaluated(value: SymScalar, target: string, args: readonly Operand[]): void {
    const [python, operands, result] = asPython(target, args, value);
    const node = this.#compute(
      python,
      operands.map((arg) => this.operand(arg)),
      result,
    );
    if (node === undefined) return;
    if (value.expr instanceof SymExpr) this.#sizes.bind(value.expr, node);
    else this.#constants.set(value, node);
  }

  /** Returns the node of a value of the source program, also of one that came to a constant. */
  operand(arg: Operand): TraceArgument<M> {
    if (!isSymScalar(arg)) return arg;
    return this.#constants.get(arg) ?? scalarArgument(arg, (expr) => this.#sizes.argument(expr));
  }

  /** Records arithmetic of a decomposition. */
  computed(target: string, args: readonly (SymValue | FloatLiteral)[], result: SymValue): void {
    if (typeof result === "boolean") return;
    const last = this.#lastNumber;
    const operands = args.map((arg) => {
      if (arg instanceof SymExpr) return this.#sizes.argument(arg);
      return arg === last?.value ? last.node : arg;
    });
    const node = this.#compute(
      target,
      operands,
      result instanceof SymExpr ? scalarOf(result) : symInt(result),
    );
    if (node === undefined) return;
    if (result instanceof SymExpr) this.#sizes.bind(result, node);
    this.#lastNumber = typeof result === "number" ? { value: result, node } : undefined;
  }

  /** Multiplies sizes in the given order; the result is `count`. */
  multiplied(count: IntLike, sizes: readonly IntLike[]): void {
    if (!(count instanceof SymExpr) || this.#sizes.has(count)) return;
    const product = sizes.reduce((left, right) => {
      // A product with 1 is the object of the other factor.
      if (left === 1) return right;
      if (right === 1) return left;
      const result = mul(left, right);
      this.computed("operator.mul", [left, right], result);
      return result;
    }, 1);
    const node = product instanceof SymExpr ? this.#sizes.argument(product) : product;
    if (node instanceof TraceNode) this.#sizes.bind(count, node);
  }

  #compute(target: string, args: readonly TraceArgument<M>[], value: SymScalar): TraceNode<M> | undefined {
    // PyTorch records no product with 1.
    if (target === "operator.mul" && args.includes(1)) return undefined;
    if (!args.some((arg) => arg instanceof TraceNode)) return undefined;
    return this.#add(target, args, value, functionName(target));
  }
}
