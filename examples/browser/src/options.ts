/** @file What the page is asked for in its address. */
import type { GpujsBackendOptions, Mode } from "sconce/gpujs";

export interface PageOptions {
  /**
   * Where the digits run: `auto` is WebAssembly where it runs. `gpujs` for `?gpu`, `?mode=webgl2`
   * and `?software`, `worker` for `?worker`: WebAssembly in a worker, with two threads.
   */
  readonly on: "auto" | "gpujs" | "worker";
  /**
   * `?mode=webgl2`; what the backend chooses when left out. `?software` allows that to be a GPU in
   * software.
   */
  readonly backend: Pick<GpujsBackendOptions, "mode" | "allowSoftware">;
  /** `?programs=10`: how many random programs to compare besides; none when left out. */
  readonly programs: number;
  /**
   * `?edges=3`: compares each third pointwise call on values at the edges; all for `?edges`, none
   * (0) when left out.
   */
  readonly edges: number;
  /**
   * `?fixtures=net_bert,net_lstm`: programs to compare, which the test serves; none when left out.
   */
  readonly fixtures: readonly string[];
  /**
   * `?contexts=20`: how many executables to have at once, and a WebGL context to lose; none when
   * left out.
   */
  readonly contexts: number;
}

/**
 * Reads the query of an address. A mode that nothing knows is left to the backend, which refuses
 * it.
 */
export function readOptions(query: string): PageOptions {
  const parameters = new URLSearchParams(query);
  const mode = parameters.get("mode") as Mode | null;
  const isGpu = mode !== null || parameters.has("gpu") || parameters.has("software");
  return {
    on: parameters.has("worker") ? "worker" : isGpu ? "gpujs" : "auto",
    backend: {
      ...(mode !== null && { mode }),
      ...(parameters.has("software") && { allowSoftware: true }),
    },
    programs: Number(parameters.get("programs") ?? 0),
    edges: parameters.has("edges") ? Number(parameters.get("edges") || 1) : 0,
    fixtures: parameters.get("fixtures")?.split(",") ?? [],
    contexts: Number(parameters.get("contexts") ?? 0),
  };
}
