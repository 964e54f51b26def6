/** @file Names of backends, without what loads them: every session has these. */

/** The backends that `loadBackend` loads by name; each has a row in `known-backends.ts`. */
export const BACKEND_NAMES = ["cpu", "wasm", "gpujs"] as const;

/** The name that represents the fastest backend that runs here without a GPU. */
export const AUTO = "auto";

/** The name of the backend that runs programs in WebAssembly. */
export const WASM = "wasm";

/** A name of {@link BACKEND_NAMES}, or {@link AUTO}. */
export type BackendName = (typeof BACKEND_NAMES)[number] | typeof AUTO;

/** Returns whether a name, with or without a variant (`gpujs:webasm`), has a row. */
export const isKnownBackend = (name: string): boolean =>
  [AUTO, ...BACKEND_NAMES].some((known) => known === name.split(":")[0]);

/** Other names of GPUs and their interfaces, with the backend that uses them. */
export const OTHER_NAMES: ReadonlyMap<string, BackendName> = new Map(
  ["gpu", "gpu.js", "webgpu", "wgsl", "webgl", "webgl2"].map((name) => [name, "gpujs"]),
);
