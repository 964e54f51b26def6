/**
 * @file Case files: JSON Lines, one recorded call a line. A tensor is its type in IR text and its
 * elements: `{"f32[2, 3]{1, 2}@6": [1, 2.5, "nan", ...]}`. Lists that a file needs more than once
 * are separate lines, `{"values": "3f2a91", "list": [...]}`, and tensors name them:
 * `{"f32[2, 3]": "3f2a91"}`.
 */
import { DTYPES, type DType, dtypeInfo } from "@sconce/tensor";
import type { CaseComparison, CaseTensor, CaseValue, OpCase } from "./case.js";
import { badCase } from "./errors.js";
import { bytesOf, type CaseNumber } from "./numbers.js";

/** A tensor in a file: one key that is its type, and what is left out elsewhere. */
interface TensorLine {
  readonly alias?: string;
  /** The elements are the whole storage. */
  readonly storage?: true;
  readonly [type: string]: readonly CaseNumber[] | string | null | true | undefined;
}

/** A value in a file. Integers, booleans, text, lists and null are as in JSON. */
type ValueLine =
  | null
  | boolean
  | number
  | string
  | readonly ValueLine[]
  | TensorLine
  | Exclude<CaseValue, CaseTensor | { readonly list: unknown } | { readonly float: number }>
  | { readonly float: number | string };

interface CaseLine {
  readonly op: string;
  readonly id: string;
  readonly from?: string;
  readonly tags?: readonly string[];
  readonly args: readonly ValueLine[];
  readonly kwargs?: Readonly<Record<string, ValueLine>>;
  readonly out?: readonly ValueLine[];
  readonly mutated?: Readonly<Record<string, ValueLine>>;
  readonly compare?: CaseComparison;
  readonly rtol?: number;
  readonly atol?: number;
  readonly error?: string;
}

interface ListLine {
  readonly values: string;
  readonly list: readonly CaseNumber[];
}

type Lists = ReadonlyMap<string, readonly CaseNumber[]>;

/** What is left out of a line: where the case comes from. */
export const DEFAULT_SOURCE = "hand";

/**
 * Reads the cases of a file. Elements are decoded when a tensor is built.
 *
 * @param name the file's name, for errors
 * @throws SconceError `CASE_FILE` with the line's number
 */
export function readLines(text: string, name: string): OpCase[] {
  const cases: OpCase[] = [];
  const lists = new Map<string, readonly CaseNumber[]>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "") continue;
    try {
      const parsed = JSON.parse(line) as CaseLine | ListLine;
      if ("values" in parsed) lists.set(parsed.values, parsed.list);
      else cases.push(readCase(parsed, lists));
    } catch (error) {
      throw badCase(`line ${at + 1} is not a recorded call: ${(error as Error).message}`, error).at(name);
    }
  }
  return cases;
}

function readCase(line: CaseLine, lists: Lists): OpCase {
  const { op, id, from = DEFAULT_SOURCE, tags = [], kwargs = {}, out, mutated, error } = line;
  const one = (value: ValueLine): CaseValue => readValue(value, lists);
  const named = (values: Readonly<Record<string, ValueLine>>): Record<string, CaseValue> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, one(value)]));
  const compare =
    line.compare ?? (error !== undefined ? "error" : line.rtol !== undefined ? "close" : "equal");
  return {
    target: op,
    id,
    source: from,
    tags,
    args: line.args.map(one),
    kwargs: named(kwargs),
    compare,
    ...(line.rtol !== undefined && { rtol: line.rtol }),
    ...(line.atol !== undefined && { atol: line.atol }),
    ...(out !== undefined && { outputs: out.map(one) }),
    ...(mutated !== undefined && { mutated: named(mutated) }),
    ...(error !== undefined && { error }),
  };
}

function readValue(value: ValueLine, lists: Lists): CaseValue {
  if (value === null) return { none: true };
  if (typeof value === "boolean") return { bool: value };
  if (typeof value === "number") return { int: value };
  if (typeof value === "string") return { str: value };
  if (Array.isArray(value))
    return { list: (value as readonly ValueLine[]).map((item) => readValue(item, lists)) };
  const tagged = value as Exclude<ValueLine, null | boolean | number | string | readonly ValueLine[]>;
  if ("int" in tagged) return { int: BigInt(tagged["int"] as string) };
  if ("float" in tagged) return { float: floatOf(tagged["float"] as number | string) };
  const type = Object.keys(tagged).find((key) => key.includes("["));
  return type === undefined ? (tagged as CaseValue) : readTensor(type, tagged as TensorLine, lists);
}

const floatOf = (value: number | string): number =>
  typeof value === "number" ? value : Number(value.replace("inf", "Infinity"));

const DTYPE_OF: ReadonlyMap<string, DType> = new Map(
  DTYPES.map((dtype) => [dtypeInfo(dtype).abbreviation, dtype]),
);
const TYPE = /^(\w+)\[([^\]]*)\](?:\{([^}]*)\})?(?:@(\d+))?$/;
const numbersOf = (text: string): number[] => (text === "" ? [] : text.split(",").map(Number));

function readTensor(type: string, line: TensorLine, lists: Lists): CaseTensor {
  const [, abbreviation, shape, strides, offset] = TYPE.exec(type) ?? [];
  const dtype = DTYPE_OF.get(abbreviation ?? "");
  if (dtype === undefined) throw badCase(`"${type}" is not the type of a tensor`);
  const values = line[type] as readonly CaseNumber[] | string | null;
  const items = typeof values === "string" ? lists.get(values) : values;
  if (items === undefined) throw badCase(`no line before this one has the values "${values}"`);
  const bytes = items === null ? null : once(() => bytesOf(dtype, items));
  return {
    tensor: bytes,
    dtype,
    shape: numbersOf(shape!),
    ...(strides !== undefined && { strides: numbersOf(strides) }),
    ...(offset !== undefined && { storageOffset: Number(offset) }),
    ...(line.storage === true && bytes !== null && { storage: bytes }),
    ...(line.alias !== undefined && { alias: line.alias }),
  };
}

function once<T>(compute: () => T): () => T {
  let value: { readonly result: T } | undefined;
  return () => {
    value ??= { result: compute() };
    return value.result;
  };
}
