/**
 * @file Lazy conjugation and negation: `_conj` and `_neg_view` only mark their results, views keep
 * the marks, and an operator that does not know of them is given a resolved copy
 * (`aten/src/ATen/MathBitsFallback.h`).
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { EmitArg, OpDefinition } from "@sconce/ops";
import { FunctionalTensor } from "./functional-tensor.js";

/** Operators that take both kinds of marked tensors as they are (`MathBitFallThroughLists.h`). */
const UTILITIES = [
  "_conj",
  "_neg_view",
  "_unsafe_view",
  "clone",
  "copy_",
  "empty_like",
  "full_like",
  "linalg_solve_triangular",
  "linalg_svd",
  "repeat_interleave",
];

/** Operators that conjugate operands themselves (`ConjugateFallback.cpp`). */
const PRODUCTS = ["mm", "bmm", "addmm", "baddbmm", "dot", "vdot", "conj_physical", "_conj_physical"];

/** A kind of mark: the operator that sets it, and those that take it. */
class Mark {
  readonly #tensors = new WeakSet<FakeTensor>();
  readonly #setBy: string;
  readonly #aware: ReadonlySet<string>;
  #isSet = false;

  constructor(setBy: string, aware: readonly string[]) {
    this.#setBy = setBy;
    this.#aware = new Set(aware);
  }

  has(tensor: FakeTensor): boolean {
    return this.#tensors.has(tensor instanceof FunctionalTensor ? tensor.lastValue : tensor);
  }

  /** Views and writes see to the mark themselves. Most programs mark nothing. */
  isTakenBy({ schema }: OpDefinition): boolean {
    return !this.#isSet || schema.isView || schema.isMutable || this.#aware.has(schema.name);
  }

  note(row: OpDefinition, base: FakeTensor, results: readonly MetaValue[]): void {
    if (this.has(base) === (row.target === this.#setBy)) return;
    this.#isSet = true;
    for (const item of results) if (item instanceof FakeTensor) this.#tensors.add(item);
  }
}

/** The tensors of a lowering whose conjugation or negation is pending. */
export class PendingMarks {
  readonly #conjugated = new Mark("aten._conj.default", [...UTILITIES, ...PRODUCTS]);
  readonly #negated = new Mark("aten._neg_view.default", UTILITIES);

  readonly isConjugated = (tensor: FakeTensor): boolean => this.#conjugated.has(tensor);

  has(tensor: FakeTensor): boolean {
    return this.#conjugated.has(tensor) || this.#negated.has(tensor);
  }

  /**
   * Returns the arguments with marked tensors resolved by `resolve`, unless the operator is aware
   * of the mark.
   */
  resolved(
    row: OpDefinition,
    given: readonly EmitArg[],
    resolve: (tensor: FakeTensor) => FakeTensor,
  ): readonly EmitArg[] {
    let args = given;
    for (const mark of [this.#conjugated, this.#negated]) {
      if (mark.isTakenBy(row)) continue;
      const change = (arg: EmitArg): EmitArg => {
        if (arg instanceof FakeTensor) return mark.has(arg) ? resolve(arg) : arg;
        return Array.isArray(arg) ? (arg as readonly EmitArg[]).map(change) : arg;
      };
      if (args.some((arg) => Array.isArray(arg) || (arg instanceof FakeTensor && mark.has(arg))))
        args = args.map(change);
    }
    return args;
  }

  /** Marks the result of `_conj` and `_neg_view`, and of views of marked tensors. */
  note(row: OpDefinition, args: readonly EmitArg[], result: MetaValue): void {
    const [base] = args;
    if (!row.schema.isView || !(base instanceof FakeTensor)) return;
    const results = Array.isArray(result) ? (result as readonly MetaValue[]) : [result];
    for (const mark of [this.#conjugated, this.#negated]) mark.note(row, base, results);
  }
}
