import { isSconceError, SconceError } from "@sconce/errors";

/** WebAssembly, or a part of it, is missing or forbidden. */
export const noWasm = (why: string, fix: string): SconceError =>
  new SconceError({ code: "NO_WASM", message: `WebAssembly does not run here: ${why}`, fix });

/** Addresses of 64 bits are asked for, and the engine has none. */
export const noWideMemory = (): SconceError =>
  noWasm(
    "this runtime has no memory of 64-bit addresses",
    "leave `memory64` out, or use a newer runtime: Node 24, or a browser since 2025",
  );

/** Bytes that addresses of 32 bits reach. */
const MOST_BYTES = 2 ** 32;

/** Returns the error when the memory cannot grow. */
export function memoryFull(bytes: number, inUse: number, isWide: boolean, cause: unknown): SconceError {
  const isFull = !isWide && bytes + inUse > MOST_BYTES;
  const why = isFull ? `reaches ${MOST_BYTES} bytes in all` : "cannot grow";
  const wider = isFull ? "make the backend with `memory64: true`, " : "";
  return new SconceError({
    code: "OUT_OF_MEMORY",
    message: `cannot allocate ${bytes} bytes: the memory of WebAssembly has ${inUse} bytes in use and ${why}`,
    fix: `${wider}use smaller sizes, dispose of executables that are not needed, or use another backend`,
    cause,
  });
}

/**
 * Returns the error for a kernel that stopped: integers were divided by zero, or there is a mistake
 * in it.
 */
export function kernelFailed(nodes: readonly string[], cause: unknown): SconceError {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (isSconceError(cause, "THREAD_LOST")) return cause;
  // Engines have no other sign of it than their text.
  if (/by zero/i.test(text))
    return new SconceError({
      code: "DIVISION_BY_ZERO",
      message: "ZeroDivisionError",
      where: `node ${nodes.map((node) => `"${node}"`).join(", ")}`,
      fix: "divide floats, or mask zeros out before",
    });
  return new SconceError({
    code: "KERNEL_FAILED",
    message: `the kernel of ${nodes.map((node) => `"${node}"`).join(", ")} failed: ${text}`,
    fix: "run the program on another backend, and report it",
    cause,
  });
}
