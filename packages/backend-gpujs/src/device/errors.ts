import { misspelled, SconceError } from "@sconce/errors";

/** gpu.js is a peer dependency that only this backend needs. */
export const noGpujs = (cause: unknown): SconceError =>
  new SconceError({
    code: "NO_GPUJS",
    message: "the gpujs backend needs the package gpu.js, which could not be loaded",
    fix: "run `npm install --ignore-scripts gpu.js`, with `webgpu` for GPUs in Node; without a GPU its modes webasm and cpu run everywhere",
    cause,
  });

/** Returns the error when a mode was asked for that this machine or runtime does not have. */
export const noMode = (mode: string, why: string, fix: string): SconceError =>
  new SconceError({
    code: "NO_GPU_MODE",
    message: `mode "${mode}" of gpu.js does not run here: ${why}`,
    fix,
  });

/** Returns the error for a name that is not a mode of gpu.js. */
export const unknownMode = (mode: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_GPU_MODE",
    message: `unknown gpujs mode "${mode}"`,
    ...misspelled(mode, known, `use one of: ${known.join(", ")}`),
  });

/** Integers that device memory cannot hold exactly. */
export const valueRange = (what: string): SconceError =>
  new SconceError({
    code: "VALUE_RANGE",
    message: `${what} holds integers beyond 2^24, which device memory of floats does not hold exactly`,
    fix: "run it on the interpreter (backend cpu)",
  });

/** gpu.js or the runtime below it failed to make or run a kernel. */
export const kernelFailed = (nodes: readonly string[], cause: unknown): SconceError =>
  new SconceError({
    code: "KERNEL_FAILED",
    message: `the kernel of ${nodes.map((node) => `"${node}"`).join(", ")} failed: ${
      cause instanceof Error ? cause.message : String(cause)
    }`,
    fix: "run the program on another mode or backend, and report it",
    cause,
  });
