/** @file Compiled kernels, up to bounds. */
import type { Gpu, Kernel } from "./library.js";

/** Kernels of all devices on one gpu.js: each is there as long as one of them keeps it. */
export class SharedKernels {
  readonly #gpu: Gpu;
  readonly #byKey = new Map<string, { readonly kernel: Kernel; users: number }>();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  take(key: string, make: (gpu: Gpu) => Kernel): Kernel {
    let shared = this.#byKey.get(key);
    if (shared === undefined) {
      shared = { kernel: make(this.#gpu), users: 0 };
      this.#byKey.set(key, shared);
    }
    shared.users++;
    return shared.kernel;
  }
  /** The last who gives it back destroys it. */
  give(key: string): void {
    const shared = this.#byKey.get(key)!;
    if (--shared.users > 0) return;
    this.#byKey.delete(key);
    shared.kernel.destroy();
    const { kernels } = this.#gpu;
    const at = kernels.indexOf(shared.kernel.kernel);
    if (at >= 0) kernels.splice(at, 1);
  }
}

/**
 * What compiled kernels may hold: each has memory of its own for what it reads and writes, and of sizes that change there
 * is no end. Those that were not used for longest are made again when they are needed.
 */
const KEPT_KERNELS = 1024;
const KEPT_BYTES = 2 ** 29;

export interface KeptKernel {
  readonly kernel: Kernel;
  readonly key: string;
  readonly bytes: number;
  /** Results that live in textures of the kernel, which go with it. */
  alive: number;
  isDropped: boolean;
}

/** The kernels of one device. */
export class KeptKernels {
  readonly #shared: SharedKernels;
  readonly #byKey = new Map<string, KeptKernel>();
  #bytes = 0;

  constructor(shared: SharedKernels) {
    this.#shared = shared;
  }

  /** The kernel of a key, made where it is not there. */
  take(key: string, bytes: number, make: (gpu: Gpu) => Kernel): KeptKernel {
    let kept = this.#byKey.get(key);
    // The newest is last: the first is the one that was not used for longest.
    if (kept !== undefined) this.#byKey.delete(key);
    else {
      this.#makeRoom(bytes);
      kept = { kernel: this.#shared.take(key, make), key, bytes, alive: 0, isDropped: false };
      this.#bytes += bytes;
    }
    this.#byKey.set(key, kept);
    return kept;
  }
  /** Told when a result in a kernel's textures is no more. */
  freed(kept: KeptKernel): void {
    kept.alive--;
    if (kept.isDropped && kept.alive === 0) this.#shared.give(kept.key);
  }
  clear(): void {
    for (const kept of this.#byKey.values()) this.#drop(kept);
  }

  #makeRoom(bytes: number): void {
    for (const kept of this.#byKey.values()) {
      if (this.#byKey.size < KEPT_KERNELS && this.#bytes + bytes <= KEPT_BYTES) return;
      this.#drop(kept);
    }
  }
  #drop(kept: KeptKernel): void {
    this.#byKey.delete(kept.key);
    this.#bytes -= kept.bytes;
    kept.isDropped = true;
    if (kept.alive === 0) this.#shared.give(kept.key);
  }
}
