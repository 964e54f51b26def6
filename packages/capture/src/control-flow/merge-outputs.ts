/** @file The results of `cond` from those of its branches (`_merge_output` in `cond.py`). */
import {
  type ConstantValue,
  FakeTensor,
  isSymScalar,
  type MetaValue,
  type Namespace,
  symInt,
} from "@sconce/ir";
import { freeSymbols, lt, mul, type ShapeEnv, SymExpr, type SymInt, symMax } from "@sconce/symbolic";
import { controlFlowResults } from "./errors.js";

const RULE = "return tensors of the same dtype and number of dimensions from both branches";

/** Where merged sizes come from. */
interface Place {
  readonly env: ShapeEnv;
  /** Names of nodes that TorchDynamo makes and that are left out later. */
  readonly names: Namespace;
}

/** Makes the result of `cond` that stands for the results of both branches. */
export function mergeOutputs(place: Place, a: MetaValue, b: MetaValue): MetaValue {
  if (a instanceof FakeTensor && b instanceof FakeTensor) return mergeTensors(place, a, b);
  const [x, y] = [constantOf(a), constantOf(b)];
  if (x === undefined || y === undefined)
    throw controlFlowResults(
      "cond",
      "expected both branches to return a tensor, or both an int",
      "return the same kind of value from both branches",
    );
  return x === y ? a : symInt(mergeSizes(place, x, y, ["ge", "le"]));
}

function constantOf(value: MetaValue): number | undefined {
  if (isSymScalar(value) || value === null || Array.isArray(value)) return undefined;
  const { value: constant } = value as ConstantValue;
  return typeof constant === "number" ? constant : undefined;
}

function mergeTensors(place: Place, a: FakeTensor, b: FakeTensor): FakeTensor {
  const facts = (tensor: FakeTensor): readonly (readonly [string, string])[] => [
    ["dtype", `torch.${tensor.dtype}`],
    ["device", tensor.device.type],
    ["layout", `torch.${tensor.layout}`],
    ["dim", String(tensor.ndim)],
    ["storage_offset", String(tensor.storageOffset)],
  ];
  const wanted = facts(b);
  facts(a).forEach(([name, value], i) => {
    if (value === wanted[i]![1]) return;
    throw controlFlowResults(
      "cond",
      `When merging two branches' output in torch.cond,  expected same ${name} but got ${value} and ${wanted[i]![1]}.`,
      RULE,
    );
  });
  const shape = a.shape.map((size, dim) => {
    const other = b.shape[dim]!;
    const isSame = !isUnbacked(size) && !isUnbacked(other) && keyOf(size) === keyOf(other);
    if (isSame) return size;
    return mergeSizes(place, size, other, ["sym_size_int", "ge"]);
  });
  return new FakeTensor({ ...a, shape, strides: mergeStrides(place.env, a, b, shape) });
}

const keyOf = (size: SymInt): string | number => (size instanceof SymExpr ? size.key : size);

const isUnbacked = (size: SymInt): boolean =>
  size instanceof SymExpr && [...freeSymbols(size).keys()].some((name) => /^u\d/.test(name));

/** A size between two others, which only the data decide. */
function mergeSizes({ env, names }: Place, a: SymInt, b: SymInt, added: readonly string[]): SymInt {
  // TorchDynamo asserts the bounds too. It takes sizes for dynamic, without an upper bound.
  for (const name of added) names.create(name);
  const merged = env.freshUnbackedInt();
  const [x, y] = [sizeRange(env, a), sizeRange(env, b)];
  env.setRange(merged, { min: Math.min(x.min, y.min), max: Math.max(x.max, y.max) });
  return merged as unknown as SymInt;
}

/** Only numbers and symbols have bounds here: of other expressions PyTorch takes none. */
const sizeRange = (env: ShapeEnv, size: SymInt): ReturnType<ShapeEnv["range"]> =>
  size instanceof SymExpr && size.op !== "Symbol" ? { min: 0, max: Infinity } : env.range(size);

/** Dimensions by their strides, smallest first; equal ones from the last. */
function strideOrder(env: ShapeEnv, { strides }: FakeTensor): number[] {
  const hints = strides.map((stride) => Number(env.hint(stride)));
  return [...strides.keys()].sort((i, j) => hints[i]! - hints[j]! || j - i);
}

/**
 * Records that strides exceed the one inside of them, as PyTorch's sort of strides does. It asks of
 * `s + 1` what leaves `Max(1, s)` as `s`, which is then asked again.
 */
function guardStrides(env: ShapeEnv, tensors: readonly FakeTensor[]): void {
  const before = env.guards.length;
  for (const asksAgain of [false, true]) {
    if (asksAgain && env.guards.length === before) return;
    for (const tensor of tensors) {
      const order = strideOrder(env, tensor);
      const strides = order.map((dim) => env.simplify(tensor.strides[dim]!));
      strides.slice(1).forEach((stride, i) => {
        const condition = lt(strides[i]!, stride);
        if (!hasExtremum(stride) && env.hint(condition) === true) env.guard(condition);
      });
    }
  }
}

const hasExtremum = (stride: SymInt): boolean =>
  stride instanceof SymExpr && (stride.op === "Max" || stride.args.some(hasExtremum));

/** Strides of merged sizes: each is the product of the sizes inside of it. */
function mergeStrides(env: ShapeEnv, a: FakeTensor, b: FakeTensor, shape: readonly SymInt[]): SymInt[] {
  const order = strideOrder(env, a);
  if (strideOrder(env, b).some((dim, i) => dim !== order[i]))
    throw controlFlowResults(
      "cond",
      `The sorted order of strides of the two branches' output doesn't match. This indicates the contiguousness of the two branches are different. True branch has stride (${a.strides.join(", ")}) but false branch has stride (${b.strides.join(", ")}).`,
      "use `contiguous()` to make the two branches have the same contiguousness",
    );
  if (shape.some((size, dim) => size !== a.shape[dim])) guardStrides(env, [a, b]);
  const known = new Map<string | number, SymInt>();
  const merged = a.strides.slice();
  for (const dim of order) {
    const stride = a.strides[dim]!;
    if (stride === 0) continue;
    const expected = known.get(keyOf(stride)) ?? (stride === 1 ? 1 : undefined);
    if (expected === undefined)
      throw controlFlowResults(
        "cond",
        `It seems one of cond's output stride is not a simple accumulative multiplication of sizes. This could be because cond returns a slice of a tensor, which is not dense in memory. True branch has size (${a.shape.join(", ")}), stride (${a.strides.join(", ")}) and false branch has size (${b.shape.join(", ")}) stride (${b.strides.join(", ")}).`,
        "call `contiguous()` on the results",
      );
    merged[dim] = expected;
    const next = mul(expected, shape[dim]!);
    known.set(keyOf(mul(stride, a.shape[dim]!)), next);
    // Strides of new tensors count a size of 0 as 1.
    const least = keyOf(mul(stride, symMax(a.shape[dim]!, 1)));
    if (!known.has(least)) known.set(least, next);
  }
  return merged;
}
