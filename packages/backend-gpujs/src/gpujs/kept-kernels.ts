/** @file A bounded cache of compiled kernels. */
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
 * What compiled kernels of all devices may hold together: each has its own memory for what it
 * reads and writes, a WebAssembly memory takes gigabytes of addresses besides, and of sizes that
 * change there is no end. Those that were not used for longest are made again when they are needed.
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

/**
 * All kernels with the devices that keep them; the first is the one that was not used for longest.
 */
const ALL = new Map<KeptKernel, KeptKernels>();
let allBytes = 0;

/** The kernels of one device. */
export class KeptKernels {
  readonly #shared: SharedKernels;
  readonly #byKey = new Map<string, KeptKernel>();

  constructor(shared: SharedKernels) {
    this.#shared = shared;
  }

  /** Gives up the kernels of all devices, so that there is memory for others. */
  static dropAll(): void {
    for (const [kept, owner] of ALL) owner.#drop(kept);
  }

  /** Returns the kernel of a key, made where it is not there. */
  take(key: string, bytes: number, make: (gpu: Gpu) => Kernel): KeptKernel {
    let kept = this.#byKey.get(key);
    if (kept !== undefined) ALL.delete(kept);
    else {
      makeRoom(bytes, (one, owner) => owner.#drop(one));
      kept = { kernel: this.#shared.take(key, make), key, bytes, alive: 0, isDropped: false };
      allBytes += bytes;
      this.#byKey.set(key, kept);
    }
    // The newest is last.
    ALL.set(kept, this);
    return kept;
  }
  /** Called when a result in a kernel's textures is released. */
  freed(kept: KeptKernel): void {
    kept.alive--;
    if (kept.isDropped && kept.alive === 0) this.#shared.give(kept.key);
  }
  clear(): void {
    for (const kept of this.#byKey.values()) this.#drop(kept);
  }
  /** Counts no longer on kernels that go with their gpu.js. */
  forget(): void {
    for (const kept of this.#byKey.values()) this.#remove(kept);
  }

  #remove(kept: KeptKernel): void {
    this.#byKey.delete(kept.key);
    ALL.delete(kept);
    allBytes -= kept.bytes;
  }
  #drop(kept: KeptKernel): void {
    this.#remove(kept);
    kept.isDropped = true;
    if (kept.alive === 0) this.#shared.give(kept.key);
  }
}

function makeRoom(bytes: number, drop: (kept: KeptKernel, owner: KeptKernels) => void): void {
  for (const [kept, owner] of ALL) {
    if (ALL.size < KEPT_KERNELS && allBytes + bytes <= KEPT_BYTES) return;
    drop(kept, owner);
  }
}
