/** @file Errors of checking. */
import { SconceError } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { ResultDifference } from "./compare.js";
import type { NodeDifference } from "./first-node.js";

/** A pass changed what the program computes. */
export class PassChangedNumbers extends SconceError {
  /** Which result differs. */
  readonly difference: ResultDifference;
  /** The first node that differs, where one stands for a node before. */
  readonly node: NodeDifference | undefined;
  /** The inputs on which it shows. */
  readonly inputs: readonly Value[];

  constructor(
    place: string,
    difference: ResultDifference,
    node: NodeDifference | undefined,
    run: {
      readonly inputs: readonly Value[];
      readonly index: number;
      readonly output?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    const output = run.output === undefined ? "" : ` (%${run.output})`;
    const was = node === undefined || node.before === node.node ? "" : `, %${node.before} before`;
    const first =
      node === undefined
        ? ""
        : `; the first node that differs is %${node.node} = ${node.target}${was}: ${node.problem}`;
    super({
      code: "PASS_CHANGED_NUMBERS",
      message: `${place} changed numbers, run ${run.index + 1} on (${run.inputs.map(summary).join(", ")}): ${difference.what}${output}: ${difference.problem}${first}`,
      where: node?.node ?? run.output,
      fix: "`sconce bisect` narrows it down to a rewrite and a small program; a pass that changes numbers on purpose says so with `changesNumbers`",
      cause: run.cause,
    });
    this.difference = difference;
    this.node = node;
    this.inputs = run.inputs;
  }
}

const summary = (value: Value): string =>
  value instanceof Tensor ? `${value.dtype}[${value.shape.join(", ")}]` : String(value);

/** That nothing differs is not said when nothing was compared. */
export const nothingCompared = (place: string, why: string): SconceError =>
  new SconceError({
    code: "NOTHING_COMPARED",
    message: `${place} cannot be checked: ${why}`,
    fix: "give inputs that the program takes, or do without the check",
  });

export const noRunner = (): SconceError =>
  new SconceError({
    code: "NO_RUNNER",
    message: "passes cannot be checked: there is nothing here to run programs with",
    fix: "use createSconce(), or give the pass manager's context a `run`, such as createRunner() of @sconce/backend-cpu",
  });
