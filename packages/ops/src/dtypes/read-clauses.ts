/** @file Reads the recorded tables of dtypes that PyTorch's CPU kernels refuse. */
import type { DType } from "@sconce/tensor";
import { DTYPE_REFUSALS } from "./dtype-refusals.js";
import { MORE_REFUSALS } from "./more-refusals.js";

/** Dtypes by their bits in the table, the lowest first. */
export const DTYPE_BITS: readonly DType[] = [
  ...(["float64", "float32", "float16", "bfloat16"] as const),
  ...(["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"] as const),
  ...(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const),
  ...(["bool", "complex32", "complex64", "complex128"] as const),
];
const BIT = Object.fromEntries(DTYPE_BITS.map((dtype, i) => [dtype, 1 << i])) as Readonly<
  Record<DType, number>
>;

/** Returns whether a set of the table has a dtype. */
export const hasDType = (set: number, dtype: DType): boolean => (set & BIT[dtype]) !== 0;

/** Which dtype a clause judges. */
export type Subject =
  /** That of an argument: `self`. */
  | { readonly kind: "argument"; readonly name: string }
  /** The one that arguments promote to: `self+other`. */
  | { readonly kind: "promoted"; readonly names: readonly string[] }
  /** The argument `dtype`: `dtype`; or if there is none what the tensors promote to: `dtype?`. */
  | { readonly kind: "dtype"; readonly orPromoted: boolean }
  /** Those of two arguments, which must be equal: `self!other`. */
  | { readonly kind: "equal"; readonly names: readonly [string, string] };

/** Dtypes that calls of an operator must not have. */
export interface Clause {
  readonly subject: Subject;
  /** The refused dtypes. */
  readonly set: number;
  /** Holds only where a condition does: `rounding_mode=floor`, `rank=3`, `0d=True`. */
  readonly when: readonly [name: string, value: string] | undefined;
  /** Whether calls with an empty tensor compute nothing and are accepted. */
  readonly acceptsEmpty: boolean;
  /** PyTorch's message; `%S`, `%0C`: names of the dtypes. */
  readonly message: string;
}

const LINE = /^([^ @]+)(?:@([^= ]+)=(\S+))?( \?)? ([0-9a-f]+)(?: (".*"))?: (.*)$/;

/** Returns the clauses of each operator, by target. */
export function readClauses(
  lines: readonly string[] = [...DTYPE_REFUSALS, ...MORE_REFUSALS],
): ReadonlyMap<string, readonly Clause[]> {
  const clauses = new Map<string, Clause[]>();
  for (const line of lines) {
    const [, subject, name, value, empty, set, text, calls] = LINE.exec(line) as unknown as string[];
    const common = {
      subject: subjectOf(subject!),
      set: Number.parseInt(set!, 16),
      when: name === undefined ? undefined : ([name, value!] as const),
      acceptsEmpty: empty !== undefined,
    };
    for (const call of calls!.split(" ")) {
      const [short, kernel = "~_cpu"] = call.split("=") as [string, string?];
      const message = text === undefined ? kernelMessage(short, kernel) : (JSON.parse(text) as string);
      const target = targetOf(short);
      const known = clauses.get(target);
      if (known === undefined) clauses.set(target, [{ ...common, message }]);
      else known.push({ ...common, message });
    }
  }
  return clauses;
}

function subjectOf(text: string): Subject {
  if (text === "dtype" || text === "dtype?") return { kind: "dtype", orPromoted: text === "dtype?" };
  if (text.includes("!")) return { kind: "equal", names: text.split("!") as [string, string] };
  if (text.includes("+")) return { kind: "promoted", names: text.split("+") };
  return { kind: "argument", name: text };
}

const NAMESPACES: ReadonlySet<string> = new Set(["prims", "quantized_decomposed", "_test"]);

/** `add.Tensor` is `aten.add.Tensor`, `abs` is `aten.abs.default`. */
function targetOf(short: string): string {
  const parts = short.split(".");
  const namespace = NAMESPACES.has(parts[0]!) ? parts.shift()! : "aten";
  return `${namespace}.${parts[0]}.${parts[1] ?? "default"}`;
}

function kernelMessage(short: string, kernel: string): string {
  const parts = short.split(".");
  const name = (NAMESPACES.has(parts[0]!) ? parts[1]! : parts[0]!).replace(/^_+|_+$/g, "");
  return `"${kernel.replace("~", name)}" not implemented for '%S'`;
}
