/** @file State shared by everything that computes on one GPU device. */
import { GpuQueue } from "./gpu-queue.js";

/** Pipelines beyond this many are forgotten, oldest first, and made again when they are needed. */
const KEPT_PIPELINES = 1024;

/** A device with its queue and the pipelines made for it. */
export class GpuCore {
  readonly device: GPUDevice;
  readonly queue: GpuQueue;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();
  readonly #watchers = new Set<(why: string) => void>();
  #lost: string | undefined;

  constructor(device: GPUDevice) {
    this.device = device;
    this.queue = new GpuQueue(device);
    device.lost.then(
      ({ message, reason }) => {
        this.#lost = message || reason || "no reason given";
        for (const watcher of this.#watchers) watcher(this.#lost);
        this.#watchers.clear();
      },
      () => undefined,
    );
  }

  /** Why the device is gone; undefined while it is there. */
  get lost(): string | undefined {
    return this.#lost;
  }
  /** Reports the loss of the device, until the returned function is called. */
  watch(watcher: (why: string) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Returns the pipeline of a source, built once. */
  pipeline(source: string, build: () => Promise<GPUComputePipeline>): Promise<GPUComputePipeline> {
    let made = this.#pipelines.get(source);
    if (made === undefined) {
      made = build();
      if (this.#pipelines.size >= KEPT_PIPELINES)
        this.#pipelines.delete(this.#pipelines.keys().next().value!);
      made.catch(() => this.#pipelines.delete(source));
    } else this.#pipelines.delete(source);
    // The newest is last.
    this.#pipelines.set(source, made);
    return made;
  }

  /** So many buffers that are read and so many that are written, after a uniform one or without. */
  layout(reads: number, hasUniform = false, writes = 1): GPUBindGroupLayout {
    const key = `${hasUniform}${reads},${writes}`;
    let layout = this.#layouts.get(key);
    if (layout === undefined) {
      const types: GPUBufferBindingType[] = [
        ...(hasUniform ? (["uniform"] as const) : []),
        ...new Array<GPUBufferBindingType>(reads).fill("read-only-storage"),
        ...new Array<GPUBufferBindingType>(writes).fill("storage"),
      ];
      const entries = types.map((type, binding) => ({ binding, visibility: 4, buffer: { type } }));
      layout = this.device.createBindGroupLayout({ entries });
      this.#layouts.set(key, layout);
    }
    return layout;
  }
}
