/** @file What is recorded of a value and what its call computes, made one. */
import { FakeTensor, type IntLike, isSymScalar, type MetaValue, type SymScalar } from "@sconce/ir";
import {
  eq,
  freeSymbols,
  isUnbacked,
  printExpr,
  type ShapeEnv,
  type SymValue,
  substitute,
} from "@sconce/symbolic";
import type { Bindings } from "./bindings.js";
import { contradiction } from "./errors.js";
import { layoutVerdict } from "./layouts.js";

/** Returns the value with numbers in place of symbols; the same object when nothing changes. */
export function substituted<T extends MetaValue>(val: T, bindings: Bindings): T {
  if (bindings.size === 0 || val === null) return val;
  const replace = <V extends SymValue>(value: V): V => substitute(value, bindings) as V;
  if (val instanceof FakeTensor) {
    const shape = mapSame(val.shape, replace);
    const strides = mapSame(val.strides, replace);
    const storageOffset = replace(val.storageOffset);
    const same = shape === val.shape && strides === val.strides && storageOffset === val.storageOffset;
    return (same ? val : new FakeTensor({ ...val, shape, strides, storageOffset })) as T;
  }
  if (Array.isArray(val))
    return mapSame(val as readonly MetaValue[], (item) => substituted(item, bindings)) as unknown as T;
  if (!isSymScalar(val)) return val;
  const expr = replace(val.expr as SymValue);
  return expr === val.expr ? val : ({ ...val, expr } as T);
}

function mapSame<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let out: T[] | undefined;
  items.forEach((item, i) => {
    const next = change(item);
    if (next === item) return;
    out ??= items.slice();
    out[i] = next;
  });
  return out ?? items;
}

/** Joins what is known of values, and records symbols that prove to be numbers. */
export class Refiner {
  readonly #env: ShapeEnv;
  /** Symbols that a computed size shows to be a number. */
  readonly learned = new Map<string, number>();

  constructor(env: ShapeEnv) {
    this.#env = env;
  }

  /**
   * Returns the more precise of both, size by size; `recorded` itself when it is. Strides are those
   * of the call; `target` names its operator.
   * @throws SconceError `SHAPE_CONTRADICTION`
   */
  join(recorded: MetaValue | undefined, computed: MetaValue, where: string, target = ""): MetaValue {
    if (recorded === undefined) return computed;
    if (recorded === null || computed === null) return recorded;
    if (recorded instanceof FakeTensor && computed instanceof FakeTensor)
      return this.#joinTensor(recorded, computed, where, target);
    if (Array.isArray(recorded) && Array.isArray(computed)) {
      if (recorded.length !== computed.length)
        throw contradiction(
          `${recorded.length} results are recorded, the call gives ${computed.length}`,
          where,
        );
      const items = computed as readonly MetaValue[];
      let i = 0;
      return mapSame(recorded as readonly MetaValue[], (item) => this.join(item, items[i++]!, where, target));
    }
    if (isSymScalar(recorded) && isSymScalar(computed)) {
      const expr = this.#joinSize(recorded.expr as IntLike, computed.expr as IntLike, where);
      return expr === recorded.expr ? recorded : ({ ...recorded, expr } as SymScalar);
    }
    return recorded;
  }

  #joinTensor(recorded: FakeTensor, computed: FakeTensor, where: string, target: string): FakeTensor {
    if (recorded.dtype !== computed.dtype)
      throw contradiction(`the dtype ${recorded.dtype} is recorded, the call gives ${computed.dtype}`, where);
    if (recorded.ndim !== computed.ndim)
      throw contradiction(`${recorded.ndim} dimensions are recorded, the call gives ${computed.ndim}`, where);
    const shape = mapIndexed(recorded.shape, (size, d) => this.#joinSize(size, computed.shape[d]!, where));
    // Strides and offsets follow from the call, unless kernels choose them or nothing reads by
    // them.
    const isOwn = layoutVerdict(recorded, computed, target, this.#env) === "same";
    const { strides, storageOffset } = isOwn ? recorded : computed;
    const same =
      shape === recorded.shape && strides === recorded.strides && storageOffset === recorded.storageOffset;
    return same ? recorded : new FakeTensor({ ...recorded, shape, strides, storageOffset });
  }

  #joinSize(recorded: IntLike, computed: IntLike, where: string): IntLike {
    if (recorded === computed) return recorded;
    if (typeof recorded === "number" && typeof computed === "number")
      throw contradiction(`the size ${recorded} is recorded, the call gives ${computed}`, where);
    if (this.#env.staticallyKnown(eq(recorded, computed)) === false) {
      const sizes = `the size ${printExpr(recorded)} is recorded, the call gives ${printExpr(computed)}`;
      throw contradiction(`${sizes}; they are never equal`, where);
    }
    this.#learn(recorded, computed);
    this.#learn(computed, recorded);
    return moreKnown(recorded, computed);
  }

  /** A size that is recorded as a symbol and computed as a number, or the other way round. */
  #learn(size: IntLike, value: IntLike): void {
    if (typeof size === "number" || typeof value !== "number" || size.op !== "Symbol") return;
    this.learned.set(size.name, value);
  }
}

/**
 * Returns a number before an expression, sizes of inputs before sizes that only the data decide;
 * else the recorded one.
 */
function moreKnown(recorded: IntLike, computed: IntLike): IntLike {
  if (typeof recorded === "number") return recorded;
  if (typeof computed === "number") return computed;
  const open = (size: Exclude<IntLike, number>): number =>
    [...freeSymbols(size).values()].filter((symbol) => isUnbacked(symbol)).length;
  return open(computed) < open(recorded) ? computed : recorded;
}

function mapIndexed(
  items: readonly IntLike[],
  change: (item: IntLike, i: number) => IntLike,
): readonly IntLike[] {
  let i = 0;
  return mapSame(items, (item) => change(item, i++));
}
