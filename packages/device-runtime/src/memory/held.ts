/** @file Device memory that several values share. */
import type { Device, DeviceBuffer } from "../device/device.js";

/** Returns the memory in which the buffers of a device lie. */
export const memoryOf = (device: Device): object => device.memory ?? device;

/** Device memory with a count of those who use it. */
export class Held {
  readonly buffer: DeviceBuffer;
  readonly device: Device;
  #count = 1;

  constructor(device: Device, buffer: DeviceBuffer) {
    this.device = device;
    this.buffer = buffer;
  }

  /** The memory that it is a part of. */
  get memory(): object {
    return memoryOf(this.device);
  }

  retain(): this {
    this.#count++;
    return this;
  }
  release(): void {
    if (--this.#count === 0) this.device.free(this.buffer);
  }
}
