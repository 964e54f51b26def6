/** @file `Dim.AUTO`, `Dim.DYNAMIC` and `Dim.STATIC`. */
import { checkOptions } from "@sconce/errors";
import { badDim } from "./errors.js";

/** What a hint asks for. */
export type DimHintKind = "AUTO" | "DYNAMIC" | "STATIC";

interface HintBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A size without a name, with optional bounds. */
export interface DimHint {
  /** Which hint it is. */
  readonly kind: DimHintKind;
  /** The least size; undefined without a bound. */
  readonly min: number | undefined;
  /** The greatest size; undefined without a bound. */
  readonly max: number | undefined;
  /** PyTorch's text: `DimHint(AUTO, max=64)`. */
  toString(): string;
}

/** A hint that can be given bounds, once: `Dim.AUTO({ min: 4, max: 64 })`. */
export interface DimHintFactory extends DimHint {
  /** The hint with bounds. @throws SconceError `BAD_DIM` */
  (bounds?: HintBounds): DimHint;
}

const hints = new WeakSet<object>();

/** Returns whether a value is a hint. */
export const isDimHint = (value: unknown): value is DimHint =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && hints.has(value);

const textOf = ({ kind, min, max }: Pick<DimHint, "kind" | "min" | "max">): string => {
  const parts: string[] = [kind];
  if (min !== undefined) parts.push(`min=${min}`);
  if (max !== undefined) parts.push(`max=${max}`);
  return `DimHint(${parts.join(", ")})`;
};

function bounded(kind: DimHintKind, bounds: HintBounds = {}): DimHint {
  checkOptions(`Dim.${kind}`, bounds, { min: true, max: true });
  const { min, max } = bounds;
  for (const [name, value] of [
    ["min", min],
    ["max", max],
  ] as const) {
    if (value === undefined) continue;
    if (value < 0) throw badDim(`${name} must be non-negative, got ${value}`);
    if (!Number.isSafeInteger(value) && value !== Infinity)
      throw badDim(`${name} must be an integer, got ${value}`);
  }
  if (min !== undefined && max !== undefined && min > max)
    throw badDim(`min must be <= max, got min=${min}, max=${max}`);
  const hint: DimHint = Object.freeze({
    kind,
    min,
    max: max === Infinity ? undefined : max,
    toString: () => textOf(hint),
  });
  hints.add(hint);
  return hint;
}

/** Returns a hint without bounds that makes one with bounds when it is called. */
export function hintFactory(kind: DimHintKind): DimHintFactory {
  const factory = (bounds?: HintBounds): DimHint => bounded(kind, bounds);
  const members = { kind, min: undefined, max: undefined, toString: () => `DimHint(${kind})` };
  for (const [name, value] of Object.entries(members)) Object.defineProperty(factory, name, { value });
  hints.add(factory);
  return Object.freeze(factory) as DimHintFactory;
}
