/** @file What a case of an operator is put through: the run, the shape rule, the decomposition. */
import { createEvaluator } from "@sconce/backend-cpu";
import type { Sconce } from "sconce";
import { notTheInterpreter } from "./errors.js";
import type { OpCase, OpCaseFile } from "./op-cases.js";
import { checkDecomposition, decomposedCall } from "./op-decomposition.js";
import { checkFake } from "./op-fake.js";
import { checkOpCase, type OpCaseResult, type OperatorCall } from "./ops.js";

/** Operators whose fresh outputs keep the layout of dense inputs, so that recorded strides have to match. */
const LAYOUT_MATTERS = /^aten\.(clone|_to_copy|empty_like|full_like|zeros_like|ones_like|contiguous)\./;

/** The checks there are, in the order in which they are made. */
export const OP_CHECKS = ["run", "fake", "decomposition"] as const;
export type OpCheck = (typeof OP_CHECKS)[number];

/** How often each check was made. */
export type CheckCounts = Record<OpCheck, number>;

/** Puts operator cases through the chosen checks. Only the interpreter runs single operators. */
export class OpChecker {
  readonly counts: CheckCounts = { run: 0, fake: 0, decomposition: 0 };
  readonly #sconce: Sconce;
  readonly #checks: ReadonlySet<OpCheck>;

  constructor(sconce: Sconce, backend: string, checks: readonly OpCheck[] = OP_CHECKS) {
    if (backend !== "cpu") {
      throw notTheInterpreter(backend);
    }
    this.#sconce = sconce;
    this.#checks = new Set(checks);
  }

  /** The first problem of every case, with the check that found it. Nothing is thrown. */
  check(file: OpCaseFile): OpCaseResult[] {
    const checks = this.#of(file);
    if (checks.length === 0) return [];
    return file.cases.map((one) => {
      for (const [name, run] of checks) {
        // A call that must be refused has no result to predict or to decompose.
        if (name !== "run" && one.compare === "error") continue;
        this.counts[name]++;
        const problem = run(one);
        if (problem !== undefined) return { id: one.id, target: file.target, problem: `${name}: ${problem}` };
      }
      return { id: one.id, target: file.target, problem: undefined };
    });
  }

  #of(file: OpCaseFile): [OpCheck, (one: OpCase) => string | undefined][] {
    const { operators } = this.#sconce;
    const row = operators.get(file.target);
    const strict = LAYOUT_MATTERS.test(file.target) || row?.tags.includes("pointwise") === true;
    // One generator of random numbers for a file: its results do not hang on what ran before.
    const call = createEvaluator({ operators }) as OperatorCall;
    const decomposed = decomposedCall(file, operators);
    const checks: [OpCheck, (one: OpCase) => string | undefined][] = [
      ["run", (one) => checkOpCase(file, one, call, { checkStrides: () => strict })],
    ];
    if (row !== undefined) checks.push(["fake", (one) => checkFake(file, one, operators, call)]);
    if (decomposed !== undefined)
      checks.push(["decomposition", (one) => checkDecomposition(file, one, decomposed)]);
    return checks.filter(([name]) => this.#checks.has(name));
  }
}
