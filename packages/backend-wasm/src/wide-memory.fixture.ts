/** @file Memories of 64-bit addresses whose values lie above 4 GiB. */
import { setFlagsFromString } from "node:v8";
import { ModuleBuilder } from "@sconce/wasm";
import { MemoryOwner } from "./device/wasm-memory.js";
import { wideMemory } from "./device/wide-memory.js";

/** Node 20 and 22 have 64-bit addresses behind a flag; later ones do not know the flag. */
export function enableWideMemory(): void {
  const module = new ModuleBuilder();
  module.addMemory({ initial: 1, memory64: true });
  if (!WebAssembly.validate(module.build())) setFlagsFromString("--experimental-wasm-memory64");
}

/** 4 GiB, and room for what tests use: Node 20 cannot grow memories beyond 4 GiB. */
const PAGES = 65_536 + 16_384;

/**
 * Returns an owner whose memory is open, with all places at addresses that need more than 32 bits.
 */
export function ownerAbove4GiB(threads: number): MemoryOwner {
  enableWideMemory();
  const owner = new MemoryOwner(threads, { least: 0, wide: wideMemory(), initial: PAGES });
  const first = owner.open().take(2 ** 32);
  if (first !== 0) throw new Error(`the first place is at ${first}`);
  return owner;
}
