/** @file Files of `torch.save` that hold tensors in plain Python containers. */
import {
  type DType,
  dtypeInfo,
  isDType,
  requiredBytes,
  Storage,
  Tensor,
  type TensorInit,
} from "@sconce/tensor";
import { pickleError } from "../errors.js";
import { ZipArchive, type ZipOptions } from "../zip/archive.js";
import { aligned } from "../zip/bytes.js";
import { inflate } from "../zip/inflate.js";
import { PickleGlobal, type PickleHandlers, PickleTuple, readPickle } from "./pickle.js";
import { MARKS, STORAGE_CLASSES } from "./saved-names.js";

/** A tensor of the file, and whether it is a parameter. */
export class SavedTensor {
  readonly tensor: Tensor;
  readonly isParameter: boolean;
  /** Dimensions that `mark_dynamic` marked without a function. */
  readonly markedDims: readonly number[] | undefined;
  constructor(tensor: Tensor, isParameter = false, markedDims?: readonly number[]) {
    this.tensor = tensor;
    this.isParameter = isParameter;
    this.markedDims = markedDims;
  }
}

/** What `torch.save` files hold besides tensors. */
export interface TorchFileOptions extends ZipOptions {
  /**
   * Reads the description of a fake tensor, a JSON text as exported programs have it; fake tensors
   * are refused when left out. Gives undefined for sizes that are not numbers.
   */
  readonly fakeTensor?: (json: Uint8Array, where: string) => Omit<TensorInit, "storage"> | undefined;
}

/** Python bytes; pickles of protocol 2 write them as a text to encode. */
class PickleBytes {
  readonly bytes: Uint8Array;
  constructor(text: string) {
    this.bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  }
}

/** A named storage before its type matters. */
class SavedStorage {
  readonly storage: Storage;
  /** Undefined for untyped storages. */
  readonly dtype: DType | undefined;
  constructor(storage: Storage, dtype: DType | undefined) {
    this.storage = storage;
    this.dtype = dtype;
  }
}

const STORAGES: ReadonlyMap<string, DType | undefined> = new Map<string, DType | undefined>([
  ...[...STORAGE_CLASSES].map(([dtype, name]): [string, DType] => [`torch.${name}`, dtype]),
  ["torch.storage.UntypedStorage", undefined],
]);

/**
 * Reads the value of a `torch.save` file: tensors come as {@link SavedTensor}, dicts as maps, lists
 * and deques as arrays.
 * @throws SconceError `PICKLE_*`, `ZIP_*`
 */
export function readTorchFile(bytes: Uint8Array, where: string, options: TorchFileOptions): unknown {
  const zip = ZipArchive.openSync(bytes, inflate, options);
  const root = rootOf(zip, where);
  const byteOrder = zip.has(`${root}byteorder`) ? zip.readSync(`${root}byteorder`) : undefined;
  const parts = { zip, root, byteOrder, pickle: zip.readSync(`${root}data.pkl`) };
  const storage = (entry: string): Storage => new Storage(aligned(zip.readSync(entry), 16));
  return new TensorPickle(parts, where, { storage, ...options }).read();
}

/**
 * Returns the same for an archive that is open: only the pickle is read, and `storage` gives the
 * storage of an entry.
 * @throws SconceError `PICKLE_*`, `ZIP_*`
 */
export async function readOpenTorchFile(
  zip: ZipArchive,
  where: string,
  options: TorchFileOptions & StorageOption,
): Promise<unknown> {
  const root = rootOf(zip, where);
  const byteOrder = zip.has(`${root}byteorder`) ? await zip.read(`${root}byteorder`) : undefined;
  const parts = { zip, root, byteOrder, pickle: await zip.read(`${root}data.pkl`) };
  return new TensorPickle(parts, where, options).read();
}

/** Returns the folder of all entries. @throws SconceError `PICKLE_SYNTAX` */
function rootOf(zip: ZipArchive, where: string): string {
  const name = [...zip.names()].find((entry) => entry === "data.pkl" || entry.endsWith("/data.pkl"));
  if (name === undefined) throw pickleError("PICKLE_SYNTAX", "no data.pkl in the saved file", where);
  return name.slice(0, -"data.pkl".length);
}

/** Makes the storage of an entry. */
interface StorageOption {
  readonly storage: (entry: string) => Storage;
}

/** What is read of a file before its pickle is run. */
interface FileParts {
  readonly zip: ZipArchive;
  readonly root: string;
  readonly byteOrder: Uint8Array | undefined;
  readonly pickle: Uint8Array;
}

/**
 * Returns the dimensions that the attributes of a tensor mark, in order; undefined for other
 * attributes, which have no meaning here.
 */
function markedDims(state: unknown): readonly number[] | undefined {
  const marks: unknown = state instanceof Map && state.size === 1 ? state.get(MARKS) : undefined;
  if (!(marks instanceof Map)) return undefined;
  const entries: [unknown, unknown][] = [...marks];
  const isMark = ([dim, functions]: [unknown, unknown]): boolean =>
    Number.isInteger(dim) && Array.isArray(functions) && functions.length === 0;
  return entries.every(isMark) ? entries.map(([dim]) => dim as number) : undefined;
}

class TensorPickle {
  readonly #parts: FileParts;
  readonly #where: string;
  readonly #options: TorchFileOptions & StorageOption;
  readonly #storages = new Map<string, Storage>();

  constructor(parts: FileParts, where: string, options: TorchFileOptions & StorageOption) {
    this.#parts = parts;
    this.#where = where;
    this.#options = options;
  }

  read(): unknown {
    const { byteOrder, pickle } = this.#parts;
    if (byteOrder !== undefined && new TextDecoder().decode(byteOrder) !== "little")
      throw this.#forbid("big-endian data");
    const handlers: PickleHandlers = {
      call: (name, args) => this.#call(name, args),
      persistent: (id) => this.#storage(id),
    };
    return readPickle(pickle, `${this.#where} data.pkl`, handlers, this.#options.budget);
  }

  #fault = (message: string) => pickleError("PICKLE_SYNTAX", message, this.#where);
  #forbid = (message: string) => pickleError("PICKLE_FORBIDDEN", message, this.#where);

  #call(name: string, args: readonly unknown[]): unknown {
    switch (name) {
      case "collections.OrderedDict":
      case "collections.defaultdict":
        return new Map();
      case "collections.deque":
        return [];
      case "torch._utils._rebuild_tensor_v2":
        return this.#tensor(args, undefined);
      case "torch._utils._rebuild_tensor_v3":
        return this.#tensor(args, this.#dtype(args[6]));
      case "torch._utils._rebuild_meta_tensor_no_storage":
        return this.#metaTensor(args);
      case "torch._export.serde.serialize._reconstruct_fake_tensor":
        return this.#fake(args);
      case "_codecs.encode":
        if (typeof args[0] !== "string" || args[1] !== "latin1")
          throw this.#fault("bytes that are not latin1");
        this.#options.budget.spend("bytes", args[0].length, () => this.#where);
        return new PickleBytes(args[0]);
      case "torch._utils._rebuild_parameter":
      case "torch._utils._rebuild_parameter_with_state":
        if (!(args[0] instanceof SavedTensor)) throw this.#fault("a parameter without a tensor");
        return new SavedTensor(new Tensor({ ...args[0].tensor, requiresGrad: args[1] === true }), true);
      case "torch._tensor._rebuild_from_type_v2":
        return this.#fromType(args);
      case "torch.Size":
        return args[0];
      case "torch.device":
        if (typeof args[0] !== "string") throw this.#fault("a device without a name");
        return args[0];
      default:
        throw this.#forbid(`the file calls ${name}, which is not among the functions that make tensors`);
    }
  }

  #fromType([make, type, args, state]: readonly unknown[]): unknown {
    if (!(make instanceof PickleGlobal && type instanceof PickleGlobal && args instanceof PickleTuple)) {
      throw this.#fault("a tensor of no type");
    }
    if (type.name !== "torch.Tensor" && type.name !== "torch.nn.parameter.Parameter") {
      throw this.#forbid(`tensors of the type ${type.name}`);
    }
    if (make.name === "torch._tensor._rebuild_from_type_v2") throw this.#fault("a tensor made of itself");
    const made = this.#call(make.name, args.items);
    if (!(made instanceof SavedTensor)) return made;
    const isParameter = type.name !== "torch.Tensor";
    return new SavedTensor(made.tensor, isParameter || made.isParameter, markedDims(state));
  }

  #dtype(value: unknown): DType {
    const name = value instanceof PickleGlobal ? value.name.replace(/^torch\./, "") : undefined;
    if (isDType(name)) return name;
    throw this.#fault("an unknown dtype");
  }

  #storage(id: unknown): SavedStorage {
    const [tag, type, key] = id instanceof PickleTuple ? id.items : [];
    if (tag !== "storage" || !(type instanceof PickleGlobal) || typeof key !== "string") {
      throw this.#fault("a persistent id that is not a storage");
    }
    if (!STORAGES.has(type.name)) throw this.#forbid(`storages of the type ${type.name}`);
    const { zip, root } = this.#parts;
    const entry = `${root}data/${key}`;
    let storage = this.#storages.get(entry);
    if (storage === undefined) {
      if (!zip.has(entry)) throw this.#fault(`the storage ${key.slice(0, 50)} is missing`);
      storage = this.#options.storage(entry);
      this.#storages.set(entry, storage);
    }
    return new SavedStorage(storage, STORAGES.get(type.name));
  }

  #tensor(args: readonly unknown[], given: DType | undefined): SavedTensor {
    const [saved, offset, size, stride, requiresGrad] = args;
    if (!(saved instanceof SavedStorage)) throw this.#fault("a tensor without a storage");
    const dtype = given ?? saved.dtype;
    if (dtype === undefined) throw this.#fault("a tensor without a dtype");
    const [shape, strides] = [this.#sizes(size), this.#sizes(stride)];
    if (typeof offset !== "number" || !(offset >= 0) || shape.length !== strides.length)
      throw this.#fault("a bad view");
    const needed = requiredBytes(shape, strides, offset, dtypeInfo(dtype).itemSize);
    if (needed > saved.storage.byteLength) {
      throw this.#fault(`a tensor needs ${needed} bytes of a storage that has ${saved.storage.byteLength}`);
    }
    return new SavedTensor(
      new Tensor({
        dtype,
        shape,
        strides,
        storageOffset: offset,
        storage: saved.storage,
        requiresGrad: requiresGrad === true,
      }),
    );
  }

  /**
   * Returns a tensor of the meta device: it has no values, and the file does not say which tensors
   * share storage.
   */
  #metaTensor([dtype, size, stride, requiresGrad]: readonly unknown[]): SavedTensor {
    const [type, shape, strides] = [this.#dtype(dtype), this.#sizes(size), this.#sizes(stride)];
    if (shape.length !== strides.length) throw this.#fault("a bad view");
    return this.#withoutValues({ dtype: type, shape, strides, requiresGrad: requiresGrad === true });
  }

  #fake([json, isParameter]: readonly unknown[]): SavedTensor {
    const { fakeTensor } = this.#options;
    if (fakeTensor === undefined) throw this.#forbid("fake tensors");
    if (!(json instanceof PickleBytes)) throw this.#fault("a fake tensor without a description");
    const init = fakeTensor(json.bytes, this.#where);
    if (init === undefined) throw this.#forbid("fake tensors of symbolic size");
    return new SavedTensor(this.#withoutValues(init).tensor, isParameter === true);
  }

  #withoutValues(init: Omit<TensorInit, "storage">): SavedTensor {
    const tensor = Tensor.withoutValues(init);
    if (Number.isSafeInteger(tensor.storage.byteLength)) return new SavedTensor(tensor);
    throw this.#fault("sizes too large for any tensor");
  }

  #sizes(value: unknown): number[] {
    const items = value instanceof PickleTuple ? value.items : undefined;
    if (items?.every((item): item is number => typeof item === "number" && item >= 0)) return [...items];
    throw this.#fault("bad sizes or strides");
  }
}
