/**
 * @file The oracle's recordings: one safetensors file an overload, the calls as JSON in its
 * metadata.
 */
import { complexDType, type DType, isComplexDType, readSafetensors, type Tensor } from "@sconce/tensor";
import type { CaseComparison, CaseTensor, CaseValue, OpCase } from "./case.js";
import { badCase } from "./errors.js";

interface RecordedTensor {
  readonly tensor: string | null;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides?: readonly number[];
  readonly storage_offset?: number;
  readonly storage?: string;
  readonly alias?: string;
  /** The stored values have a trailing dimension of real and imaginary part. */
  readonly complex?: boolean;
}

type RecordedValue =
  | RecordedTensor
  | { readonly int: number | string }
  | { readonly float: number | string }
  | { readonly list: readonly RecordedValue[] }
  | Exclude<
      CaseValue,
      | CaseTensor
      | { readonly int: unknown }
      | { readonly float: unknown }
      | { readonly list: readonly CaseValue[] }
    >;

interface RecordedCall {
  /** `silu.default-06d7c2ed9d`. */
  readonly id: string;
  readonly source: string;
  readonly tags: readonly string[];
  readonly args: readonly RecordedValue[];
  readonly kwargs: Readonly<Record<string, RecordedValue>>;
  readonly compare: CaseComparison;
  readonly rtol?: number;
  readonly atol?: number;
  readonly outputs?: readonly RecordedValue[];
  readonly mutated?: Readonly<Record<string, RecordedValue>>;
  readonly error?: { readonly type: string; readonly message: string };
}

type Tensors = ReadonlyMap<string, Tensor>;

/**
 * Reads the cases of one overload.
 *
 * @throws SconceError `CASE_FILE`, `SAFETENSORS`
 */
export function readRecording(file: Uint8Array): OpCase[] {
  // A plain view: a Node `Buffer` shares its memory.
  const { tensors, metadata } = readSafetensors(new Uint8Array(file));
  const [calls, overload, schema] = ["cases", "overload", "schema"].map((key) => metadata.get(key));
  if (calls === undefined) throw badCase("the file does not hold operator cases");
  const target = `${/^\s*(\w+)::/.exec(schema ?? "")?.[1] ?? "aten"}.${overload}`;
  return (JSON.parse(calls) as RecordedCall[]).map((call) => caseOf(call, target, tensors));
}

function caseOf(call: RecordedCall, target: string, tensors: Tensors): OpCase {
  const { source, tags, compare, rtol, atol, outputs, mutated, error } = call;
  const one = (value: RecordedValue): CaseValue => caseValue(value, tensors);
  const named = (values: Readonly<Record<string, RecordedValue>>): Record<string, CaseValue> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, one(value)]));
  return {
    target,
    id: call.id.slice(call.id.lastIndexOf("-") + 1),
    source,
    tags,
    args: call.args.map(one),
    kwargs: named(call.kwargs),
    compare,
    ...(rtol !== undefined && { rtol }),
    ...(atol !== undefined && { atol }),
    ...(outputs !== undefined && { outputs: outputs.map(one) }),
    ...(mutated !== undefined && { mutated: named(mutated) }),
    ...(error !== undefined && { error: `${error.type}: ${error.message}` }),
  };
}

function caseValue(value: RecordedValue, tensors: Tensors): CaseValue {
  if ("tensor" in value) return caseTensor(value, tensors);
  if ("int" in value) return { int: typeof value.int === "string" ? BigInt(value.int) : value.int };
  if ("float" in value) return { float: floatOf(value.float) };
  if ("list" in value) return { list: value.list.map((item) => caseValue(item, tensors)) };
  return value;
}

const floatOf = (value: number | string): number =>
  typeof value === "number" ? value : Number(value.replace("inf", "Infinity"));

function caseTensor(value: RecordedTensor, tensors: Tensors): CaseTensor {
  const { shape, strides, storage_offset: storageOffset, storage, alias } = value;
  const bytes = (key: string): (() => Uint8Array) => {
    const found = tensors.get(key);
    if (found === undefined) throw badCase(`the file does not hold the values "${key}"`);
    const { data } = found;
    return () => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  };
  return {
    tensor: value.tensor === null ? null : bytes(value.tensor),
    dtype: value.complex === true && !isComplexDType(value.dtype) ? complexDType(value.dtype) : value.dtype,
    shape,
    ...(strides !== undefined && { strides }),
    ...(storageOffset !== undefined && { storageOffset }),
    ...(storage !== undefined && { storage: bytes(storage) }),
    ...(alias !== undefined && { alias }),
  };
}
