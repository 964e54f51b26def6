/**
 * @file The queue of a device: collects kernels in one command buffer, and submits it before work
 * that must follow them.
 */

import { StagingBuffers } from "./staging-buffers.js";

/**
 * Kernels of one command buffer: enough that sending costs little, so few that the device starts
 * early.
 */
const MOST_PENDING = 16;

export class GpuQueue {
  readonly #device: GPUDevice;
  readonly #staging: StagingBuffers;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #pending = 0;
  #doomed: GPUBuffer[] = [];
  #error: string | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.#staging = new StagingBuffers(device);
    device.addEventListener("uncapturederror", (event) => {
      // Reported to the next caller that waits for results, instead of the console.
      event.preventDefault();
      this.#error ??= event.error.message;
    });
  }

  dispatch(
    pipeline: GPUComputePipeline,
    bindings: GPUBindGroup,
    [x, y, z]: readonly [number, number, number?],
  ): void {
    this.#encoder ??= this.#device.createCommandEncoder();
    this.#pass ??= this.#encoder.beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, bindings);
    this.#pass.dispatchWorkgroups(x, y, z ?? 1);
    this.#pending++;
    if (this.#pending >= MOST_PENDING) this.flush();
  }

  /** Sends what was collected. */
  flush(): void {
    this.#pass?.end();
    const encoder = this.#encoder;
    this.#pass = undefined;
    this.#encoder = undefined;
    this.#pending = 0;
    if (encoder !== undefined) this.#device.queue.submit([encoder.finish()]);
    for (const buffer of this.#doomed.splice(0)) buffer.destroy();
  }

  write(buffer: GPUBuffer, elements: Float32Array | Int32Array | Uint32Array): void {
    this.flush();
    this.#device.queue.writeBuffer(
      buffer,
      0,
      elements.buffer as ArrayBuffer,
      elements.byteOffset,
      elements.byteLength,
    );
  }

  /** Frees memory once the kernels that were asked for before have it no longer. */
  destroy(buffer: GPUBuffer): void {
    if (this.#encoder === undefined) buffer.destroy();
    else this.#doomed.push(buffer);
  }

  async read(buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    const staging = this.#staging.take(bytes);
    try {
      this.#pass?.end();
      this.#pass = undefined;
      this.#encoder ??= this.#device.createCommandEncoder();
      this.#encoder.copyBufferToBuffer(buffer, 0, staging, 0, bytes);
      this.flush();
      await staging.mapAsync(1, 0, bytes);
      this.#throwError();
      const elements = staging.getMappedRange(0, bytes).slice(0);
      staging.unmap();
      this.#staging.give(staging);
      return elements;
    } catch (error) {
      staging.destroy();
      throw error;
    }
  }

  /** Frees the memory that is kept for later reads. */
  trim(): void {
    this.#staging.clear();
  }

  async finish(): Promise<void> {
    this.flush();
    await this.#device.queue.onSubmittedWorkDone();
    this.#throwError();
  }

  /** An earlier error of the device, which WebGPU reports only later. */
  #throwError(): void {
    const message = this.#error;
    this.#error = undefined;
    if (message !== undefined) throw new Error(message);
  }
}
