/** @file Random functions over sizes, as `testing/oracle/dynamic_shapes.py` records them. */
import type { FakeTensor } from "@sconce/ir";
import {
  add,
  type BoolLike,
  eq,
  floorDiv,
  ge,
  gt,
  type IntLike,
  le,
  lt,
  mul,
  ne,
  pythonMod,
  type ShapeEnv,
  sub,
  symMax,
  symMin,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { Dim, type DimBounds } from "./dim.js";
import type { FakeInputs } from "./fake-inputs.js";

/** A number, a size such as `x0`, or an operator with two operands. */
export type Expression = number | string | readonly [op: string, a: Expression, b: Expression];
/** One step of a function. */
export type Step = readonly [kind: string, ...args: unknown[]];
/** One entry of a specification. */
type SpecEntry = null | number | string | readonly unknown[];

/** One recorded case. */
export interface RandomProgram {
  readonly inputs: readonly (readonly number[])[];
  readonly spec: readonly (readonly SpecEntry[])[];
  readonly steps: readonly Step[];
  readonly result: {
    readonly error?: string;
    readonly message?: string;
    readonly shapes?: readonly (readonly string[])[];
    readonly ranges?: Readonly<Record<string, string>>;
    readonly guards?: readonly string[];
  };
  /** What became of an export with the suggested fixes: `ok`, or PyTorch's error. */
  readonly refined?: string;
}

const OPERATORS: Readonly<Record<string, (a: IntLike, b: IntLike) => IntLike>> = {
  "+": add,
  "-": sub,
  "*": mul,
  "//": floorDiv,
  "%": pythonMod,
  max: symMax,
  min: symMin,
};
const RELATIONS: Readonly<Record<string, (a: IntLike, b: IntLike) => BoolLike>> = {
  "==": eq,
  "!=": ne,
  "<": lt,
  "<=": le,
  ">": gt,
  ">=": ge,
};
/** Python compares `3 < s` as `s > 3`. */
const REFLECTED: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const compare = (op: string, a: IntLike, b: IntLike): BoolLike =>
  typeof a === "number" ? RELATIONS[REFLECTED[op] ?? op]!(b, a) : RELATIONS[op]!(a, b);

const NAMES = ["x", "y", "z"];

/** Returns the value of an expression over sizes. */
function sizeOf(e: Expression, sizes: readonly (readonly IntLike[])[]): IntLike {
  if (typeof e === "number") return e;
  if (typeof e === "string") return sizes[NAMES.indexOf(e[0]!)]![Number(e[1])]!;
  return OPERATORS[e[0]]!(sizeOf(e[1], sizes), sizeOf(e[2], sizes));
}

/** Returns the condition of a step. */
export function conditionOf(step: Step, sizes: readonly (readonly IntLike[])[]): BoolLike {
  const [op, a, b] = step[1] as [string, Expression, Expression];
  return compare(op, sizeOf(a, sizes), sizeOf(b, sizes));
}

/** Returns the number of a step that asks for one. */
export const indexOf = (step: Step, sizes: readonly (readonly IntLike[])[]): IntLike =>
  sizeOf(step[1] as Expression, sizes);

/** Sizes by source as shapes of the inputs. */
export const sizesOf = (
  { inputs }: Pick<RandomProgram, "inputs">,
  sizes: ReadonlyMap<string, number>,
): readonly (readonly number[])[] =>
  inputs.map((shape, i) => shape.map((_, d) => sizes.get(`L['${NAMES[i]!}'].size()[${d}]`)!));

/** Runs a function on the sizes of fake inputs, which records guards. */
export function trace(steps: readonly Step[], { env, inputs }: FakeInputs): void {
  const sizes = (): readonly (readonly IntLike[])[] =>
    inputs.map(({ fake }) => (fake as FakeTensor).shape.map((size) => env.replace(size)));
  for (const step of steps) runStep(step, sizes(), env);
}

function runStep(step: Step, sizes: readonly (readonly IntLike[])[], env: ShapeEnv): void {
  switch (step[0]) {
    case "if":
      env.guard(conditionOf(step, sizes));
      return;
    case "check":
      env.check(conditionOf(step, sizes));
      return;
    case "int":
      env.guardInt(sizeOf(step[1] as Expression, sizes));
      return;
    default:
      callStep(step, sizes, env);
  }
}

/** `x + y` and `cat` of inputs with as many dimensions: the conditions of their shape rules. */
function callStep(step: Step, sizes: readonly (readonly IntLike[])[], env: ShapeEnv): void {
  const [a, b] = [sizes[step[1] as number]!, sizes[step[2] as number]!];
  if (step[0] === "cat") {
    for (let d = 0; d < a.length; d++) if (d !== step[3]) env.guard(compare("==", b[d]!, a[d]!));
    return;
  }
  for (let d = a.length - 1; d >= 0; d--) env.guard(compare("==", a[d]!, b[d]!));
}

/** Makes the inputs and the specification of a case. */
export function prepare({ inputs, spec }: Pick<RandomProgram, "inputs" | "spec">): {
  readonly args: ReadonlyMap<string, unknown>;
  readonly dynamicShapes: Readonly<Record<string, readonly unknown[]>>;
} {
  const dims = new Map<string, Dim>();
  const args = new Map(
    inputs.map((shape, i) => [NAMES[i]!, Tensor.withoutValues({ dtype: "float32", shape })]),
  );
  const dynamicShapes = Object.fromEntries(
    spec.map((entries, i) => [NAMES[i]!, entries.map((entry) => makeDim(entry, dims))]),
  );
  return { args, dynamicShapes };
}

function makeDim(entry: SpecEntry, dims: Map<string, Dim>): unknown {
  if (entry === null || typeof entry === "number") return entry;
  if (typeof entry === "string") return Dim[entry as "AUTO" | "DYNAMIC"];
  const [kind, ...rest] = entry;
  const bounds = (min: unknown, max: unknown): DimBounds => ({
    min: (min as number | null) ?? undefined,
    max: (max as number | null) ?? undefined,
  });
  if (kind !== "d") return Dim[kind as "AUTO" | "DYNAMIC"](bounds(rest[0], rest[1]));
  const [name, min, max, factor, offset] = rest as [string, number | null, number | null, number, number];
  const key = `${name} ${String(min)} ${String(max)}`;
  let dim = dims.get(key) ?? Dim(name, bounds(min, max));
  dims.set(key, dim);
  if (factor !== 1) dim = dim.mul(factor);
  return offset === 0 ? dim : offset > 0 ? dim.add(offset) : dim.sub(-offset);
}
