/** @file The backends that a name loads, and other names that people call them. */
import { cpuBackend } from "@sconce/backend-cpu";
import type { Backend } from "@sconce/ir";

/** A backend that `loadBackend` loads by its name. A new backend is one more row. */
interface KnownBackend {
  /**
   * Returns the function that makes the backend of a name; it imports the package of the backend.
   */
  readonly load: () => Promise<(name: string) => Backend | undefined>;
  /** The command that installs the package; undefined if `sconce` depends on it. */
  readonly install?: string;
  /** What may follow the name, as help texts show it. */
  readonly variant?: string;
}

const cpuByName = (name: string): Backend | undefined => (name === "cpu" ? cpuBackend() : undefined);

/** The backends of Sconce's packages, by name. */
export const KNOWN_BACKENDS: ReadonlyMap<string, KnownBackend> = new Map<string, KnownBackend>([
  ["cpu", { load: async () => cpuByName }],
  [
    "gpujs",
    {
      load: async () => (await import("@sconce/backend-gpujs")).gpujsByName,
      install: "npm install --ignore-scripts gpu.js",
      variant: ":MODE",
    },
  ],
]);

/** The row of a name, with or without a variant: `gpujs:webasm` has the row of `gpujs`. */
export const knownBackend = (name: string): KnownBackend | undefined =>
  KNOWN_BACKENDS.get(name.split(":")[0]!);

/** Other names of GPUs and their interfaces, with the backend that uses them. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  ["gpu", "gpu.js", "webgpu", "wgsl", "webgl", "webgl2"].map((name) => [name, "gpujs"]),
);
