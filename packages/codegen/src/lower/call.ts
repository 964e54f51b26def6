/**
 * @file The call that a lowering rule receives, its argument accessors, and how a rule rejects a
 * call.
 */
import { FakeTensor, type MetaValue, type SymInt } from "@sconce/ir";
import type { BoundArgs } from "@sconce/ops";
import { SymExpr } from "@sconce/symbolic";
import { type DType, dtypeInfo, isComplexDType } from "@sconce/tensor";
import { type Index, size } from "../ir/index-expr.js";
import { cast, constantScalar, indexScalar, type Scalar } from "../ir/scalar.js";
import type { LoweringContext } from "./context.js";
import { LazyTensor } from "./lazy.js";

/**
 * One call of an operator, arguments bound to the names of its schema; tensors are
 * {@link LazyTensor}s.
 */
export interface LoweringCall {
  readonly context: LoweringContext;
  readonly node: string;
  readonly target: string;
  readonly args: BoundArgs;
  /** What the graph says of the result. */
  readonly value: MetaValue;
  /**
   * What the graph says of the arguments: strides are there, which loops do not need but for
   * `as_strided`.
   */
  readonly fakes: () => BoundArgs;
}
export type Lowered = LazyTensor | readonly (LazyTensor | null)[];
export type LoweringRule = (call: LoweringCall) => Lowered;

/** How loops say an operator. */
export interface Lowering {
  readonly rule: LoweringRule;
  /** The result shows the first argument's elements, so its consumers are that tensor's. */
  readonly isView?: boolean;
}
export type LoweringTable = Readonly<Record<string, Lowering>>;

/** Thrown by rules for what loops cannot say; becomes the node's reason. */
export class CannotLower extends Error {}
export const cannot = (reason: string): never => {
  throw new CannotLower(reason);
};

/** The tensor given for a parameter. */
export function tensorArg({ args }: LoweringCall, name: string): LazyTensor {
  const value = args[name];
  return value instanceof LazyTensor ? value : cannot(`its ${name} is not a tensor`);
}
export const optionalTensor = ({ args }: LoweringCall, name: string): LazyTensor | undefined =>
  args[name] instanceof LazyTensor ? args[name] : undefined;
export function tensorList({ args }: LoweringCall, name: string): LazyTensor[] {
  const items = args[name];
  if (!Array.isArray(items)) return cannot(`its ${name} is not a list`);
  return items.map((item) =>
    item instanceof LazyTensor ? item : cannot(`its ${name} holds more than tensors`),
  );
}
export const numberArg = ({ args }: LoweringCall, name: string): number =>
  typeof args[name] === "number" ? args[name] : cannot(`its ${name} is not a fixed number`);
export const flag = ({ args }: LoweringCall, name: string): boolean => args[name] === true;
/** A list of fixed numbers; an empty one for None. */
export function numbers({ args }: LoweringCall, name: string): number[] {
  const value = args[name] ?? [];
  const items = Array.isArray(value) ? value : [value];
  return items.map((item) => (typeof item === "number" ? item : cannot(`its ${name} is not fixed`)));
}
/** What the graph says of a tensor result. */
export function outOf({ value }: LoweringCall, at = 0): FakeTensor {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const out = items[at];
  return out instanceof FakeTensor ? out : cannot("the graph does not say its dtype and shape");
}
export const shapeOf = (fake: FakeTensor): Index[] => fake.shape.map(size);
/** A dimension counted from the front. */
export const dimension = (dim: number, rank: number): number => (dim < 0 ? dim + Math.max(rank, 1) : dim);
/** Dimensions counted from the front; all of them when there are none. */
export const dimensions = (dims: readonly number[], rank: number): number[] =>
  dims.length === 0 || rank === 0
    ? Array.from({ length: rank }, (_, d) => d)
    : dims.map((dim) => dimension(dim, rank));

/** A Python number as a scalar of this dtype. */
export function numberScalar(value: unknown, dtype: DType): Scalar {
  if (isComplexDType(dtype)) return cannot("complex numbers are not lowered to loops");
  const { kind } = dtypeInfo(dtype);
  if (value instanceof SymExpr) return cast(indexScalar(size(value as SymInt)), dtype);
  if (typeof value === "object" && value !== null) {
    const { kind: tag, value: inner, expr } = value as { kind?: string; value?: number; expr?: SymInt };
    if (tag === "float") return numberScalar(inner, dtype);
    if (tag === "SymInt" && expr !== undefined) return cast(indexScalar(size(expr)), dtype);
    return cannot("a symbolic float or bool is not lowered to loops");
  }
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    if (kind === "bool") return constantScalar(Boolean(value), dtype);
    if (kind === "int") return integerScalar(value, dtype);
    return constantScalar(Number(value), dtype);
  }
  return cannot("an argument is not a number");
}

/**
 * Integers beyond what the dtype holds wrap, as those of scalar tensors do that PyTorch makes of
 * such arguments.
 */
function integerScalar(value: number | bigint | boolean, dtype: DType): Scalar {
  const whole = typeof value === "bigint" ? value : Math.trunc(Number(value));
  if (!Number.isFinite(Number(whole))) return constantScalar(Number(whole), dtype);
  const { itemSize, signed } = dtypeInfo(dtype);
  const held = (signed ? BigInt.asIntN : BigInt.asUintN)(8 * itemSize, BigInt(whole));
  return constantScalar(typeof whole === "number" && BigInt(whole) === held ? whole : numberOf(held), dtype);
}
const numberOf = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

/**
 * The same for arguments that PyTorch refuses where the dtype does not hold them: unsigned ones
 * hold what is not less than their greatest value below zero (`c10::overflows`).
 */
export function checkedScalar(value: unknown, dtype: DType): Scalar {
  const { kind, value: inner } = (value ?? {}) as { readonly kind?: string; readonly value?: unknown };
  const given = kind === "float" ? inner : value;
  if ((typeof given === "number" || typeof given === "bigint") && overflows(Number(given), dtype))
    return cannot(`${given} is more than ${dtype} holds`);
  return numberScalar(value, dtype);
}
const LARGEST: Partial<Record<DType, number>> = {
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
  float32: 3.4028234663852886e38,
};
function overflows(value: number, dtype: DType): boolean {
  const { kind, itemSize, signed } = dtypeInfo(dtype);
  if (kind !== "int") return Number.isFinite(value) && Math.abs(value) > (LARGEST[dtype] ?? Number.MAX_VALUE);
  const most = 2 ** (8 * itemSize - (signed ? 1 : 0));
  return value >= most || value < (signed ? -most : 1 - most);
}

/**
 * The type that arithmetic on a dtype is done in: halves compute as float32 (`at::opmath_type`).
 */
export const computeType = (dtype: DType): DType =>
  dtype === "float16" || dtype === "bfloat16" ? "float32" : dtype;
