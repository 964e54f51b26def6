/**
 * @file The backends that random programs run on, as far as this machine and its engine have them.
 */
import { setFlagsFromString } from "node:v8";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { openWebgpuNode } from "@sconce/backend-gpujs/webgpu-node";
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { SessionBackend } from "@sconce/passes";

/**
 * The names of all modes, and what makes their backends; undefined with a reason where there is
 * none.
 */
const MODES: Readonly<Record<string, () => Promise<SessionBackend | { readonly missing: string }>>> = {
  wasm1: async () => wasmBackend({ name: "wasm1", threads: 1 }),
  wasm2: async () => wasmBackend({ name: "wasm2", threads: 2 }),
  wasm64: async () =>
    hasWideMemory()
      ? wasmBackend({ name: "wasm64", threads: 1, memory64: true })
      : { missing: `memories of 64-bit addresses: node ${process.version} has none` },
  gpujs: async () => gpujsBackend({ name: "gpujs", mode: "cpu" }),
  webgpu: async () => {
    const missing = await whyNoWebgpu();
    return missing === undefined ? gpujsBackend({ name: "webgpu", mode: "webgpu" }) : { missing };
  },
};

/** The names of all modes. */
export const MODE_NAMES: readonly string[] = Object.keys(MODES);

/** Returns the backends of modes; `report` gets a line for each one that is missing here. */
export async function backendsOf(
  names: readonly string[],
  report: (line: string) => void,
): Promise<SessionBackend[]> {
  const backends: SessionBackend[] = [];
  for (const name of names) {
    const made = await MODES[name]!();
    if ("missing" in made) report(`The mode ${name} is skipped: ${made.missing}`);
    else backends.push(made);
  }
  return backends;
}

/**
 * A module with a memory of 64-bit addresses: magic, version, memory section with limits 4 and 1.
 */
const WIDE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 4, 1);

/** Returns whether the engine has memory64; Node 20 and 22 have it behind a flag. */
function hasWideMemory(): boolean {
  if (!WebAssembly.validate(WIDE)) setFlagsFromString("--experimental-wasm-memory64");
  return WebAssembly.validate(WIDE);
}

async function whyNoWebgpu(): Promise<string | undefined> {
  try {
    const device = await openWebgpuNode({ allowSoftware: true });
    await device.dispose();
    return undefined;
  } catch (error) {
    if (isSconceError(error, "NO_WEBGPU")) return error.message;
    throw error;
  }
}
