import { type DType, isFloatDType } from "@sconce/tensor";
import type { ReduceScalar } from "../ir/scalar.js";
import { type Element, functionOf } from "./functions.js";
import { roundingOf } from "./rounding.js";

/** Takes the elements of a reduction one by one. */
export interface Fold {
  take(value: Element, place: number): void;
  result(): Element;
}

/** What a fold starts from where nothing else is given. */
function identityOf(kind: ReduceScalar["reduce"], dtype: DType): Element {
  if (kind === "any" || kind === "all") return kind === "all";
  const isWide = dtype === "int64" || dtype === "uint64";
  if (kind === "sum" || kind === "prod") {
    const unit = kind === "sum" ? 0 : 1;
    return isWide ? BigInt(unit) : dtype === "bool" ? unit === 1 : unit;
  }
  return kind === "max" ? -Infinity : Infinity;
}

/** A maker of folds for a reduction; floats are summed in double precision and rounded once. */
export function foldOf({ reduce, body, dtype }: ReduceScalar): (initial: Element | undefined) => Fold {
  const operand = body.dtype;
  if (reduce === "last") return (initial) => lastFold(initial);
  if (reduce === "argmax" || reduce === "argmin") return () => placeFold(reduce === "argmax");
  if (reduce === "max" || reduce === "min") return (initial) => extremeFold(reduce === "max", initial);
  if (reduce === "any" || reduce === "all") return (initial) => truthFold(reduce === "any", initial);
  const exact = functionOf(reduce === "sum" ? "add" : "mul", operand, dtype)!;
  const combine = isFloatDType(operand)
    ? reduce === "sum"
      ? (a: Element, b: Element) => (a as number) + (b as number)
      : (a: Element, b: Element) => (a as number) * (b as number)
    : exact;
  const round = isFloatDType(operand)
    ? (value: Element) => roundingOf(operand)(value as number)
    : (value: Element) => value;
  return (initial = identityOf(reduce, dtype)) => {
    let value = initial;
    return {
      take: (next) => {
        value = combine(value, next);
      },
      result: () => round(value),
    };
  };
}
function truthFold(isAny: boolean, initial: Element | undefined): Fold {
  let value = Boolean(initial ?? !isAny);
  return {
    take: (next) => {
      value = isAny ? value || Boolean(next) : value && Boolean(next);
    },
    result: () => value,
  };
}
function lastFold(initial: Element | undefined): Fold {
  let value = initial!;
  return {
    take: (next) => {
      value = next;
    },
    result: () => value,
  };
}
const isBetter = (next: Element, than: Element, isMax: boolean): boolean => {
  if (Number.isNaN(than)) return false;
  return Number.isNaN(next) || (isMax ? next > than : next < than);
};
function extremeFold(isMax: boolean, initial: Element | undefined): Fold {
  let value = initial;
  return {
    take: (next) => {
      if (value === undefined || isBetter(next, value, isMax)) value = next;
    },
    result: () => value ?? (isMax ? -Infinity : Infinity),
  };
}
function placeFold(isMax: boolean): Fold {
  let best: Element | undefined;
  let at = 0;
  return {
    take: (next, place) => {
      if (best === undefined || isBetter(next, best, isMax)) [best, at] = [next, place];
    },
    result: () => BigInt(at),
  };
}
