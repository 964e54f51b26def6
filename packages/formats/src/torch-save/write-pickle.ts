/**
 * @file Pickles of plain values and tensors, byte for byte as `torch.save` of PyTorch writes them
 * (protocol 2).
 */
import { dtypeInfo, type Storage, type Tensor } from "@sconce/tensor";
import { utf8 } from "../zip/utf8.js";
import { joinPieces } from "../zip/write.js";
import { MARKS, STORAGE_CLASSES } from "./saved-names.js";

/** A Python float. */
export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A Python tuple. */
export class PyTuple {
  readonly items: readonly PyValue[];
  constructor(items: readonly PyValue[]) {
    this.items = items;
  }
}

/** A class or function, by module and name. */
export class PyGlobal {
  readonly module: string;
  readonly name: string;
  constructor(module: string, name: string) {
    this.module = module;
    this.name = name;
  }
}

/** A Python dict. */
export class PyDict {
  readonly entries: readonly (readonly [PyValue, PyValue])[];
  constructor(entries: readonly (readonly [PyValue, PyValue])[]) {
    this.entries = entries;
  }
}

/** An object that Python makes by a call; it may then be filled with items. */
export class PyCall {
  readonly callee: PyGlobal;
  readonly args: readonly PyValue[];
  readonly items: readonly PyValue[];
  readonly entries: PyDict["entries"];
  constructor(
    callee: PyGlobal,
    args: readonly PyValue[],
    {
      items = [],
      entries = [],
    }: { readonly items?: readonly PyValue[]; readonly entries?: PyDict["entries"] } = {},
  ) {
    this.callee = callee;
    this.args = args;
    this.items = items;
    this.entries = entries;
  }
}

/** A value to pickle: numbers are ints, arrays are lists. */
export type PyValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PyFloat
  | PyTuple
  | PyGlobal
  | PyDict
  | PyCall
  | Tensor
  | MarkedTensor
  | readonly PyValue[];

/** A tensor with dimensions that `mark_dynamic` marked. */
export class MarkedTensor {
  readonly tensor: Tensor;
  readonly dims: readonly number[];
  constructor(tensor: Tensor, dims: readonly number[]) {
    this.tensor = tensor;
    this.dims = dims;
  }
}

/** What ends a batch of one item and of several. */
type Opcodes = readonly [one: string, many: string];

/** Python writes so many items behind one mark. */
const BATCH = 1000;
/** Hooks of gradients, which a saved tensor does not have. */
const HOOKS = new PyGlobal("collections", "OrderedDict");
const REBUILD = "torch._utils";

/** A storage that the pickle refers to. */
interface NamedStorage {
  readonly key: string;
  readonly storage: Storage;
}

/** The devices of storages that are not on the CPU: PyTorch puts them there when it loads them. */
export type Places = ReadonlyMap<Storage, string>;

/** Writes one pickle and collects the storages of its tensors. */
export class PickleWriter {
  readonly #pieces: Uint8Array[] = [];
  /**
   * Numbers of what was written and may be referred to: objects, and texts and globals by value.
   */
  readonly #memo = new Map<unknown, number>();
  #memoized = 0;
  readonly #storages = new Map<Storage, NamedStorage>();
  readonly #places: Places;

  constructor(places: Places = new Map()) {
    this.#places = places;
  }

  /** Returns the pickle of a value. */
  write(value: PyValue): Uint8Array {
    this.#bytes(0x80, 2);
    this.#save(value);
    this.#op(".");
    return joinPieces(this.#pieces);
  }

  /** Yields the storages in the order of their keys. */
  storages(): Iterable<NamedStorage> {
    return this.#storages.values();
  }

  #bytes(...bytes: readonly number[]): void {
    this.#pieces.push(Uint8Array.from(bytes));
  }

  #op(text: string): void {
    this.#pieces.push(utf8(text));
  }

  #u32(op: string, value: number): void {
    this.#op(op);
    this.#bytes(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
  }

  /** Gives what was just written the next number. */
  #memoize(key: unknown): void {
    const number = this.#memoized++;
    if (key !== undefined) this.#memo.set(key, number);
    this.#numbered("q", "r", number);
  }

  #numbered(short: string, long: string, number: number): void {
    if (number < 256) {
      this.#op(short);
      this.#bytes(number);
    } else this.#u32(long, number);
  }

  /** Refers to what was written before. */
  #known(key: unknown): boolean {
    const number = this.#memo.get(key);
    if (number !== undefined) this.#numbered("h", "j", number);
    return number !== undefined;
  }

  #save(value: PyValue): void {
    if (value === null) this.#op("N");
    else if (typeof value === "boolean") this.#bytes(value ? 0x88 : 0x89);
    else if (typeof value === "number" || typeof value === "bigint") this.#integer(BigInt(value));
    else if (typeof value === "string") this.#text(value);
    else if (value instanceof PyFloat) this.#float(value.value);
    else if (value instanceof PyGlobal) this.#global(value);
    else if (!this.#known(value)) this.#object(value);
  }

  #object(value: Exclude<PyValue, null | boolean | number | bigint | string | PyFloat | PyGlobal>): void {
    if (Array.isArray(value)) {
      this.#op("]");
      this.#memoize(value);
      this.#items(value as readonly PyValue[], true);
    } else if (value instanceof PyTuple) this.#tuple(value.items, value);
    else if (value instanceof PyDict) {
      this.#op("}");
      this.#memoize(value);
      this.#entries(value.entries, true);
    } else if (value instanceof MarkedTensor) this.#marked(value);
    else if (value instanceof PyCall) this.#call(value, value);
    else this.#tensor(value as Tensor);
  }

  #integer(value: bigint): void {
    if (value >= 0n && value < 256n) {
      this.#op("K");
      this.#bytes(Number(value));
    } else if (value >= 0n && value < 65536n) {
      this.#op("M");
      this.#bytes(Number(value & 0xffn), Number(value >> 8n));
    } else if (BigInt.asIntN(32, value) === value) this.#u32("J", Number(BigInt.asUintN(32, value)));
    else this.#long(value);
  }

  /** Two's complement in as few bytes as hold it. */
  #long(value: bigint): void {
    let length = 1;
    while (BigInt.asIntN(8 * length, value) !== value) length++;
    const bytes = Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
    if (length < 256) this.#bytes(0x8a, length);
    else {
      this.#bytes(0x8b);
      this.#u32("", length);
    }
    this.#bytes(...bytes);
  }

  #float(value: number): void {
    const bytes = new Uint8Array(9);
    bytes[0] = 0x47;
    new DataView(bytes.buffer).setFloat64(1, value);
    this.#pieces.push(bytes);
  }

  /** Equal texts count as one object, as texts in the source of a Python program are. */
  #text(value: string): void {
    const key = `text ${value}`;
    if (this.#known(key)) return;
    const bytes = utf8(value);
    this.#u32("X", bytes.length);
    this.#pieces.push(bytes);
    this.#memoize(key);
  }

  #global({ module, name }: PyGlobal): void {
    const key = `global ${module} ${name}`;
    if (this.#known(key)) return;
    this.#op(`c${module}\n${name}\n`);
    this.#memoize(key);
  }

  #tuple(items: readonly PyValue[], key?: unknown): void {
    if (items.length === 0) {
      this.#op(")");
      return;
    }
    if (items.length > 3) this.#op("(");
    for (const item of items) this.#save(item);
    if (items.length > 3) this.#op("t");
    else this.#bytes(0x84 + items.length);
    this.#memoize(key);
  }

  /**
   * Items behind marks, in batches. A batch of one has no mark: of lists and dicts this is so for
   * the only item, of other containers for the last one, too.
   */
  #batches<T>(items: readonly T[], [one, many]: Opcodes, isPlain: boolean, save: (item: T) => void): void {
    for (let at = 0; at < items.length; at += BATCH) {
      const batch = items.slice(at, at + BATCH);
      const single = batch.length === 1 && (!isPlain || items.length === 1);
      if (!single) this.#op("(");
      batch.forEach(save);
      this.#op(single ? one : many);
    }
  }

  #items(items: readonly PyValue[], isList: boolean): void {
    this.#batches(items, ["a", "e"], isList, (item) => this.#save(item));
  }

  #entries(entries: PyDict["entries"], isDict: boolean): void {
    this.#batches(entries, ["s", "u"], isDict, ([key, item]) => {
      this.#save(key);
      this.#save(item);
    });
    // Python looks for more behind a full batch of a dict.
    if (isDict && entries.length > 0 && entries.length % BATCH === 0) this.#op("(u");
  }

  #call({ callee, args, items, entries }: PyCall, key?: unknown): void {
    this.#global(callee);
    this.#tuple(args);
    this.#op("R");
    this.#memoize(key);
    this.#items(items, false);
    this.#entries(entries, false);
  }

  #tensor(tensor: Tensor): void {
    const [name, args] = this.#rebuilt(tensor);
    this.#global(new PyGlobal(REBUILD, name));
    this.#arguments(args);
    this.#op("R");
    this.#memoize(tensor);
  }

  /** A tensor with attributes: how it is made, its class, and the attributes. */
  #marked({ tensor, dims }: MarkedTensor): void {
    if (this.#known(tensor)) return;
    const [name, args] = this.#rebuilt(tensor);
    this.#global(new PyGlobal("torch._tensor", "_rebuild_from_type_v2"));
    this.#arguments(() => {
      this.#global(new PyGlobal(REBUILD, name));
      this.#global(new PyGlobal("torch", "Tensor"));
      this.#arguments(args);
      this.#save(new PyDict([[MARKS, new PyDict(dims.map((dim) => [dim, []]))]]));
    });
    this.#op("R");
    this.#memoize(tensor);
  }

  /** Returns the function that makes a tensor, and what writes its arguments. */
  #rebuilt(tensor: Tensor): [name: string, args: () => void] {
    const { dtype, shape, strides, storageOffset, requiresGrad, storage } = tensor;
    const layout = [new PyTuple(shape), new PyTuple(strides), requiresGrad];
    const type = new PyGlobal("torch", dtype);
    const save = (items: readonly PyValue[]): void => {
      for (const item of items) this.#save(item);
    };
    if (!storage.hasValues) return ["_rebuild_meta_tensor_no_storage", () => save([type, ...layout])];
    const isTyped = STORAGE_CLASSES.has(dtype);
    const args = (): void => {
      this.#storage(tensor);
      save([storageOffset, ...layout, new PyCall(HOOKS, [])]);
      if (!isTyped) save([type]);
    };
    return [isTyped ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3", args];
  }

  /** A tuple of more than three arguments. */
  #arguments(write: () => void): void {
    this.#op("(");
    write();
    this.#op("t");
    this.#memoize(undefined);
  }

  #storage({ storage, dtype }: Tensor): void {
    let named = this.#storages.get(storage);
    if (named === undefined) {
      named = { key: String(this.#storages.size), storage };
      this.#storages.set(storage, named);
    }
    const typed = STORAGE_CLASSES.get(dtype);
    const type =
      typed === undefined ? new PyGlobal("torch.storage", "UntypedStorage") : new PyGlobal("torch", typed);
    const itemSize = typed === undefined ? 1 : dtypeInfo(dtype).itemSize;
    const count = Math.floor(storage.byteLength / itemSize);
    this.#tuple(["storage", type, named.key, this.#places.get(storage) ?? "cpu", count]);
    this.#op("Q");
  }
}
