import { type DType, dtypeInfo, type TypedArray } from "./dtype.js";
import { storageWithoutValues } from "./errors.js";

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

  /** Returns a storage of so many bytes, all zero. */
  static allocate(byteLength: number): Storage {
    return new Storage(new Uint8Array(byteLength));
  }

  /**
   * A storage whose values are not known, as PyTorch's on the `meta` device. Nothing is allocated.
   * A storage of no bytes has no values to miss: it is an ordinary one.
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
   * The whole storage as the dtype's typed array, without a copy. `bytes` starts at a multiple of
   * the lane size.
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

type DTypeInfoArray = ReturnType<typeof dtypeInfo>["array"];
