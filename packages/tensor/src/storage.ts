import { type DType, dtypeInfo, type TypedArray } from "./dtype.js";

/** Untyped bytes that tensors view. Several tensors (of several dtypes) may share one storage. */
export class Storage {
  readonly bytes: Uint8Array;
  #views: Map<DTypeInfoArray, TypedArray> | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  static allocate(byteLength: number): Storage {
    return new Storage(new Uint8Array(byteLength));
  }

  get byteLength(): number {
    return this.bytes.byteLength;
  }

  /** The whole storage as the dtype's typed array, without a copy. `bytes` starts at a multiple of the lane size. */
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

type DTypeInfoArray = ReturnType<typeof dtypeInfo>["array"];
