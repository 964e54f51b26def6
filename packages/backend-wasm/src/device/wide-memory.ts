/** @file Memories whose addresses have 64 bits. Loaded where the option asks for it. */
import { ModuleBuilder } from "@sconce/wasm";
import { widenAddresses } from "@sconce/wasm/wide";
import { noWideMemory } from "./errors.js";

/** Pages of 64 KiB that engines allow: 16 GiB. */
const MOST_PAGES = 262_144;

/** What a memory is created with. */
interface WideLimits {
  readonly initial: number;
  readonly isShared: boolean;
}

/** Memories of 64-bit addresses, and modules for them. */
export interface WideMemory {
  create(limits: WideLimits): WebAssembly.Memory;
  grow(memory: WebAssembly.Memory, pages: number): void;
  /**
   * Makes a module for such a memory of one for a memory of 32-bit addresses.
   *
   * @param isAddress whether a parameter of an exported function is an address
   */
  module(
    bytes: Uint8Array,
    isAddress: (name: string, at: number, count: number) => boolean,
  ): Uint8Array<ArrayBuffer>;
}

/**
 * Returns what the backend needs for such memories.
 *
 * @throws SconceError `NO_WASM` if the engine has none
 */
export function wideMemory(): WideMemory {
  if (!WebAssembly.validate(memoryModule({ initial: 1, isShared: false }))) throw noWideMemory();
  return {
    create: (limits) => {
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(memoryModule(limits)));
      return exports["memory"] as WebAssembly.Memory;
    },
    grow: (memory, pages) => {
      const growable = memory as unknown as { grow(by: number | bigint): unknown };
      try {
        growable.grow(BigInt(pages));
      } catch (error) {
        // Older engines take numbers.
        if (!(error instanceof TypeError)) throw error;
        growable.grow(pages);
      }
    },
    module: (bytes, isAddress) => widenAddresses(bytes, { isAddress, maximum: MOST_PAGES }),
  };
}

/** Engines differ in the names and types of limits, but not in modules that export a memory. */
function memoryModule({ initial, isShared }: WideLimits): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  const limits = isShared ? { initial, maximum: MOST_PAGES, shared: true } : { initial };
  module.addMemory({ ...limits, memory64: true }, "memory");
  return module.build();
}
