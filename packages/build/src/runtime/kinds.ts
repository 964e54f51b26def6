/** @file Chooses among kernels of several kinds: with relaxed SIMD, for several threads. */
import type { Threads } from "./engine.js";
import { ModelError } from "./error.js";
import type { Choice, LoadOptions, WasmFiles } from "./model.js";
import type { MakeThreads } from "./threads.js";

/** Kernels that not all engines take. */
interface Kind extends WasmFiles {
  /** A module that only engines take which can run these kernels. */
  readonly probe?: Uint8Array<ArrayBuffer>;
  /** Whether threads share the memory. */
  readonly isShared?: true;
}

/** Returns what chooses: the first kernels that fit; undefined for those of all engines. */
export function chooser(
  kinds: readonly Kind[],
  makeThreads?: MakeThreads,
): (options: LoadOptions) => Choice | undefined {
  return ({ wasm, threads: asked = 1 }) => {
    const isGiven = wasm !== undefined && typeof wasm !== "function";
    let threads: Threads | undefined;
    if (isGiven || makeThreads === undefined) {
      if (asked !== 1 && asked !== "auto")
        throw new ModelError(
          "INVALID_ARGUMENT",
          isGiven
            ? "these kernels have one thread: give `wasm` as a function of the name of the file"
            : "the kernels of this module have one thread: build it with threads",
        );
    } else threads = makeThreads(asked);
    const part = kinds.find(
      ({ probe, isShared }) =>
        !isGiven &&
        (probe === undefined || WebAssembly.validate(probe)) &&
        (threads !== undefined) === (isShared === true),
    );
    return part && { part, threads };
  };
}
