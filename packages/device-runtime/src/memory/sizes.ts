/** @file Sizes that become known while a program runs. */
import { isSconceError, type SconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import {
  type Bindings,
  evaluateInt,
  freeSymbols,
  type IntLike,
  SymExpr,
  type SymValue,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { isTensor, type RunValue } from "./values.js";

/** Takes the sizes that a value shows: a tensor's, or the value of a size itself. */
export function learnSizes(meta: MetaValue | undefined, value: RunValue, into: Map<string, number>): void {
  if (meta instanceof FakeTensor && isTensor(value)) {
    meta.shape.forEach((size, d) => {
      learn(size, value.shape[d]!, into);
    });
  } else if (typeof value === "number" || typeof value === "bigint") {
    const { kind, expr } = (meta ?? {}) as { readonly kind?: string; readonly expr?: unknown };
    if (kind === "SymInt") learn(expr, Number(value), into);
  }
}

/** Takes the strides and the offset that a tensor shows, for symbols that are not sizes. */
export function learnLayout(meta: FakeTensor, value: RunValue, into: Map<string, number>): void {
  if (!(value instanceof Tensor)) return;
  const known = new Set(into.keys());
  const take = (size: IntLike, number: number): void => {
    if (!(size instanceof SymExpr) || [...freeSymbols(size).keys()].every((name) => known.has(name))) return;
    learn(size, number, into);
  };
  meta.strides.forEach((stride, d) => {
    take(stride, value.strides[d]!);
  });
  take(meta.storageOffset, value.storageOffset);
}

/** Returns whether all symbols of an expression have values. */
export function areKnown(value: SymValue, sizes: Bindings): boolean {
  if (!(value instanceof SymExpr)) return true;
  for (const name of freeSymbols(value).keys()) if (!sizes.has(name)) return false;
  return true;
}
/**
 * Returns a size as a number; undefined if no value showed one of its symbols yet, or if it has no
 * value, such as a quotient by a size that is zero.
 */
export function knownSize(size: IntLike, sizes: Bindings): number | undefined {
  if (!areKnown(size, sizes)) return undefined;
  try {
    return evaluateInt(size, sizes);
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns whether a size has no value: it depends on numbers that no value shows, or divides by
 * zero. A region reads its sizes before it computes anything.
 */
export const isSizeWithoutValue = (error: unknown): error is SconceError =>
  isSconceError(error, "SYM_UNBOUND") || isSconceError(error, "SYM_DIVISION_BY_ZERO");

function learn(size: unknown, value: number, into: Map<string, number>): void {
  if (!(size instanceof SymExpr)) return;
  if (size.op === "Symbol") into.set(size.name, value);
  else {
    const [unknown, ...more] = [...freeSymbols(size).keys()].filter((name) => !into.has(name));
    const solved = unknown !== undefined && more.length === 0 ? solve(size, unknown, value, into) : undefined;
    if (solved !== undefined) into.set(unknown!, solved);
  }
}

/**
 * Returns the least value of a symbol for which a size has this value. Programs have sizes such as
 * `(s0 - 1)//2 + 1` whose symbol is the size of none of their inputs. All symbol values that give
 * the same size give the same results, if the size grows with its symbols.
 */
function solve(size: SymExpr, name: string, value: number, known: Bindings): number | undefined {
  if (!grows(size)) return undefined;
  const at = (candidate: number): number => evaluateInt(size, new Map([...known, [name, candidate]]));
  let [low, high] = [0, 2 ** 31];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (at(middle) >= value) high = middle;
    else low = middle + 1;
  }
  return at(low) === value ? low : undefined;
}

/** Returns whether an expression grows with each of its symbols, which are sizes. */
function grows({ op, args }: SymExpr): boolean {
  switch (op) {
    case "Integer":
    case "Symbol":
      return true;
    case "Add":
    case "Max":
    case "Min":
      return args.every(grows);
    case "Mul":
      return args.every((arg) => grows(arg) && !(arg.op === "Integer" && arg.value < 0));
    case "FloorDiv":
    case "CleanDiv":
    case "PowByNatural":
      return grows(args[0]!) && args[1]!.op === "Integer" && args[1]!.value > 0;
    default:
      return false;
  }
}
