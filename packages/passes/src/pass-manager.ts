import { isSconceError, SconceError } from "@sconce/errors";
import { ExportedProgram, recordPass, verify, verifyTransition } from "@sconce/ir";
import { type Pass, type PassCall, type PassContext, passCall } from "./pass.js";

/** What happened in one step of a run. */
export interface PassEvent {
  readonly pass: Pass;
  /** Counts from 0. */
  readonly step: number;
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
  readonly milliseconds: number;
}

/** Sees every step: printing, timing, checking and viewers are observers. */
export type PassObserver = (event: PassEvent) => void;

export interface PassManagerOptions {
  /** Verify the program before the first pass and after each, and that no pass loses metadata. */
  readonly verify?: boolean;
  /** Keep each pass's change of the graph in `program.history`, as patches. */
  readonly record?: boolean;
  readonly observers?: readonly PassObserver[];
}

/** The program before a pass, and the metadata that it may take away. */
interface Transition {
  readonly before: ExportedProgram;
  readonly drops: Pass["drops"];
}

/**
 * Runs passes in order. The program that goes in is never changed; an error names the pass and the step, and carries
 * what was thrown as its cause.
 */
export class PassManager {
  readonly #context: PassContext;
  readonly #options: PassManagerOptions;

  constructor(context: PassContext, options: PassManagerOptions = {}) {
    this.#context = context;
    this.#options = options;
  }

  /** @throws SconceError `PASS_FAILED`, `PASS_REQUIRES`, `INVALID_PROGRAM` */
  run(program: ExportedProgram, passes: readonly (Pass | PassCall)[]): ExportedProgram {
    if (this.#options.verify) this.#verify(program, "before the first pass");
    return passes
      .map((item) => ("pass" in item ? item : passCall(item)))
      .reduce((current, call, step) => this.#step(current, call, step), program);
  }

  #step(before: ExportedProgram, { pass, options }: PassCall, step: number): ExportedProgram {
    const place = `pass "${pass.name}" (step ${step + 1})`;
    if (pass.requires !== undefined && before.dialect !== pass.requires) {
      throw new SconceError({
        code: "PASS_REQUIRES",
        message: `${place} needs a program in the ${pass.requires} dialect, this one is in ${before.dialect}`,
        fix:
          pass.requires === "ATEN"
            ? 'put "decompose" before it'
            : `give it a program in the ${pass.requires} dialect`,
      });
    }
    const start = performance.now();
    const result = this.#run(before, pass, options, place);
    const milliseconds = performance.now() - start;
    if (this.#options.verify && result !== before)
      this.#verify(result, `after ${place}`, { before, drops: pass.drops });
    const after = this.#options.record && !pass.drops ? recordPass(pass.name, before, result) : result;
    for (const observe of this.#options.observers ?? []) observe({ pass, step, before, after, milliseconds });
    return after;
  }

  #run(program: ExportedProgram, pass: Pass, options: PassCall["options"], place: string): ExportedProgram {
    let result: unknown;
    try {
      result = pass.run(program, this.#context, options);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new SconceError({
        code: "PASS_FAILED",
        message: `${place} failed: ${message}`,
        where: isSconceError(error) ? error.where : undefined,
        fix: isSconceError(error) ? error.fix : undefined,
        cause: error,
      });
    }
    if (result instanceof ExportedProgram) return result;
    throw new SconceError({
      code: "PASS_FAILED",
      message: `${place} returned no program`,
      fix: "return the program, the same object when nothing changed",
    });
  }

  #verify(program: ExportedProgram, when: string, step?: Transition): void {
    const problems = verify(program, { operators: this.#context.operators });
    // A change of dialect makes all nodes anew: their names are no longer the same nodes'.
    if (step?.before.dialect === program.dialect)
      problems.push(...verifyTransition(step.before, program, step.drops));
    if (problems.length === 0) return;
    throw new SconceError({
      code: "INVALID_PROGRAM",
      message: `the program is not valid ${when}: ${problems.map((problem) => problem.message).join("; ")}`,
      where: problems[0]!.node,
    });
  }
}
