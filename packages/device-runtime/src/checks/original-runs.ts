/** @file Runs of a program as it was before it was lowered. */
import type { Backend, Executable, ExportedProgram, RunOptions, Value } from "@sconce/ir";
import { type Write, writeBack } from "@sconce/ops";
import type { Bindings } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { areDecidedSo, type SizeDecision } from "@sconce/trace";
import { areAtLeast, type LeastSize } from "../prepare/aliased-results.js";

/** Thrown within a run that the host has to do, with the reason. */
export class HostRun extends Error {}

/** What runs the program as it was. */
export interface OriginalInit {
  /** The program as it was given: what inputs are checked against. */
  readonly original: ExportedProgram;
  /** What lowering decided about sizes. */
  readonly decisions: readonly SizeDecision[];
  /** What sizes must not be below, for the same reason. */
  readonly leastSizes: readonly LeastSize[];
  readonly host: Backend;
  /** The executables of the host, by the names of regions; their owner disposes of them. */
  readonly hosts: Map<string, Promise<Executable>>;
}

/**
 * Lowering decides questions about sizes by the example values. For sizes with other answers, the
 * host runs the program as it was.
 */
export class OriginalRuns {
  readonly #init: OriginalInit;

  constructor(init: OriginalInit) {
    this.#init = init;
  }

  /** @throws HostRun for sizes that the lowered program does not serve */
  require(sizes: Bindings): void {
    for (const size of sizes.values())
      if (!Number.isSafeInteger(size)) throw new HostRun("a size is 2^53 or more");
    const { decisions, leastSizes } = this.#init;
    if (decisions.length > 0 && !areDecidedSo(decisions, sizes))
      throw new HostRun("lowering decided about other sizes");
    if (!areAtLeast(leastSizes, sizes))
      throw new HostRun("a loop has so few rows that it gives an operand, which is written to");
  }

  /**
   * @param state the tensors of the executable, by the names of the program; runs may write to them
   */
  async run(
    state: ReadonlyMap<string, Tensor>,
    inputs: readonly Value[],
    { signal }: RunOptions,
  ): Promise<readonly Value[]> {
    const executable = await this.#executable(state);
    const results = await executable.run(inputs, signal === undefined ? {} : { signal });
    writeBack(writesOf(executable, state));
    return results;
  }

  /** One that writes to its state is made anew for each run, from the state as it is then. */
  async #executable(state: ReadonlyMap<string, Tensor>): Promise<Executable> {
    const { hosts } = this.#init;
    const kept = await hosts.get(WHOLE);
    if (kept !== undefined && writesOf(kept, state).length === 0) return kept;
    kept?.dispose();
    const made = this.#compile(state);
    hosts.set(WHOLE, made);
    return made;
  }
  #compile(state: ReadonlyMap<string, Tensor>): Promise<Executable> {
    const { original, host } = this.#init;
    const now = (tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
      new Map([...tensors].map(([name, tensor]) => [name, state.get(name) ?? tensor]));
    const { stateDict, constants } = original;
    return host.compile(original.with({ stateDict: now(stateDict), constants: now(constants) }));
  }
}

/** The name of the executable among those of the host's regions. */
const WHOLE = "";

/** State that an executable has copies of, because its runs write to it. */
const writesOf = (executable: Executable, state: ReadonlyMap<string, Tensor>): readonly Write[] =>
  [...(executable.state ?? [])].flatMap(([name, value]): Write[] => {
    const place = state.get(name);
    return place === undefined || place === value ? [] : [{ name, place, value }];
  });
