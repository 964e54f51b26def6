import type { Argument, FakeTensor, FloatLiteral, IntLike, MetaValue, SymScalar } from "@sconce/ir";
import type { SymEnv, SymExpr, SymValue } from "@sconce/symbolic";

/**
 * Anything a decomposition may pass to an operator. Dtypes, layouts and memory formats may be given
 * by name where the schema expects them; an integral number is a Python int unless the schema says
 * `float` (use `float(2)` for a `Scalar` that is a Python float); symbolic sizes are expressions.
 */
export type EmitArg = FakeTensor | IntLike | SymScalar | Argument | undefined | readonly EmitArg[];

/**
 * Calls operators from inside a decomposition. Depending on the caller, a call adds a node to a
 * graph, computes a fake result, or runs a kernel. Operators that the table decomposes are
 * decomposed recursively.
 */
export interface Emit {
  /**
   * An operator with one tensor result. Positional arguments as Python writes them; `undefined` is
   * left out.
   */
  (target: string, args: readonly EmitArg[], kwargs?: Readonly<Record<string, EmitArg>>): FakeTensor;
  /** Emits an operator with several results, or a tensor list. */
  many(
    target: string,
    args: readonly EmitArg[],
    kwargs?: Readonly<Record<string, EmitArg>>,
  ): readonly FakeTensor[];
  /** Any operator: results as they are (symbolic scalars of `item`, null of assertions). */
  value(target: string, args: readonly EmitArg[], kwargs?: Readonly<Record<string, EmitArg>>): MetaValue;
  /** Decides conditions on symbolic sizes. */
  readonly env: SymEnv;
  /**
   * True where calls run on values. The few decompositions of PyTorch that do not compute what its
   * kernels do follow the kernels there.
   */
  readonly runsKernels?: boolean;
  /**
   * True where results get the strides of the operator afterwards. Decompositions then leave out
   * the copies that PyTorch's make only for their strides.
   */
  readonly laysOut?: boolean;
  /**
   * Receives arithmetic on symbolic sizes where PyTorch records it, with its result: a tracer adds
   * the node `operator.mul(a, b)` there. Sizes are also computed without it.
   */
  readonly arithmetic?: (
    target: string,
    args: readonly (SymValue | FloatLiteral)[],
    result: SymValue,
  ) => void;
  /**
   * Receives a tensor whose number of elements a decomposition asks for, where that is symbolic: a
   * tracer adds the node `aten.sym_numel.default(tensor)` there.
   */
  readonly counted?: (tensor: FakeTensor, count: SymExpr) => void;
  /** Returns whether the conjugation of a tensor is pending, as in PyTorch's `is_conj()`. */
  readonly isConjugated?: (tensor: FakeTensor) => boolean;
  /** Receives a tensor and the sizes of a view that it may have, one of which was computed. */
  readonly regrouped?: (tensor: FakeTensor, sizes: readonly IntLike[]) => void;
}
