/**
 * @file The operator calls that are measured, as `operator-cases.json` gives them to PyTorch and to
 * Sconce.
 */
import { readFileSync } from "node:fs";
import { createEvaluator, type Evaluator } from "@sconce/backend-cpu";
import { type Argument, dtypeLiteral, float, type MemoryFormat, memoryFormat } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";

/** A size: a number, or a part of the case's `n` (`"n"`, `"n/10"`). */
type Size = number | string;

/** A random tensor. */
interface TensorSpec {
  readonly tensor: readonly Size[];
  /** float32 when left out. */
  readonly dtype?: DType;
  /** Integers from zero to below this; else normal deviates. */
  readonly below?: Size;
  readonly positive?: boolean;
  readonly sorted?: boolean;
  readonly permute?: readonly number[];
}

type ArgumentSpec =
  | TensorSpec
  | number
  | boolean
  | string
  | null
  | { readonly float: number }
  | { readonly dtype: DType }
  | { readonly memory_format: MemoryFormat }
  | readonly ArgumentSpec[];

/** One measured call. */
export interface OperatorCase {
  readonly group: string;
  readonly name: string;
  readonly target: string;
  readonly args: readonly ArgumentSpec[];
  readonly kwargs?: Readonly<Record<string, ArgumentSpec>>;
  /** What sizes may be a part of, where the growth of time with size is of interest. */
  readonly n?: number;
  /** PyTorch's time on one thread, in milliseconds. */
  readonly torch: number;
}

/** Returns the cases of the list. */
export const operatorCases = (): readonly OperatorCase[] =>
  JSON.parse(readFileSync(new URL("../operator-cases.json", import.meta.url), "utf8"));

/** The arguments of a call. */
interface BuiltCall {
  readonly args: readonly Argument[];
  readonly kwargs: Readonly<Record<string, Argument>>;
}

/** Returns the arguments of a case, the same each time; `n` in place of the case's own. */
export function argumentsOf(one: OperatorCase, n = one.n ?? 0): BuiltCall {
  const random = generator();
  const args = one.args.map((spec) => built(spec, n, random));
  const kwargs = Object.fromEntries(
    Object.entries(one.kwargs ?? {}).map(([key, spec]) => [key, built(spec, n, random)]),
  );
  return { args: args as Argument[], kwargs: kwargs as Record<string, Argument> };
}

/** Returns the call with its inputs made, ready to be timed; `n` in place of the case's own. */
export function callOf(
  one: OperatorCase,
  n = one.n ?? 0,
  evaluate: Evaluator = createEvaluator(),
): () => unknown {
  const { args, kwargs } = argumentsOf(one, n);
  return () => evaluate(one.target, args as Argument[], kwargs);
}

function built(spec: ArgumentSpec, n: number, random: () => number): unknown {
  if (typeof spec !== "object" || spec === null) return spec;
  if ("tensor" in spec) return tensorOf(spec, n, random);
  if ("float" in spec) return float(spec.float);
  if ("dtype" in spec) return dtypeLiteral(spec.dtype);
  if ("memory_format" in spec) return memoryFormat(spec.memory_format);
  return spec.map((item) => built(item, n, random));
}

function tensorOf(spec: TensorSpec, n: number, random: () => number): Tensor {
  const shape = spec.tensor.map((size) => sizeOf(size, n));
  const below = spec.dtype === "bool" ? 2 : spec.below === undefined ? undefined : sizeOf(spec.below, n);
  const draw = below === undefined ? () => normal(random) : () => Math.floor(random() * below);
  const values = Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, draw);
  if (spec.positive === true) for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]!) + 0.5;
  if (spec.sorted === true) values.sort();
  const tensor = Tensor.from(values, shape, spec.dtype ?? "float32");
  const order = spec.permute;
  if (order === undefined) return tensor;
  const pick = (from: readonly number[]): number[] => order.map((d) => from[d]!);
  return tensor.asStrided(pick(tensor.shape), pick(tensor.strides), 0);
}

const sizeOf = (size: Size, n: number): number =>
  typeof size === "number" ? size : Math.floor(n / Number(size.split("/")[1] ?? 1));

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Uniform numbers below 1, the same for every run (Marsaglia's xorshift32, 2003). */
function generator(): () => number {
  let state = 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
