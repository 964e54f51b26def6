/**
 * @file The results of `cond` and `switch` from those of their branches (`_merge_output` in
 * `cond.py`).
 */
import { type ConstantValue, FakeTensor, isSymScalar, type MetaValue, symInt } from "@sconce/ir";
import { askEmpty } from "@sconce/ops";
import {
  type BoolLike,
  freeSymbols,
  gt,
  type IntLike,
  isUnbacked,
  lt,
  mul,
  type ShapeEnv,
  SymExpr,
  symMax,
} from "@sconce/symbolic";
import { controlFlowResults } from "./errors.js";

const RULE = "return tensors of the same dtype and number of dimensions from both branches";

/** Where merged sizes come from. */
export interface MergePlace {
  /** The operator whose branches give the results. */
  readonly operator: "cond" | "switch";
  /** What is known of the sizes of the program. */
  readonly env: ShapeEnv;
  /** Learns of symbols that are made, and of the names of nodes that TorchDynamo makes for each. */
  readonly made: (merged: SymExpr, nodes: readonly string[]) => void;
}

/** Makes the result of `cond` or `switch` that represents the results of all branches. */
export function mergeOutputs(place: MergePlace, branches: readonly MetaValue[]): MetaValue {
  const [first, ...others] = branches;
  if (branches.every((value) => value instanceof FakeTensor))
    return others.reduce(
      (merged, value) => mergeTensors(place, merged as FakeTensor, value as FakeTensor),
      first!,
    );
  if (branches.every((value) => value === null)) return null;
  const constants = branches.map(constantOf);
  if (constants.includes(undefined))
    throw controlFlowResults(
      place.operator,
      "expected both branches to return a tensor, or both an int",
      "return the same kind of value from both branches",
    );
  const numbers = constants as readonly number[];
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? first! : symInt(mergeSizes(place, least, most, ["ge", "le"]));
}

function constantOf(value: MetaValue): number | undefined {
  if (isSymScalar(value) || value === null || Array.isArray(value)) return undefined;
  const { value: constant } = value as ConstantValue;
  return typeof constant === "number" ? constant : undefined;
}

function mergeTensors(place: MergePlace, a: FakeTensor, b: FakeTensor): FakeTensor {
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
      place.operator,
      `When merging two branches' output in torch.cond,  expected same ${name} but got ${value} and ${wanted[i]![1]}.`,
      RULE,
    );
  });
  const shape = a.shape.map((size, dim) => {
    const other = b.shape[dim]!;
    const isSame = !hasUnbacked(size) && !hasUnbacked(other) && keyOf(size) === keyOf(other);
    if (isSame) return size;
    return mergeSizes(place, size, other, ["sym_size_int", "ge"]);
  });
  const strides = mergeStrides(place, a, b, shape);
  askEmpty(place.env, shape);
  return new FakeTensor({ ...a, shape, strides });
}

const keyOf = (size: IntLike): string | number => (size instanceof SymExpr ? size.key : size);

const hasUnbacked = (size: IntLike): boolean => [...freeSymbols(size).values()].some(isUnbacked);

/** Returns a size between two others, which only the data decide. */
function mergeSizes({ env, made }: MergePlace, a: IntLike, b: IntLike, added: readonly string[]): IntLike {
  const merged = env.freshUnbackedInt();
  const [x, y] = [sizeRange(env, a), sizeRange(env, b)];
  env.setRange(merged, { min: Math.min(x.min, y.min), max: Math.max(x.max, y.max) });
  // TorchDynamo asserts the bounds too. It takes sizes for dynamic, without an upper bound.
  made(merged, added);
  return merged as IntLike;
}

/** Only numbers and symbols have bounds here: of other expressions PyTorch takes none. */
const sizeRange = (env: ShapeEnv, size: IntLike): ReturnType<ShapeEnv["range"]> =>
  size instanceof SymExpr && size.op !== "Symbol" ? { min: 0, max: Infinity } : env.range(size);

/**
 * Dimensions by their strides, smallest first; equal ones from the last. Records what PyTorch's
 * sort asks: it looks for a run at the start, and inserts the rest by halves.
 */
function strideOrder(env: ShapeEnv, { strides }: FakeTensor): number[] {
  const asks = (condition: BoolLike): boolean =>
    typeof condition === "boolean"
      ? condition
      : env.hint(condition) === undefined
        ? env.knownTrue(condition)
        : env.guard(condition);
  const isBefore = (i: number, j: number): boolean => {
    if (asks(isLess(strides[i]!, strides[j]!))) return true;
    return !asks(isLess(strides[j]!, strides[i]!)) && j < i;
  };
  const order = [...strides.keys()];
  let sorted = Math.min(1, order.length);
  if (order.length > 1 && isBefore(1, 0)) {
    for (sorted = 2; sorted < order.length && isBefore(sorted, sorted - 1); sorted++);
    order.splice(0, sorted, ...order.slice(0, sorted).reverse());
  } else while (sorted < order.length && !isBefore(sorted, sorted - 1)) sorted++;
  for (; sorted < order.length; sorted++) {
    let [low, high] = [0, sorted];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(sorted, order[middle]!)) high = middle;
      else low = middle + 1;
    }
    order.splice(low, 0, ...order.splice(sorted, 1));
  }
  return order;
}

/** As sympy writes a comparison with a number: the number is on the right. */
const isLess = (a: IntLike, b: IntLike): BoolLike => (typeof a === "number" ? gt(b, a) : lt(a, b));

/** Strides of merged sizes: each is the product of the sizes inside of it. */
function mergeStrides(
  { env, operator }: MergePlace,
  a: FakeTensor,
  b: FakeTensor,
  shape: readonly IntLike[],
): IntLike[] {
  const order = strideOrder(env, a);
  const other = strideOrder(env, b);
  if (other.some((dim, i) => dim !== order[i]))
    throw controlFlowResults(
      operator,
      `The sorted order of strides of the two branches' output doesn't match. This indicates the contiguousness of the two branches are different. True branch has stride (${a.strides.join(", ")}) but false branch has stride (${b.strides.join(", ")}).`,
      "use `contiguous()` to make the two branches have the same contiguousness",
    );
  const known = new Map<string | number, IntLike>();
  const merged = a.strides.slice();
  for (const dim of order) {
    const stride = a.strides[dim]!;
    if (stride === 0) continue;
    const expected = known.get(keyOf(stride)) ?? (stride === 1 ? 1 : undefined);
    if (expected === undefined)
      throw controlFlowResults(
        operator,
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
