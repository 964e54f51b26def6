/** @file The kernels of a device, up to bounds. */
import type { Gpu, Kernel } from "./library.js";

/**
 * What compiled kernels may hold: each has memory of its own for what it reads and writes, and of sizes that change there
 * is no end. Those that were not used for longest are made again when they are needed.
 */
const KEPT_KERNELS = 1024;
const KEPT_BYTES = 2 ** 29;

export interface KeptKernel {
  readonly kernel: Kernel;
  readonly bytes: number;
  /** Results that live in textures of the kernel, which go with it. */
  alive: number;
  isDropped: boolean;
}

export class KeptKernels {
  readonly #gpu: Gpu;
  readonly #byKey = new Map<string, KeptKernel>();
  #bytes = 0;

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /** The kernel of a key, made where it is not there. */
  take(key: string, bytes: number, make: () => Kernel): KeptKernel {
    let kept = this.#byKey.get(key);
    // The newest is last: the first is the one that was not used for longest.
    if (kept !== undefined) this.#byKey.delete(key);
    else {
      this.#makeRoom(bytes);
      kept = { kernel: make(), bytes, alive: 0, isDropped: false };
      this.#bytes += bytes;
    }
    this.#byKey.set(key, kept);
    return kept;
  }
  /** Told when a result in a kernel's textures is no more. */
  freed(kept: KeptKernel): void {
    kept.alive--;
    if (kept.isDropped && kept.alive === 0) this.#destroy(kept);
  }
  clear(): void {
    for (const key of this.#byKey.keys()) this.#drop(key);
  }

  #makeRoom(bytes: number): void {
    for (const key of this.#byKey.keys()) {
      if (this.#byKey.size < KEPT_KERNELS && this.#bytes + bytes <= KEPT_BYTES) return;
      this.#drop(key);
    }
  }
  #drop(key: string): void {
    const kept = this.#byKey.get(key)!;
    this.#byKey.delete(key);
    this.#bytes -= kept.bytes;
    kept.isDropped = true;
    if (kept.alive === 0) this.#destroy(kept);
  }
  #destroy({ kernel }: KeptKernel): void {
    kernel.destroy();
    const { kernels } = this.#gpu;
    const at = kernels.indexOf(kernel.kernel);
    if (at >= 0) kernels.splice(at, 1);
  }
}
