/** @file What loads the backends that have a name. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { Backend } from "@sconce/ir";
import type { BackendName } from "./backend-names.js";

/** Keeps generated modules by their names; see `KernelCache` of `sconce/wasm`. */
export interface ModuleStore {
  /** Returns what was stored under a name; undefined if there is nothing. */
  get(name: string): Uint8Array<ArrayBuffer> | undefined | Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Stores bytes under a name. */
  set(name: string, stored: Uint8Array<ArrayBuffer>): void | Promise<void>;
}

/** Makes the backend of a name; undefined for other names. */
export type BackendMaker = (
  name: string,
  options: { readonly threads?: number; readonly cache?: ModuleStore },
) => Backend | undefined;

/** A backend that `loadBackend` loads by its name. A new backend is one more name and row. */
interface KnownBackend {
  /**
   * Returns the function that makes the backend of a name; it imports the package of the backend.
   */
  readonly load: () => Promise<BackendMaker>;
  /** The command that installs what the backend needs; undefined if `sconce` depends on it. */
  readonly install?: string;
  /** What may follow the name, as help texts show it. */
  readonly variant?: string;
  /** Whether it computes on as many threads as it is given. */
  readonly hasThreads?: boolean;
  /** Whether it takes a cache of kernels. */
  readonly hasCache?: boolean;
}

const cpuByName = (name: string): Backend | undefined => (name === "cpu" ? cpuBackend() : undefined);

const loadWasm = async (): Promise<BackendMaker> => (await import("@sconce/backend-wasm")).wasmByName;

/** The backends of Sconce's packages, by name. */
export const KNOWN_BACKENDS: Readonly<Record<BackendName, KnownBackend>> = {
  auto: { load: loadWasm, hasThreads: true, hasCache: true },
  cpu: { load: async () => cpuByName },
  wasm: { load: loadWasm, hasThreads: true, hasCache: true },
  gpujs: {
    load: async () => (await import("@sconce/backend-gpujs")).gpujsByName,
    install: "npm install --ignore-scripts gpu.js",
    variant: ":MODE",
  },
};
