/** @file Values of a run: on the host, or in device memory that several of them may share. */
import type { Value } from "@sconce/ir";
import { type DType, isFloatDType, Tensor } from "@sconce/tensor";
import type { Device, DeviceBuffer } from "../device/device.js";
import { ANY, between, type Range, rangeOfDType } from "../ranges/interval.js";

/** Device memory with a count of those who use it. */
export class Held {
  readonly buffer: DeviceBuffer;
  readonly #device: Device;
  #count = 1;

  constructor(device: Device, buffer: DeviceBuffer) {
    this.#device = device;
    this.buffer = buffer;
  }

  retain(): this {
    this.#count++;
    return this;
  }
  release(): void {
    if (--this.#count === 0) this.#device.free(this.buffer);
  }
}

/** A tensor whose elements are on the device. */
export class DeviceValue {
  readonly held: Held;
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** What its elements may be. */
  readonly range: Range;

  constructor(held: Held, dtype: DType, shape: readonly number[], range = rangeOfDType(dtype)) {
    this.held = held;
    this.dtype = dtype;
    this.shape = shape;
    this.range = range;
  }
}
export type RunValue = Value | DeviceValue;

/** The least and the greatest of an integer tensor's elements; floats are not looked at. */
export function rangeOfTensor(tensor: Tensor): Range {
  if (isFloatDType(tensor.dtype)) return ANY;
  if (tensor.dtype === "bool" || tensor.numel === 0) return rangeOfDType("bool");
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of tensor.toFloat64Array()) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return between(low, high);
}

/** Copies tensors to the device, those of the program's state once. */
export class Uploads {
  readonly #device: Device;
  readonly #kept = new Map<Tensor, Held>();
  readonly #fixed: ReadonlySet<Tensor>;
  readonly #fixedRanges = new Map<Tensor, Range>();
  count = 0;

  constructor(device: Device, fixed: ReadonlySet<Tensor>) {
    this.#device = device;
    this.#fixed = fixed;
  }

  range(value: Tensor | DeviceValue): Range {
    if (value instanceof DeviceValue) return value.range;
    let range = this.#fixedRanges.get(value);
    if (range === undefined) {
      range = rangeOfTensor(value);
      if (this.#fixed.has(value)) this.#fixedRanges.set(value, range);
    }
    return range;
  }

  /** The caller releases what it gets. */
  get(value: Tensor | DeviceValue): Promise<Held> | Held {
    if (value instanceof DeviceValue) return value.held.retain();
    const kept = this.#kept.get(value);
    if (kept !== undefined) return kept.retain();
    const isFixed = this.#fixed.has(value);
    const made = this.#device.upload(value, isFixed);
    const keep = (buffer: DeviceBuffer): Held => {
      const held = new Held(this.#device, buffer);
      if (!isFixed) this.count++;
      else this.#kept.set(value, held.retain());
      return held;
    };
    return made instanceof Promise ? made.then(keep) : keep(made);
  }
}

/** Whether a value is a tensor, wherever it is. */
export const isTensor = (value: unknown): value is Tensor | DeviceValue =>
  value instanceof Tensor || value instanceof DeviceValue;
