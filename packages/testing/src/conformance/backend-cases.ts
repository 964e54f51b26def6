/** @file Operators on backends that run programs: each recorded call as a program of one node. */
import { isSconceError } from "@sconce/errors";
import type { Backend, Executable } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { CallProgram } from "./call-program.js";
import type { OpCase, OpCaseFile } from "./op-cases.js";
import { type KnownDifference, knownDifference } from "./op-differences.js";
import {
  type CaseOutcome,
  type OpCaseResult,
  outcomeProblem,
  type PreparedCase,
  prepareCase,
} from "./ops.js";

/** Where calls ran. */
export interface CallCounts {
  /** All of it in kernels. */
  device: number;
  /** Some of it on the host, by partition. */
  partition: number;
  /** Refused, as PyTorch refuses it. */
  refused: number;
  /** Not run: what the call gives is known only from its values, which no program can say. */
  noProgram: number;
}

/** Puts operator cases through a backend. */
export class BackendChecker {
  readonly counts: CallCounts = { device: 0, partition: 0, refused: 0, noProgram: 0 };
  readonly #open: () => Backend;
  readonly #operators: OperatorTable;
  #backend: Backend;

  /** `open` gives a fresh backend for each file, so that its random numbers do not hang on what ran before. */
  constructor(open: () => Backend, operators: OperatorTable) {
    this.#open = open;
    this.#backend = open();
    this.#operators = operators;
  }

  /** How the cases of a file went. Nothing is thrown. */
  async check(file: OpCaseFile, cases: readonly OpCase[] = file.cases): Promise<OpCaseResult[]> {
    this.#backend = this.#open();
    const results: OpCaseResult[] = [];
    for (const one of cases)
      results.push({ id: one.id, target: file.target, problem: await this.#problem(file, one) });
    return results;
  }

  async #problem(file: OpCaseFile, one: OpCase): Promise<string | undefined> {
    const prepared = prepareCase(file, one);
    const { args, kwargs } = prepared;
    let outcome: CaseOutcome;
    try {
      outcome = { result: await this.#run(new CallProgram(file.target, args, kwargs, this.#operators)) };
    } catch (error) {
      if (one.compare !== "error" && isSconceError(error, "DATA_DEPENDENT_GUARD")) {
        this.counts.noProgram++;
        return undefined;
      }
      this.counts.refused++;
      outcome = { error };
    }
    const problem = outcomeProblem(file, one, prepared, outcome, { mayCopy: true });
    const known = problem === undefined || one.compare === "error" ? undefined : knownDifference(file.target);
    return known === undefined ? problem : likeDecomposition(file, one, known, prepared, outcome);
  }

  async #run(call: CallProgram): Promise<unknown> {
    using executable = await this.#backend.compile(call.program);
    const outputs = await executable.run(call.inputs);
    this.counts[isOnDevice(executable) ? "device" : "partition"]++;
    return call.resultOf(outputs as Tensor[]);
  }
}

/** Programs are lowered first, and PyTorch's decomposition of some operators does not agree with its kernel. */
function likeDecomposition(
  file: OpCaseFile,
  one: OpCase,
  { unlike = [], compare }: KnownDifference,
  prepared: PreparedCase,
  outcome: CaseOutcome,
): string | undefined {
  const outputs = (one.outputs ?? []).map((output, i) =>
    unlike.includes(i) ? ({ unspecified: true } as const) : output,
  );
  return outcomeProblem(file, { ...one, outputs }, prepared, outcome, {
    mayCopy: true,
    ...(compare && { compare }),
  });
}

function isOnDevice(executable: Executable): boolean {
  const placement = executable.placement?.();
  if (placement === undefined || placement.fallbacks.length > 0) return false;
  return placement.nodes.every(({ place }) => place === "device");
}
