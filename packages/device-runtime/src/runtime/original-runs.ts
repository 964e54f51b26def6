/** @file Runs of a program as it was before it was lowered. */
import type { Backend, ExportedProgram, RunOptions, Value } from "@sconce/ir";
import { type Write, writeBack } from "@sconce/ops";
import { areDecidedSo, type SizeDecision } from "@sconce/passes";
import type { Bindings } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";

/** Why no call of a run is on the device. */
export const OTHER_DECISIONS = "lowering decided about other sizes";

/** Thrown within a run whose sizes have other answers than lowering took. */
export class OtherDecisions extends Error {}

/**
 * Lowering decides questions about sizes by the example values. For sizes with other answers, the
 * host runs the program as it was.
 */
export class OriginalRuns {
  readonly #original: ExportedProgram;
  readonly #host: Backend;
  readonly #decisions: readonly SizeDecision[];

  constructor(original: ExportedProgram, host: Backend, decisions: readonly SizeDecision[]) {
    this.#original = original;
    this.#host = host;
    this.#decisions = decisions;
  }

  /** @throws OtherDecisions */
  require(sizes: Bindings): void {
    if (this.#decisions.length > 0 && !areDecidedSo(this.#decisions, sizes)) throw new OtherDecisions();
  }

  /**
   * @param state the tensors of the executable, by the names of the program; runs may write to them
   */
  async run(
    state: ReadonlyMap<string, Tensor>,
    inputs: readonly Value[],
    { signal }: RunOptions,
  ): Promise<readonly Value[]> {
    const now = (tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
      new Map([...tensors].map(([name, tensor]) => [name, state.get(name) ?? tensor]));
    const { stateDict, constants } = this.#original;
    const program = this.#original.with({ stateDict: now(stateDict), constants: now(constants) });
    const executable = await this.#host.compile(program);
    try {
      const results = await executable.run(inputs, signal === undefined ? {} : { signal });
      const writes = [...(executable.state ?? [])].flatMap(([name, value]): Write[] => {
        const place = state.get(name);
        return place === undefined || place === value ? [] : [{ name, place, value }];
      });
      writeBack(writes);
      return results;
    } finally {
      executable.dispose();
    }
  }
}
