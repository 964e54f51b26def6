/** @file Random chains of calls over dynamic sizes, as `oracle/dynamic_views.py` records them. */
import {
  Dim,
  type DimBounds,
  exportProgram,
  float,
  nn,
  type Size,
  slice,
  torch,
  tuple,
} from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";
import { SIZE_OPERATORS } from "./size-operators.fixture.js";

type Expression =
  | null
  | number
  | readonly ["s", operand: number, dim: number]
  | readonly [string, Expression, Expression];
type Entry = null | "AUTO" | "DYNAMIC" | readonly [name: string, min: number | null, max: number | null];
type Result = Tensor | readonly Tensor[];
type Call = (...args: readonly unknown[]) => Result;

/** One recorded case. */
export interface ViewCase {
  readonly inputs: readonly (readonly number[])[];
  readonly spec: readonly (readonly Entry[])[];
  readonly steps: readonly (readonly [kind: string, ...args: unknown[]])[];
  readonly result: {
    readonly error?: string;
    readonly message?: string;
    readonly text?: string;
    readonly guards?: readonly string[];
  };
}

/** The recorded cases. */
export const viewCases = fixtureJson("dynamic-shapes/views.json.gz") as readonly ViewCase[];

/**
 * Methods by the names of steps whose other arguments are expressions, positions or lists of them.
 */
const METHODS: Readonly<Record<string, string>> = {
  view: "view",
  reshape: "reshape",
  expand: "expand",
  repeat: "repeat",
  tile: "tile",
  flatten: "flatten",
  unflatten: "unflatten",
  squeeze: "squeeze",
  squeeze_all: "squeeze",
  unsqueeze: "unsqueeze",
  transpose: "transpose",
  movedim: "movedim",
  unfold: "unfold",
  diagonal: "diagonal",
  tril: "tril",
  cumsum: "cumsum",
  sum: "sum",
  mean: "mean",
  softmax: "softmax",
  contiguous: "contiguous",
  new_zeros: "newZeros",
  as_strided: "asStrided",
  flip: "flip",
  narrow: "narrow",
  select: "select",
  unbind: "unbind",
};
/** Methods whose dimension comes last, before the value in a step. */
const DIM_LAST: Readonly<Record<string, string>> = {
  split: "split",
  split_sizes: "split",
  chunk: "chunk",
  tensor_split: "tensorSplit",
  roll: "roll",
  repeat_interleave: "repeatInterleave",
};
const FACTORIES: Readonly<Record<string, string>> = {
  zeros: "zeros",
  full: "full",
  arange: "arange",
  eye: "eye",
};

const isExpression = (e: unknown): boolean =>
  Array.isArray(e) && (e[0] === "s" || (typeof e[0] === "string" && e[0] in SIZE_OPERATORS));

/** Runs the steps of a case on its inputs. */
class Run {
  readonly tensors: Tensor[];

  constructor(inputs: readonly Tensor[]) {
    this.tensors = [...inputs];
  }

  size(e: Expression): Size | null {
    if (e === null || typeof e === "number") return e;
    if (e[0] === "s") return this.tensors[e[1] as number]!.size(e[2] as number) as unknown as Size;
    return SIZE_OPERATORS[e[0]]!(this.size(e[1] as Expression)!, this.size(e[2])!);
  }

  value(e: unknown): unknown {
    if (isExpression(e)) return this.size(e as Expression);
    return Array.isArray(e) ? (e as readonly unknown[]).map((item) => this.value(item)) : e;
  }

  step([kind, ...args]: ViewCase["steps"][number]): Result {
    if (kind in FACTORIES) return this.#factory(kind, this.value(args[0]) as readonly unknown[]);
    if (kind === "linspace") return torch.linspace(0, 1, this.value(args[0]) as number);
    const operand = this.tensors[args[0] as number]!;
    const x = prepared(kind, operand);
    const rest = args.slice(1).map((arg) => this.value(arg));
    if (kind in METHODS) return method(x, METHODS[kind]!)(...rest);
    if (kind in DIM_LAST) return method(x, DIM_LAST[kind]!)(rest[1], rest[0]);
    return this.#index(kind, x, rest) ?? this.#join(kind, x, rest) ?? layer(kind, x, rest);
  }

  #factory(kind: string, args: readonly unknown[]): Tensor {
    if (kind === "zeros") return torch.zeros(args as readonly number[]);
    if (kind === "full") return torch.full(args as readonly number[], 1.5);
    return (torch[FACTORIES[kind] as "arange"] as (...given: readonly unknown[]) => Tensor)(...args);
  }

  #index(kind: string, x: Tensor, rest: readonly unknown[]): Tensor | undefined {
    const whole = (count: unknown): ReturnType<typeof slice>[] => new Array(count as number).fill(slice());
    const part = (from: number): ReturnType<typeof slice> =>
      slice(rest[from] as Size, rest[from + 1] as Size, (rest[from + 2] ?? null) as Size);
    if (kind === "slice") return x.at(...whole(rest[0]), part(1));
    if (kind === "at") return x.at(...whole(rest[0]), rest[1] as Size);
    if (kind === "ellslice") return x.at("...", part(0));
    if (kind !== "setslice" && kind !== "setat") return undefined;
    const value = kind === "setat" ? this.tensors[rest[2] as number] : rest[2];
    x.setAt([slice(rest[0] as Size, rest[1] as Size, null)], value as number);
    return x;
  }

  #join(kind: string, x: Tensor, rest: readonly unknown[]): Tensor | undefined {
    const other = (): Tensor => this.tensors[rest[0] as number]!;
    if (kind === "add") return x.add(other());
    if (kind === "matmul") return x.matmul(other());
    if (kind === "stack") return torch.stack([x, other()], rest[1] as number);
    if (kind === "cat") return torch.cat([x, other()], rest[1] as number);
    return undefined;
  }
}

/** Returns what a step does with its operand before it looks at its other arguments. */
function prepared(kind: string, operand: Tensor): Tensor {
  if (kind.startsWith("set")) return operand.clone();
  return kind === "interps" ? operand.flatten().view(1, 1, -1) : operand;
}

const method = (x: Tensor, name: string): Call => (x[name as "view"] as unknown as Call).bind(x);

/** Functions of `nn.functional` and of `torch`, of the operand in the shape that they take. */
function layer(kind: string, x: Tensor, rest: readonly unknown[]): Result {
  const F = nn.functional as unknown as Readonly<Record<string, Call>>;
  const rows = (): Tensor => (x.ndim < 2 ? x.unsqueeze(0) : x);
  const signal = (): Tensor => x.flatten().view(1, 1, -1);
  const kernel = (): Tensor => torch.ones(1, 1, rest[0] as number);
  const [a, b, c, d] = rest;
  const calls: Readonly<Record<string, () => Result>> = {
    pad: () => F["pad"]!(x, a, { mode: b }),
    layer_norm: () => F["layerNorm"]!(x, a),
    max_pool1d: () => F["maxPool1d"]!(rows(), a, b, c, { ceilMode: d }),
    avg_pool1d: () => F["avgPool1d"]!(rows(), a, b, c, { ceilMode: d }),
    aavg1d: () => F["adaptiveAvgPool1d"]!(rows(), a),
    conv1d: () => F["conv1d"]!(signal(), kernel(), null, b, c, d),
    convt1d: () => F["convTranspose1d"]!(signal(), kernel(), null, b, c),
    interp: () => F["interpolate"]!(signal(), { scaleFactor: float(a as number) }),
    interps: () => F["interpolate"]!(x, { size: a }),
    glu: () => F["glu"]!(x, a),
    index_select: () => x.indexSelect(a as number, torch.arange(b as number)),
    max: () => x.max(a as number)[0],
    topk: () => x.topk(a as number)[0],
    rot90: () => torch.rot90(x),
    hsplit: () => torch.hsplit(x, a as number),
  };
  return calls[kind]!();
}

/** Exports a case. */
export function exportCase({ inputs, spec, steps }: ViewCase): ExportedProgram {
  const dims = new Map<string, Dim>();
  const dimOf = (entry: Entry): unknown => {
    if (entry === null) return null;
    if (typeof entry === "string") return Dim[entry];
    const [name, min, max] = entry;
    const bounds = Object.entries({ min, max }).filter(([, value]) => value !== null);
    const dim = dims.get(name) ?? Dim(name, Object.fromEntries(bounds) as DimBounds);
    dims.set(name, dim);
    return dim;
  };
  const run = (...given: Tensor[]): unknown => {
    const state = new Run(given);
    for (const step of steps) state.tensors.push(...[state.step(step)].flat());
    return tuple(...state.tensors.slice(given.length));
  };
  const model = inputs.length === 1 ? (x: Tensor) => run(x) : (x: Tensor, y: Tensor) => run(x, y);
  const dynamicShapes = Object.fromEntries(spec.map((entries, i) => ["xy"[i]!, entries.map(dimOf)]));
  const args = inputs.map((shape) => torch.zeros([...shape]));
  return exportProgram(model, args, { dynamicShapes, onWarning: () => undefined });
}
