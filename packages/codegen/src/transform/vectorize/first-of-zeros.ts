/** @file Which zero is the greatest or the least of many: the first, whose sign counts. */
import {
  elementOf,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
  type KernelVariable,
  literal,
} from "../../kernel/kernel.js";
import type { ForStatement } from "./lanes.js";
import { ScalarCopy } from "./scalar-copy.js";

const FLOATS: ReadonlySet<string> = new Set(["float16", "bfloat16", "float32", "float64"]);

/**
 * Zeros of both signs are equal, and lanes do not find the first of them. Where a total is zero,
 * the loop runs again, one iteration after the other.
 */
export class FirstOfZeros {
  /** Whether there are further totals, which may not be computed twice. */
  readonly isRefused: boolean;
  /** The totals that can be zeros of both signs, with what they were before the loop. */
  readonly #saved = new Map<KernelVariable, KernelVariable>();

  constructor(totals: ReadonlyMap<KernelVariable, KernelOp>, before: KernelStatement[]) {
    for (const [variable, op] of totals) {
      if ((op !== "max" && op !== "min") || !FLOATS.has(elementOf(variable.type))) continue;
      const saved: KernelVariable = { kind: "variable", type: variable.type };
      before.push({ kind: "variable", variable: saved, initial: variable });
      this.#saved.set(variable, saved);
    }
    this.isRefused = this.#saved.size > 0 && this.#saved.size < totals.size;
  }

  /** Runs the loop again after it, if a total is zero. */
  search(loop: ForStatement, after: KernelStatement[]): void {
    let isZero: KernelOperand | undefined;
    const emit = (op: KernelOp, args: readonly KernelOperand[]): KernelValue => {
      const value: KernelValue = { kind: "value", type: "bool" };
      after.push({ kind: "let", value, op, args });
      return value;
    };
    for (const variable of this.#saved.keys()) {
      const one = emit("eq", [variable, literal(0, variable.type)]);
      isZero = isZero === undefined ? one : emit("or", [isZero, one]);
    }
    if (isZero === undefined) return;
    const then: KernelStatement[] = [...this.#saved].map(([variable, value]) => ({
      kind: "assign",
      variable,
      value,
    }));
    new ScalarCopy(then).block([loop]);
    after.push({ kind: "if", condition: isZero, then, otherwise: [] });
  }
}
