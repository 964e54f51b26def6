/** @file Storages whose bytes lie in the memory of a device. */
import {
  type DType,
  dtypeInfo,
  isContiguous,
  numel,
  requiredBytes,
  Storage,
  Tensor,
  type TensorLayout,
  type TypedArray,
} from "@sconce/tensor";
import type { Range } from "../ranges/interval.js";
import { rangeOfTensor } from "../ranges/tensor-range.js";
import { tensorDisposed, valuesOnDevice } from "./errors.js";
import type { Held } from "./held.js";
import { inMemory } from "./region-memory.js";

/** How the elements of a buffer, which lie in row-major order there, lie in a storage. */
export type Layout = Pick<TensorLayout, "dtype" | "shape" | "strides">;

/** A buffer that a storage holds. */
interface Resident extends Layout {
  readonly held: Held;
  range: Range | undefined;
}

/** What is freed when nothing can reach a storage any more. */
class Slot {
  resident: Resident | undefined;

  free(): void {
    if (this.resident === undefined) return;
    this.resident.held.release();
    this.resident = undefined;
    forgotten.unregister(this);
  }
}
const forgotten = /* @__PURE__ */ new FinalizationRegistry<Slot>((slot) => slot.free());

/**
 * A storage in the memory of a device. When its bytes are first read or written they move to the
 * host, and stay there: JavaScript can keep a view of them, and write to it at any time.
 */
export class DeviceStorage extends Storage {
  readonly #byteLength: number;
  readonly #isState: boolean;
  readonly #slot = new Slot();
  #bytes: Uint8Array | undefined;
  /** Whether JavaScript may have a view of the bytes. */
  #isRead = false;
  #isDisposed = false;

  /**
   * @param state the bytes of a program's state: nothing else uses them, and no user disposes of
   * them
   */
  constructor(byteLength: number, state?: Uint8Array) {
    super(NO_BYTES);
    this.#isState = state !== undefined;
    this.#byteLength = byteLength;
    this.#bytes = state;
    Object.defineProperty(this, "bytes", { get: () => this.#toHost(), enumerable: false });
  }

  /** Returns a tensor of the elements of a buffer; it retains the buffer. */
  static tensor(held: Held, layout: Layout, range?: Range): Tensor {
    const { dtype, shape, strides } = layout;
    const storage = new DeviceStorage(requiredBytes(shape, strides, 0, dtypeInfo(dtype).itemSize));
    storage.take(held, layout, range);
    return new Tensor({ ...layout, storage });
  }

  override get byteLength(): number {
    return this.#byteLength;
  }
  override get isLoaded(): boolean {
    return this.#bytes !== undefined || this.#slot.resident?.held.device.readsAtOnce === true;
  }
  /** Whether a device holds the bytes. */
  get isOnDevice(): boolean {
    return this.#slot.resident !== undefined;
  }
  /** Whether it can take a buffer: no view of its bytes may have been given out. */
  get canTake(): boolean {
    return !this.#isRead && !this.#isDisposed;
  }

  /** Takes a buffer in place of its bytes, and retains it. */
  take(held: Held, { dtype, shape, strides }: Layout, range?: Range): void {
    held.retain();
    held.device.keep?.(held.buffer);
    this.#slot.free();
    // Registered while it holds a buffer: the collector looks at each one that is.
    forgotten.register(this, this.#slot, this.#slot);
    this.#bytes = undefined;
    // What can be read is looked at when it is asked for: that is exact.
    const known = held.device.readsAtOnce === true ? undefined : range;
    this.#slot.resident = { held, dtype, shape, strides, range: known };
  }

  /**
   * Returns the buffer of a tensor, if a device with this memory holds it and the tensor has the
   * elements of the buffer in their order.
   *
   * @throws SconceError `DISPOSED`
   */
  heldFor(tensor: Tensor, memory: object): Held | undefined {
    if (this.#isDisposed) throw tensorDisposed(this.#byteLength);
    const { resident } = this.#slot;
    if (resident === undefined || resident.held.memory !== memory) return undefined;
    return isWhole(tensor, resident) ? resident.held : undefined;
  }
  /**
   * Returns the same tensor, for a reader that keeps no view: its storage can take a buffer
   * afterwards.
   */
  lent(tensor: Tensor): Tensor {
    if (this.#bytes === undefined || !this.canTake) return tensor;
    return new Tensor({ ...tensor, storage: new Storage(this.#bytes) });
  }
  /** The least and the greatest of the elements, as far as they are known. */
  get range(): Range | undefined {
    const { resident } = this.#slot;
    if (resident === undefined) return undefined;
    const { held, dtype, shape } = resident;
    if (held.device.readsAtOnce === true)
      resident.range ??= rangeOfTensor(held.device.download(held.buffer, dtype, shape) as Tensor);
    return resident.range;
  }

  #toHost(): Uint8Array {
    if (this.#isDisposed) throw tensorDisposed(this.#byteLength);
    const { resident } = this.#slot;
    if (resident !== undefined && resident.held.device.readsAtOnce !== true)
      throw valuesOnDevice(resident.dtype, resident.shape);
    this.#isRead = true;
    return this.#bytes ?? this.#moved(copyOf(resident!) as Tensor, resident!);
  }
  #moved(copy: Tensor, { strides }: Resident): Uint8Array {
    this.#bytes = inMemory("a result", () => copy.withLayout(strides, 0)).storage.bytes;
    this.#slot.free();
    return this.#bytes;
  }

  override async load(): Promise<void> {
    const { resident } = this.#slot;
    if (resident === undefined) return;
    resident.held.retain();
    try {
      const copy = await copyOf(resident);
      if (this.#slot.resident === resident) this.#moved(copy, resident);
    } finally {
      resident.held.release();
    }
  }

  /** Moves the bytes to the host, if they can be read at once. */
  leave(): void {
    const { resident } = this.#slot;
    if (resident?.held.device.readsAtOnce === true) this.#moved(copyOf(resident) as Tensor, resident);
  }

  override pieces(signal?: AbortSignal): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
    return this.#slot.resident === undefined ? super.pieces(signal) : this.#copies(signal);
  }
  async *#copies(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
    yield* new Storage(await this.read(0, this.#byteLength)).pieces(signal);
  }

  override view(dtype: DType): TypedArray {
    if (this.#isDisposed) throw tensorDisposed(this.#byteLength);
    return super.view(dtype);
  }

  override async read(offset: number, length: number): Promise<Uint8Array> {
    const { resident } = this.#slot;
    if (resident === undefined) return this.#toHost().slice(offset, offset + length);
    resident.held.retain();
    try {
      const dense = await copyOf(resident);
      const copy = inMemory("a result", () => dense.withLayout(resident.strides, 0));
      return copy.storage.bytes.slice(offset, offset + length);
    } finally {
      resident.held.release();
    }
  }

  override dispose(): void {
    // A result can be state, which the next run needs.
    if (this.#isState) return;
    this.#isDisposed = true;
    this.#bytes = undefined;
    this.#slot.free();
  }
}

const NO_BYTES = new Uint8Array(0);

const copyOf = ({ held: { device, buffer }, dtype, shape }: Resident): Promise<Tensor> | Tensor =>
  device.download(buffer, dtype, shape);

/** Returns whether a tensor has the elements that a layout has, in the same order. */
function isWhole(tensor: Tensor, layout: Layout): boolean {
  if (tensor.dtype !== layout.dtype || tensor.storageOffset !== 0) return false;
  if (isSame(tensor.shape, layout.shape) && isSame(tensor.strides, layout.strides)) return true;
  return tensor.isContiguous && tensor.numel === numel(layout.shape) && isRowMajor(layout);
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, d) => size === b[d]);
const isRowMajor = ({ shape, strides }: Layout): boolean => isContiguous(shape, strides);
