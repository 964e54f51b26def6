/** @file Values of a run: on the host, or in device memory that several of them may share. */
import type { Value } from "@sconce/ir";
import { type DType, dtypeInfo, Tensor } from "@sconce/tensor";
import type { Device, DeviceBuffer } from "../device/device.js";
import { type Range, rangeOfDType } from "../ranges/interval.js";
import { rangeOfTensor } from "../ranges/tensor-range.js";
import { DeviceStorage } from "./device-storage.js";
import { Held, memoryOf } from "./held.js";

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

/**
 * Returns the buffer of a tensor whose elements are in the memory of a device, in row-major order.
 */
export const heldBy = (tensor: Tensor, device: Device): Held | undefined =>
  tensor.storage instanceof DeviceStorage ? tensor.storage.heldFor(tensor, memoryOf(device)) : undefined;

/** Copies tensors to the device, those of the program's state once. */
export class Uploads {
  readonly #device: Device;
  readonly #kept = new Map<Tensor, Held>();
  readonly #fixed: ReadonlySet<Tensor>;
  readonly #fixedRanges = new Map<Tensor, Range>();
  /** Tensors copied since they were last set to zero, and their bytes. */
  count = 0;
  bytes = 0;

  constructor(device: Device, fixed: ReadonlySet<Tensor>) {
    this.#device = device;
    this.#fixed = fixed;
  }

  range(value: Tensor | DeviceValue): Range {
    if (value instanceof DeviceValue) return value.range;
    let range = this.#fixedRanges.get(value);
    if (range === undefined && heldBy(value, this.#device) !== undefined) {
      const known = (value.storage as DeviceStorage).range;
      return known ?? rangeOfDType(value.dtype);
    }
    if (range === undefined) {
      const { storage } = value;
      range = rangeOfTensor(storage instanceof DeviceStorage ? storage.lent(value) : value);
      if (this.#fixed.has(value)) this.#fixedRanges.set(value, range);
    }
    return range;
  }

  /** Returns the memory of a value on the device, which the caller releases. */
  get(value: Tensor | DeviceValue): Promise<Held> | Held {
    if (value instanceof DeviceValue) return value.held.retain();
    const kept = heldBy(value, this.#device) ?? this.#kept.get(value);
    if (kept !== undefined) return kept.retain();
    const isFixed = this.#fixed.has(value);
    const { storage } = value;
    const source = storage instanceof DeviceStorage ? storage.lent(value) : value;
    const made = this.#device.upload(source, isFixed);
    const keep = (buffer: DeviceBuffer): Held => {
      const held = new Held(this.#device, buffer);
      if (isFixed) this.#kept.set(value, held.retain());
      else {
        this.count++;
        this.bytes += value.numel * dtypeInfo(value.dtype).itemSize;
      }
      return held;
    };
    return made instanceof Promise ? made.then(keep) : keep(made);
  }
}

/** Returns whether a value is a tensor, wherever it is. */
export const isTensor = (value: unknown): value is Tensor | DeviceValue =>
  value instanceof Tensor || value instanceof DeviceValue;

/** Bytes that the values of earlier regions take on the device. */
export function valueBytes(values: Iterable<RunValue>, { elementBytes }: Device): number {
  const held = new Map<unknown, number>();
  for (const value of values) {
    if (!(value instanceof DeviceValue)) continue;
    const each = elementBytes ?? dtypeInfo(value.dtype).itemSize;
    held.set(value.held, value.held.buffer.length * each);
  }
  return [...held.values()].reduce((total, bytes) => total + bytes, 0);
}
