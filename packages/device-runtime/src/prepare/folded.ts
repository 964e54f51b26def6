/** @file Weights that are computed when a program is compiled: the device alone has them then. */
import { internalError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { type DType, dtypeInfo, isFloatDType, Storage, Tensor, type TypedArray } from "@sconce/tensor";

/** Bytes from which it is worth the while to drop them. */
const LEAST_BYTES = 4096;

/** Bytes that may be dropped when nothing will read them. */
export class FoldedStorage extends Storage {
  #bytes: Uint8Array | undefined;
  readonly #byteLength: number;

  constructor(bytes: Uint8Array) {
    super(NO_BYTES);
    this.#bytes = bytes;
    this.#byteLength = bytes.byteLength;
    Object.defineProperty(this, "bytes", { get: () => this.#read(), enumerable: false });
  }

  override get byteLength(): number {
    return this.#byteLength;
  }
  override view(dtype: DType): TypedArray {
    const { array } = dtypeInfo(dtype);
    const { buffer, byteOffset, byteLength } = this.#read();
    return new array(buffer, byteOffset, Math.floor(byteLength / array.BYTES_PER_ELEMENT));
  }
  #read(): Uint8Array {
    if (this.#bytes === undefined) throw internalError("a folded weight is read after it was dropped");
    return this.#bytes;
  }

  /** Leaves the bytes to the garbage collector. */
  drop(): void {
    this.#bytes = undefined;
  }
}
const NO_BYTES = new Uint8Array(0);

/**
 * Returns the program with weights that may be dropped in place of those that the original has not.
 */
export function withFoldedWeights(program: ExportedProgram, original: ExportedProgram): ExportedProgram {
  const given = new Set([...original.stateDict.values(), ...original.constants.values()].map(storageOf));
  const made = new Map<Storage, FoldedStorage>();
  const folded = (tensors: ReadonlyMap<string, Tensor>): ReadonlyMap<string, Tensor> =>
    new Map([...tensors].map(([name, tensor]) => [name, asFolded(tensor, given, made)]));
  const [stateDict, constants] = [folded(program.stateDict), folded(program.constants)];
  return made.size === 0 ? program : program.with({ stateDict, constants });
}

const storageOf = ({ storage }: Tensor): Storage => storage;

function asFolded(tensor: Tensor, given: ReadonlySet<Storage>, made: Map<Storage, FoldedStorage>): Tensor {
  const { dtype, shape, strides, storageOffset, requiresGrad, storage } = tensor;
  const isLarge = storage.hasValues && storage.isLoaded && storage.byteLength >= LEAST_BYTES;
  if (given.has(storage) || !isLarge || !isFloatDType(dtype)) return tensor;
  const own = made.get(storage) ?? new FoldedStorage(storage.bytes);
  made.set(storage, own);
  return new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage: own });
}
