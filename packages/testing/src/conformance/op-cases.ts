import {
  type Argument,
  device,
  dtypeLiteral,
  float,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
} from "@sconce/ir";
import { contiguousStrides, type DType, dtypeInfo, isDType, numel, Storage, Tensor } from "@sconce/tensor";
import { badCaseFile } from "./errors.js";

/** A tensor of a case: the values' name, and how they lie in memory. */
export interface CaseTensor {
  /** Key of the stored values; null when only dtype, shape and strides are known. */
  readonly tensor: string | null;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly storage_offset?: number;
  /** Key of the whole storage as a flat tensor, where the operator can see more than the logical elements. */
  readonly storage?: string;
  /** Path of the argument whose storage this output shares. */
  readonly alias?: string;
  /** The stored values have a trailing dimension of real and imaginary part. */
  readonly complex?: boolean;
}

/** One argument or result of a case; exactly one of the keys is there. */
export type CaseValue =
  | CaseTensor
  | { readonly int: number | string }
  | { readonly float: number | string }
  | { readonly bool: boolean }
  | { readonly str: string }
  | { readonly none: true }
  | { readonly list: readonly CaseValue[] }
  | { readonly unspecified: true }
  | { readonly dtype: string }
  | { readonly memory_format: string }
  | { readonly layout: string }
  | { readonly device: string };

/** One call of one overload as PyTorch executed it. */
export interface OpCase {
  readonly id: string;
  readonly overload: string;
  readonly source: string;
  readonly level: "dispatch" | "export";
  readonly dtypes: readonly string[];
  readonly tags: readonly string[];
  readonly args: readonly CaseValue[];
  readonly kwargs: Readonly<Record<string, CaseValue>>;
  readonly compare: "close" | "equal" | "meta" | "error";
  readonly rtol?: number;
  readonly atol?: number;
  readonly outputs?: readonly CaseValue[];
  readonly mutated?: Readonly<Record<string, CaseValue>>;
  readonly error?: { readonly type: string; readonly message: string };
}

/** What a case's value becomes: a tensor, an argument literal, or a list of those. */
export type BuiltValue = Tensor | Argument | readonly BuiltValue[];

/** Cases of one overload with the values they name. */
export class OpCaseFile {
  readonly overload: string;
  readonly schema: string;
  readonly group: string;
  readonly cases: readonly OpCase[];
  readonly #bytes: Uint8Array;
  readonly #entries: Readonly<Record<string, { data_offsets: [number, number] }>>;

  constructor(file: Uint8Array) {
    // A plain view: a Node `Buffer` would hand out windows of itself where copies are needed.
    const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    const { __metadata__: metadata, ...entries } = header;
    if (metadata?.cases === undefined) {
      throw badCaseFile("the file holds no operator cases");
    }
    this.overload = metadata.overload;
    this.schema = metadata.schema;
    this.group = metadata.group;
    this.cases = JSON.parse(metadata.cases);
    this.#bytes = bytes.subarray(8 + length);
    this.#entries = entries;
  }

  /** `aten.add.Tensor`. */
  get target(): string {
    return `${/^\s*(\w+)::/.exec(this.schema)?.[1] ?? "aten"}.${this.overload}`;
  }

  /** A fresh value for a call; tensors are built anew each time, so that calls may write to them. */
  build(value: CaseValue): BuiltValue {
    if ("tensor" in value) return this.tensor(value);
    if ("int" in value) return typeof value.int === "string" ? BigInt(value.int) : value.int;
    if ("float" in value) return float(floatOf(value.float));
    if ("bool" in value) return value.bool;
    if ("str" in value) return value.str;
    if ("list" in value) return value.list.map((item) => this.build(item));
    if ("dtype" in value) return dtypeOf(value.dtype);
    if ("memory_format" in value) return memoryFormat(value.memory_format as MemoryFormat);
    if ("layout" in value) return layout(value.layout as LayoutName);
    if ("device" in value) return deviceOf(value.device);
    return null;
  }

  /** The tensor as it lay in PyTorch's memory. */
  tensor(spec: CaseTensor): Tensor {
    const { shape, strides = contiguousStrides(spec.shape), storage_offset: storageOffset = 0 } = spec;
    const dtype = spec.complex ? complexOf(spec.dtype) : spec.dtype;
    if (spec.storage !== undefined) {
      return new Tensor({
        dtype,
        shape,
        strides,
        storageOffset,
        storage: new Storage(this.#values(spec.storage)),
      });
    }
    const { itemSize } = dtypeInfo(dtype);
    const empty = numel(shape) === 0;
    const last = empty ? 0 : 1 + shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 0);
    const storage = Storage.allocate((storageOffset + last) * itemSize);
    const tensor = new Tensor({ dtype, shape, strides, storageOffset, storage });
    if (spec.tensor !== null && !empty) scatterBytes(tensor, this.#values(spec.tensor), itemSize);
    return tensor;
  }

  #values(key: string): Uint8Array {
    const entry = this.#entries[key];
    if (entry === undefined) throw badCaseFile(`no values named "${key}"`);
    return this.#bytes.slice(...entry.data_offsets);
  }
}

function scatterBytes(tensor: Tensor, values: Uint8Array, itemSize: number): void {
  const { shape, strides, storageOffset, storage } = tensor;
  const index = shape.map(() => 0);
  let position = storageOffset;
  for (let at = 0; at < values.length; at += itemSize) {
    storage.bytes.set(values.subarray(at, at + itemSize), position * itemSize);
    for (let d = shape.length - 1; d >= 0; d--) {
      position += strides[d]!;
      if (++index[d]! < shape[d]!) break;
      position -= strides[d]! * shape[d]!;
      index[d] = 0;
    }
  }
}

const floatOf = (value: number | string): number =>
  typeof value === "number" ? value : Number(value.replace("inf", "Infinity"));

const complexOf = (dtype: DType): DType =>
  dtype === "float64" || dtype === "complex128"
    ? "complex128"
    : dtype === "float16"
      ? "complex32"
      : "complex64";

function dtypeOf(name: string): Argument {
  if (!isDType(name)) throw badCaseFile(`unknown dtype "${name}"`);
  return dtypeLiteral(name);
}

function deviceOf(text: string): Argument {
  const [type, index] = text.split(":");
  return device(type!, index === undefined ? null : Number(index));
}
