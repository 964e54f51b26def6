/** @file A compiled program: an interpreter behind the contract of backends. */
import type { Executable, NodeProfile, RunOptions, Value } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { DispatchingInterpreter } from "./interpreter.js";

/** Runs a program on the interpreter; see {@link Executable}. */
export class CpuExecutable implements Executable {
  readonly #interpreter: DispatchingInterpreter;

  constructor(interpreter: DispatchingInterpreter) {
    this.#interpreter = interpreter;
  }

  get state(): ReadonlyMap<string, Tensor> {
    return this.#interpreter.state;
  }

  run(inputs: readonly Value[], options?: RunOptions): Promise<readonly Value[]> {
    return this.#interpreter.run(inputs, options);
  }

  profile(): readonly NodeProfile[] {
    return this.#interpreter.profile;
  }

  dispose(): void {
    this.#interpreter.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
