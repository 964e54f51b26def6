/** @file Operators on backends that run programs: each recorded call as a program of one node. */
import { isSconceError } from "@sconce/errors";
import type { Backend, Executable } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { type KnownDifference, knownDifference } from "../checks/differences.js";
import { type CaseOutcome, outcomeProblem, type PreparedCase, prepareCase } from "../checks/outcome.js";
import type { OpCase } from "../recorded/case.js";
import { CallProgram } from "./call-program.js";

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

/**
 * Opens a fresh backend. A checker calls it once for each overload, so that random numbers do not
 * depend on what ran before.
 */
export type OpenBackend = () => Backend | Promise<Backend>;

/** Puts recorded calls through a backend. */
export class BackendChecker {
  /** How the calls ran so far. */
  readonly counts: CallCounts = { device: 0, partition: 0, refused: 0, noProgram: 0 };
  readonly #open: OpenBackend;
  readonly #operators: OperatorTable;
  readonly #backends = new Map<string, Backend>();

  constructor(open: OpenBackend, operators: OperatorTable) {
    this.#open = open;
    this.#operators = operators;
  }

  /** Checks a case and returns what is wrong, or undefined. Nothing is thrown. */
  async problem(one: OpCase): Promise<string | undefined> {
    const prepared = prepareCase(one);
    const { args, kwargs } = prepared;
    let outcome: CaseOutcome;
    try {
      outcome = { result: await this.#run(one, new CallProgram(one.target, args, kwargs, this.#operators)) };
    } catch (error) {
      if (one.compare !== "error" && isSconceError(error, "DATA_DEPENDENT_GUARD")) {
        this.counts.noProgram++;
        return undefined;
      }
      this.counts.refused++;
      outcome = { error };
    }
    const problem = outcomeProblem(one, prepared, outcome, { mayCopy: true });
    const known = problem === undefined || one.compare === "error" ? undefined : knownDifference(one.target);
    return known === undefined ? problem : likeDecomposition(one, known, prepared, outcome);
  }

  async #run({ target }: OpCase, call: CallProgram): Promise<unknown> {
    const backend = this.#backends.get(target) ?? (await this.#open());
    this.#backends.set(target, backend);
    using executable = await backend.compile(call.program);
    const outputs = await executable.run(call.inputs);
    this.counts[isOnDevice(executable) ? "device" : "partition"]++;
    return call.resultOf(outputs as Tensor[]);
  }
}

/**
 * Programs are lowered first, and PyTorch's decomposition of some operators does not agree with its
 * kernel.
 */
function likeDecomposition(
  one: OpCase,
  { unlike = [], compare }: KnownDifference,
  prepared: PreparedCase,
  outcome: CaseOutcome,
): string | undefined {
  const outputs = (one.outputs ?? []).map((output, i) =>
    unlike.includes(i) ? ({ unspecified: true } as const) : output,
  );
  return outcomeProblem({ ...one, outputs }, prepared, outcome, {
    mayCopy: true,
    ...(compare && { compare }),
  });
}

function isOnDevice(executable: Executable): boolean {
  const placement = executable.placement?.();
  if (placement === undefined || placement.fallbacks.length > 0) return false;
  return placement.nodes.every(({ place }) => place === "device");
}
