/**
 * @file Lazy conjugation: `_conj` only marks its result, views keep the mark, and an operator that
 * does not know of it is given a resolved copy (`aten/src/ATen/ConjugateFallback.cpp`).
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { EmitArg, OpDefinition } from "@sconce/ops";

/** Operators that take marked tensors as they are. */
const AWARE = new Set([
  "mm",
  "bmm",
  "addmm",
  "addbmm",
  "baddbmm",
  "addmv",
  "dot",
  "vdot",
  "clone",
  "_conj",
  "_neg_view",
  "linalg_svd",
  "linalg_solve_triangular",
]);

export class ConjugateMarks {
  readonly #marked = new WeakSet<FakeTensor>();

  /**
   * Returns the arguments with marked tensors resolved by `resolve`, unless the operator is aware
   * of the mark.
   */
  resolved(
    row: OpDefinition,
    args: readonly EmitArg[],
    resolve: (tensor: FakeTensor) => FakeTensor,
  ): readonly EmitArg[] {
    if (row.schema.isView || AWARE.has(row.schema.name)) return args;
    const change = (arg: EmitArg): EmitArg => {
      if (arg instanceof FakeTensor) return this.#marked.has(arg) ? resolve(arg) : arg;
      return Array.isArray(arg) ? (arg as readonly EmitArg[]).map(change) : arg;
    };
    return args.some((arg) => Array.isArray(arg) || (arg instanceof FakeTensor && this.#marked.has(arg)))
      ? args.map(change)
      : args;
  }

  has(tensor: FakeTensor): boolean {
    return this.#marked.has(tensor);
  }

  /** Marks the result of `_conj`, and of views of marked tensors. */
  note(row: OpDefinition, args: readonly EmitArg[], result: MetaValue): void {
    if (!row.schema.isView || !(args[0] instanceof FakeTensor)) return;
    const marked = this.#marked.has(args[0]) !== (row.target === "aten._conj.default");
    if (!marked) return;
    for (const item of Array.isArray(result) ? result : [result])
      if (item instanceof FakeTensor) this.#marked.add(item);
  }
}
