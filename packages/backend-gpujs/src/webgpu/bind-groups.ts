/** @file A cache of the bind groups of one kernel: each run of a program uses the same buffers. */

/** Kernels of one nest that runs at several places of a program have different buffers at each. */
const KEPT = 4;

export class BindGroups {
  readonly #device: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  /** The one that was used last comes first. */
  readonly #made: { readonly buffers: readonly GPUBuffer[]; readonly group: GPUBindGroup }[] = [];

  constructor(device: GPUDevice, layout: GPUBindGroupLayout) {
    this.#device = device;
    this.#layout = layout;
  }

  /** Returns the buffers at bindings 0, 1, ... */
  of(buffers: readonly GPUBuffer[]): GPUBindGroup {
    const at = this.#made.findIndex((one) => one.buffers.every((buffer, i) => buffer === buffers[i]));
    const one = at < 0 ? { buffers, group: this.#make(buffers) } : this.#made[at]!;
    if (at !== 0) {
      if (at > 0) this.#made.splice(at, 1);
      else if (this.#made.length >= KEPT) this.#made.pop();
      this.#made.unshift(one);
    }
    return one.group;
  }
  #make(buffers: readonly GPUBuffer[]): GPUBindGroup {
    return this.#device.createBindGroup({
      layout: this.#layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  }
}
