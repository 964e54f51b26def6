import { type DType, dtypeInfo, type TypedArray } from "./dtype.js";
import { storageWithoutValues } from "./errors.js";

/**
 * Bytes that the values of a run may take together, unless a session or backend is given another
 * `maxBytes`: 4 GiB.
 */
export const DEFAULT_MAX_BYTES: number = 2 ** 32;

/** So much of a storage is written at once: the memory in use beside it stays small. */
const PIECE_BYTES = 2 ** 22;

let limit = DEFAULT_MAX_BYTES;

/**
 * Runs something during which no storage of more than so many bytes is allocated: backends refuse a
 * value that is too large before there is memory for it.
 */
export function withMemoryLimit<T>(bytes: number, run: () => T): T {
  const outer = limit;
  limit = bytes;
  try {
    return run();
  } finally {
    limit = outer;
  }
}

/**
 * Checks the size of something that is about to be allocated, as {@link Storage.allocate} does:
 * working arrays of kernels count as values do.
 * @throws RangeError for more than {@link withMemoryLimit} leaves
 */
export function requireMemory(bytes: number): void {
  if (bytes > limit)
    throw new RangeError(`${bytes} bytes are more than the ${limit} bytes that are left of maxBytes`);
}

/**
 * Untyped bytes that tensors view. Several tensors (of several dtypes) may share one storage. A
 * storage without values has a length and no bytes: reading or writing `bytes` or a view throws
 * `NO_VALUES`.
 */
export class Storage {
  /** The bytes. */
  readonly bytes: Uint8Array;
  #views: Map<DTypeInfoArray, TypedArray> | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /**
   * Returns a storage of so many bytes, all zero.
   * @throws RangeError beyond the limit (see {@link withMemoryLimit}) and beyond what the engine
   * has
   */
  static allocate(byteLength: number): Storage {
    requireMemory(byteLength);
    return new Storage(new Uint8Array(byteLength));
  }

  /**
   * Returns a storage whose values are not known, as PyTorch's on the `meta` device. Nothing is
   * allocated. A storage of no bytes has no values to miss: it is an ordinary one.
   */
  static withoutValues(byteLength: number): Storage {
    return byteLength === 0 ? Storage.allocate(0) : new StorageWithoutValues(byteLength);
  }

  /** Whether the bytes are known. */
  get hasValues(): boolean {
    return true;
  }

  /** Length in bytes. */
  get byteLength(): number {
    return this.bytes.byteLength;
  }

  /**
   * Whether the bytes are in memory. Those of a program that was loaded with `weights: "lazy"` are
   * not at first: reading or writing `bytes` or a view then throws `VALUES_NOT_LOADED`.
   */
  get isLoaded(): boolean {
    return true;
  }

  /**
   * Reads the bytes into memory, if they are not there yet, and checks them.
   * @throws SconceError `ABORTED` for the signal; what reading the file throws
   */
  async load(_signal?: AbortSignal): Promise<void> {}

  /**
   * Frees memory of a device that holds the bytes; they cannot be read afterwards. Memory of
   * JavaScript is left to the garbage collector.
   */
  dispose(): void {}

  /**
   * Yields all bytes in order, in pieces of at most 4 MiB. Those that are not in memory stay out of
   * it.
   */
  pieces(_signal?: AbortSignal): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
    return piecesOf(this.bytes);
  }

  /**
   * Returns a copy of some of the bytes: as many as there are. Of bytes that are not in memory,
   * only these are read: the checksum of the file covers all of them, so it cannot be checked.
   * @throws SconceError what reading the file throws
   */
  async read(offset: number, length: number, _signal?: AbortSignal): Promise<Uint8Array> {
    return this.bytes.slice(offset, offset + length);
  }

  /**
   * Returns the whole storage as the dtype's typed array, without a copy. `bytes` starts at a
   * multiple of the lane size.
   */
  view(dtype: DType): TypedArray {
    const { array } = dtypeInfo(dtype);
    let view = this.#views?.get(array);
    if (view === undefined) {
      const { buffer, byteOffset, byteLength } = this.bytes;
      view = new array(buffer, byteOffset, Math.floor(byteLength / array.BYTES_PER_ELEMENT));
      this.#views ??= new Map();
      this.#views.set(array, view);
    }
    return view;
  }
}

/** Every access to the bytes fails, so that no reader can take unknown values for zeros. */
class StorageWithoutValues extends Storage {
  readonly #byteLength: number;

  constructor(byteLength: number) {
    super(NO_BYTES);
    this.#byteLength = byteLength;
    const get = (): never => {
      throw storageWithoutValues(byteLength);
    };
    // Not enumerable: comparing or printing the storage does not read its bytes.
    Object.defineProperty(this, "bytes", { get, enumerable: false });
    Object.defineProperty(this, "withoutValues", { value: byteLength, enumerable: true });
  }

  override get hasValues(): boolean {
    return false;
  }

  override get byteLength(): number {
    return this.#byteLength;
  }
}

const NO_BYTES = new Uint8Array(0);

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

type DTypeInfoArray = ReturnType<typeof dtypeInfo>["array"];
