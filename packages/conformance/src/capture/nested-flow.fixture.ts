/** @file Random nestings of control flow, as `oracle/nested_control_flow.py` records them. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  associativeScan,
  cond,
  Dim,
  enableGrad,
  exportProgram,
  map,
  nn,
  noGrad,
  scan,
  sym,
  torch,
  tuple,
  whileLoop,
} from "@sconce/capture";
import { type ExportedProgram, flattenValue } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";

type Kind = "f32" | "f64" | "i64" | "b8";
type Sizes = readonly (number | string)[];
type Expression = null | number | boolean | string | FunctionText | readonly Expression[];

interface FunctionText {
  readonly p: readonly string[];
  readonly b: readonly (readonly [variable: string | null, value: Expression])[];
  readonly r: Expression;
}

/** What is kept of a result: its sizes, its sum, and a sum that shows the order; or a number. */
export type Fingerprint =
  | null
  | number
  | boolean
  | readonly [shape: readonly number[], sum: number, weighted: number];

/** One recorded case. */
export interface FlowCase {
  readonly inputs: readonly (readonly [name: string, dtype: Kind, shape: Sizes])[];
  readonly state: readonly (readonly [name: string, dtype: Kind, shape: Sizes, kind: string])[];
  readonly body: FunctionText;
  readonly result: {
    readonly error?: string;
    readonly message?: string;
    readonly text?: string;
    /** The results of the calls; a text where PyTorch refuses the call. */
    readonly results?: readonly (string | readonly Fingerprint[])[];
  };
}

const FILE = new URL("../../../testing/fixtures/capture/nested-control-flow.json.gz", import.meta.url);

/** Returns the cases of a file. */
export const flowCases = (file: URL | string = FILE): readonly FlowCase[] =>
  JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly FlowCase[];

const DTYPES = { f32: "float32", f64: "float64", i64: "int64", b8: "bool" } as const;
/** The sizes of the calls, and what their values begin with. */
const CALLS: readonly (readonly [sizes: Readonly<Record<string, number>>, first: number])[] = [
  [{ n: 4, m: 3 }, 0],
  [{ n: 6, m: 5 }, 3],
  [{ n: 3, m: 7 }, 8],
];
/** What the sources use. It is frozen: control flow takes it for an import. */
const LIBRARY = Object.freeze({
  torch,
  cond,
  map,
  whileLoop,
  scan,
  associativeScan,
  sym,
  tuple,
  noGrad,
  enableGrad,
});
const SYM: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "//": "floorDiv",
  ">": "gt",
  ">=": "ge",
  "<": "lt",
};

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Writes a case as JavaScript. */
class Source {
  readonly #lines: string[] = [];
  #count = 0;

  class(body: FunctionText, names: readonly string[]): string {
    this.#block({ ...body, p: names });
    return `return class Net extends nn.Module { forward(${names.join(", ")}) {\n${this.#lines.join("\n")}\n} }`;
  }

  #block({ b: statements, r: result }: FunctionText): void {
    for (const [variable, value] of statements) {
      const text = this.#emit(value);
      this.#lines.push(variable === null ? `${text};` : `const ${variable} = ${text};`);
    }
    this.#lines.push(`return ${this.#emit(result)};`);
  }

  #function(fn: FunctionText): string {
    const name = `f${this.#count++}`;
    this.#lines.push(`const ${name} = (${fn.p.join(", ")}) => {`);
    this.#block(fn);
    this.#lines.push("};");
    return name;
  }

  #emit(expression: Expression): string {
    if (typeof expression !== "object" || expression === null) return String(expression);
    if (!Array.isArray(expression)) return this.#function(expression as FunctionText);
    const [kind, ...args] = expression as unknown as readonly [string, ...Expression[]];
    if (kind === "get") return `${this.#emit(args[0]!)}[${JSON.stringify(args[1])}]`;
    if (kind === "dict") {
      const entries = args.flatMap((key, i) =>
        i % 2 === 0 ? [`${String(key)}: ${this.#emit(args[i + 1]!)}`] : [],
      );
      return `({ ${entries.join(", ")} })`;
    }
    if (kind === "grad") return `T.${args[0] ? "enableGrad" : "noGrad"}(() => ${this.#emit(args[1]!)})`;
    const given = args.map((arg) => this.#emit(arg));
    const [first, ...rest] = given as [string, ...string[]];
    const join = (from: number): string => given.slice(from).join(", ");
    const texts: Readonly<Record<string, () => string>> = {
      self: () => `this.${first}`,
      m: () => `${rest[0]}.${camelCase(first)}(${join(2)})`,
      to: () => `${first}.to(${JSON.stringify(DTYPES[args[1] as Kind])})`,
      size: () => `${first}.size(${rest[0]})`,
      sym: () => `T.sym.${SYM[first]}(${join(1)})`,
      torch: () => `T.torch.${camelCase(first)}(${join(1)})`,
      full: () =>
        `T.torch.full([${join(2)}], ${first}, { dtype: ${JSON.stringify(DTYPES[args[1] as Kind])} })`,
      list: () => `[${join(0)}]`,
      tuple: () => `T.tuple(${join(0)})`,
      cond: () => `T.cond(${first}, ${rest[0]}, ${rest[1]}, [${join(3)}])`,
      map: () => `T.map(${join(0)})`,
      while: () => `T.whileLoop(${first}, ${rest[0]}, [${join(2)}])`,
      rest: () => `${first}.slice(1)`,
      scan: () => `T.scan(${first}, ${rest[0]}, ${rest[1]}, { dim: ${rest[2]}, reverse: ${rest[3]} })`,
      associative: () =>
        `T.associativeScan(${first}, ${rest[0]}, { dim: ${rest[1]}, reverse: ${rest[2]}, combineMode: ${JSON.stringify(args[4])} })`,
    };
    return texts[kind]!();
  }
}

/** Returns the source of a case. */
const flowSource = ({ body, inputs }: FlowCase): string =>
  new Source().class(
    body,
    inputs.map(([name]) => name),
  );

/** Values that both languages compute alike: multiples of 1/8 between -9/8 and 9/8. */
function tensorOf(kind: Kind, shape: readonly number[], first: number): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const eighths = Array.from({ length: count }, (_, i) => ((i * 7 + first * 11) % 19) - 9);
  const values =
    kind === "b8" ? eighths.map((v) => v > 0) : kind === "i64" ? eighths : eighths.map((v) => v / 8);
  return torch.tensor(values as number[], { dtype: DTYPES[kind] }).reshape([...shape]);
}

/** Returns the module of a case. */
export function flowModule(entry: FlowCase): nn.Module {
  const make = new Function("T", "nn", flowSource(entry)) as (
    library: object,
    layers: object,
  ) => new () => nn.Module;
  const module = new (make(LIBRARY, nn))();
  entry.state.forEach(([name, dtype, shape, kind], i) => {
    const value = tensorOf(dtype, shape as readonly number[], 5 + i);
    if (kind === "parameter") module.registerParameter(name, new nn.Parameter(value));
    else if (kind === "buffer") module.registerBuffer(name, value);
    else (module as unknown as Record<string, Tensor>)[name] = value;
  });
  return module;
}

/** Returns the arguments of the recorded calls. */
export const flowArguments = ({ inputs }: FlowCase, call: number): Tensor[] => {
  const [dims, first] = CALLS[call]!;
  return inputs.map(([, dtype, shape], i) =>
    tensorOf(
      dtype,
      shape.map((size) => (typeof size === "string" ? dims[size]! : size)),
      first + i,
    ),
  );
};

/** Exports a case, or a module that is called as its module. */
export function exportFlow(entry: FlowCase, module: nn.Module = flowModule(entry)): ExportedProgram {
  const dims = new Map<string, Dim>();
  const dimOf = (name: string): Dim => {
    const dim = dims.get(name) ?? Dim(name, { min: 2 });
    dims.set(name, dim);
    return dim;
  };
  const dynamicShapes = Object.fromEntries(
    entry.inputs.map(([name, , shape]) => {
      const dynamic = shape.flatMap((size, i) =>
        typeof size === "string" ? [[i, dimOf(size)] as const] : [],
      );
      return [name, dynamic.length > 0 ? Object.fromEntries(dynamic) : null];
    }),
  );
  return exportProgram(module, flowArguments(entry, 0), {
    dynamicShapes,
    onWarning: () => undefined,
  });
}

/** Returns what is kept of the leaves of a result. */
export const fingerprints = (result: unknown): Fingerprint[] =>
  flattenValue(result).leaves.map((leaf) => {
    if (!(leaf instanceof Tensor)) return leaf as number;
    const values = [...leaf.toArray()].map(Number);
    const sum = values.reduce((a, b) => a + b, 0);
    return [[...leaf.shape], sum, values.reduce((a, b, i) => a + b * (i + 1), 0)];
  });

/**
 * Returns a text without comments on source lines, and with symbols and sizes numbered in order.
 */
export function comparableFlow(text: string): string {
  const seen = new Map<string, Map<string, string>>();
  const number = (kind: string) => (name: string) => {
    const known = seen.get(kind) ?? new Map<string, string>();
    seen.set(kind, known);
    known.set(name, known.get(name) ?? `${kind}${known.size}`);
    return known.get(name)!;
  };
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*# (?:File|No)/.test(line))
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\bsym_\w+_\d+\b/g, number("size#"))
    .replace(/\bs\d+\b/g, number("s#"))
    .replace(/\bu\d+\b/g, number("u#"));
}
