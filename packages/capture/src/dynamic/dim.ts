/** @file Names and ranges for dynamic sizes (`torch/export/dynamic_shapes.py`). */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { add, type IntLike, mul, printExpr, symbol } from "@sconce/symbolic";
import { showsAsText } from "@sconce/tensor";
import { type DimHintFactory, hintFactory } from "./dim-hint.js";
import { badDim } from "./errors.js";

/** Bounds of a size, both included. */
export interface DimBounds {
  /** The least size. @defaultValue 0 */
  readonly min?: number | undefined;
  /** The greatest size. @defaultValue Infinity */
  readonly max?: number | undefined;
}

const BOUNDS: OptionNames<DimBounds> = { min: true, max: true };
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const MOST = Number.MAX_SAFE_INTEGER;
const LINEAR = "(Only increasing linear operations with integer coefficients are supported.)";

/**
 * A dynamic size with a name: dims of one name are equal. `add`, `sub` and `mul` derive dims from
 * it, which are related to it.
 */
export class NamedDim {
  /** The name; that of a derived dim is its formula: `2*d + 1`. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** The dim that this one is derived from; itself when it is not derived. */
  get root(): NamedDim {
    return this;
  }
  /** What the root is multiplied by. */
  get factor(): number {
    return 1;
  }
  /** What is added after that. */
  get offset(): number {
    return 0;
  }
  /** The least size. */
  get min(): number {
    return 0;
  }
  /** The greatest size, `Infinity` without a bound. */
  get max(): number {
    return Infinity;
  }

  /** Returns the size plus an integer. @throws SconceError `BAD_DIM` */
  add(other: number): NamedDim {
    if (!Number.isSafeInteger(other))
      throw badDim(
        `Attempted to add ${String(other)} to ${this.name}, where an integer was expected. ${LINEAR}`,
      );
    return derive(this, 1, other);
  }

  /** Returns the size minus an integer. @throws SconceError `BAD_DIM` */
  sub(other: number): NamedDim {
    if (!Number.isSafeInteger(other))
      throw badDim(
        `Attempted to subtract ${String(other)} from ${this.name}, where an integer was expected. ${LINEAR}`,
      );
    return derive(this, 1, -other);
  }

  /** Returns the size times a positive integer. @throws SconceError `BAD_DIM` */
  mul(other: number): NamedDim {
    if (!Number.isSafeInteger(other) || other <= 0)
      throw badDim(
        `Attempted to multiply ${String(other)} with ${this.name}, where a positive integer was expected. ${LINEAR}`,
      );
    return derive(this, other, 0);
  }

  /** Refuses, as PyTorch does: sizes do not decrease. @throws SconceError `BAD_DIM` */
  neg(): never {
    throw badDim(`Attempted to negate ${this.name}. ${LINEAR}`);
  }

  /** PyTorch's text: `Dim('batch', min=0, max=64)`. */
  toString(): string {
    return readable(this.name, this);
  }

  static {
    showsAsText(NamedDim.prototype);
  }
}

class RootDim extends NamedDim {
  readonly #min: number;
  readonly #max: number;

  constructor(name: string, min: number, max: number) {
    super(name);
    this.#min = min;
    this.#max = max;
  }

  override get min(): number {
    return this.#min;
  }
  override get max(): number {
    return this.#max;
  }
}

/** `factor * root + offset`. */
class DerivedDim extends NamedDim {
  readonly #root: NamedDim;
  readonly #factor: number;
  readonly #offset: number;

  constructor(name: string, root: NamedDim, factor: number, offset: number) {
    super(name);
    this.#root = root;
    this.#factor = factor;
    this.#offset = offset;
  }

  override get root(): NamedDim {
    return this.#root;
  }
  override get factor(): number {
    return this.#factor;
  }
  override get offset(): number {
    return this.#offset;
  }

  override get min(): number {
    const min = this.#root.min * this.#factor + this.#offset;
    if (min < 0)
      throw badDim(
        `Expected derived min value of ${this.name} to be >= 0. Please specify an appropriate min value for ${this.#root.name} (currently ${this.#root.min}).`,
      );
    return min;
  }

  override get max(): number {
    if (this.#root.max === Infinity) return Infinity;
    const max = this.#root.max * this.#factor + this.#offset;
    if (max > MOST)
      throw badDim(
        `Expected derived max value of ${this.name} to be <= ${MOST}. Please specify an appropriate max value for ${this.#root.name} (currently ${this.#root.max}).`,
      );
    return max;
  }

  override toString(): string {
    return this.name;
  }
}

function derive(dim: NamedDim, factor: number, offset: number): NamedDim {
  const { root } = dim;
  const [a, b] = [dim.factor * factor, dim.offset * factor + offset];
  // A formula that comes out as the root is still a derived dim in PyTorch, of the root's name.
  return new DerivedDim(linearText(root.name, a, b), root, a, b);
}

/** sympy's text of `factor * name + offset`. */
export function linearText(name: string, factor: number, offset: number): string {
  const text = printExpr(add(mul(factor, symbol("D")), offset));
  return text.replace("D", () => name);
}

/** Reads `2*d + 1`; undefined for anything but an increasing linear formula of one name. */
export function parseLinear(
  text: string,
): { readonly name: string; readonly factor: number; readonly offset: number } | undefined {
  const match = /^(?:(\d+)\*)?([\p{L}_][\p{L}\p{N}_]*)(?: ([+-]) (\d+))?$/u.exec(text);
  if (match === null) return undefined;
  const [, factor, name, sign, offset] = match;
  return {
    name: name!,
    factor: Number(factor ?? 1),
    offset: Number(offset ?? 0) * (sign === "-" ? -1 : 1),
  };
}

/** PyTorch's text of a dim with these bounds; 2 and infinity are not shown. */
export function readable(name: string, { min, max }: { readonly min: number; readonly max: number }): string {
  const parts = [`'${name}'`];
  if (min !== 2) parts.push(`min=${min}`);
  if (max !== Infinity) parts.push(`max=${max}`);
  return `Dim(${parts.join(", ")})`;
}

/** Returns whether a value is a dim with a name, derived ones included. */
export const isNamedDim = (value: unknown): value is NamedDim => value instanceof NamedDim;
/** Returns whether a dim was derived from another. */
export const isDerived = (dim: NamedDim): boolean => dim instanceof DerivedDim;

/** `factor * root + offset`. */
export const linearSize = (
  { factor, offset }: { readonly factor: number; readonly offset: number },
  root: IntLike,
): IntLike => add(mul(factor, root), offset);

/** Returns the root's size for which a derived dim has this size; undefined if there is none. */
export function rootValue(dim: NamedDim, size: number): number | undefined {
  const value = (size - dim.offset) / dim.factor;
  return Number.isSafeInteger(value) ? value : undefined;
}

const bound = (value: number | undefined): string => (value === undefined ? "None" : String(value));

function makeDim(name: string, bounds: DimBounds = {}): NamedDim {
  checkOptions("Dim", bounds, BOUNDS);
  const { min, max } = bounds;
  for (const value of [min, max])
    if (value !== undefined && value !== Infinity && !Number.isSafeInteger(value))
      throw badDim(`the bounds of Dim ${name} must be integers, got ${String(value)}`);
  if (!((max ?? Infinity) > (min ?? 0)))
    throw badDim(`Cannot create Dim with inconsistent min=${bound(min)}, max=${bound(max)}`);
  if (typeof name !== "string" || !IDENTIFIER.test(name))
    throw badDim(`Dim name must be a valid identifier, got ${String(name)}`);
  return new RootDim(name, min ?? 0, max ?? Infinity);
}
makeDim.prototype = NamedDim.prototype;

/** Makes dims, with or without `new`, and holds the hints. */
export interface DimConstructor {
  /**
   * Names a dynamic size. Dims of one name are equal, and must have equal bounds.
   *
   * @throws SconceError `BAD_DIM`
   */
  (name: string, bounds?: DimBounds): NamedDim;
  new (name: string, bounds?: DimBounds): NamedDim;
  /** What `instanceof` looks for. */
  readonly prototype: NamedDim;
  /** The program decides whether a size is dynamic; it becomes a constant without an error. */
  readonly AUTO: DimHintFactory;
  /** A size that must stay dynamic; its range and relations are inferred. */
  readonly DYNAMIC: DimHintFactory;
  /** A constant size. */
  readonly STATIC: DimHintFactory;
}

/**
 * A dynamic size: `Dim("batch", { min: 1, max: 64 })`, derived from another by `dim.add(1)`,
 * `dim.sub(1)` and `dim.mul(2)`; or a hint: `Dim.AUTO`, `Dim.DYNAMIC`, `Dim.STATIC`, with bounds
 * `Dim.AUTO({ max: 64 })`.
 */
export const Dim: DimConstructor = /* @__PURE__ */ Object.assign(makeDim as DimConstructor, {
  AUTO: hintFactory("AUTO"),
  DYNAMIC: hintFactory("DYNAMIC"),
  STATIC: hintFactory("STATIC"),
});

/** A dynamic size with a name, or one derived from it. */
export type Dim = NamedDim;

/** Makes several dims with the same bounds: `const [a, b] = dims("a", "b", { max: 64 })`. */
export function dims<const Names extends readonly string[]>(...names: Names): DimsOf<Names>;
export function dims<const Names extends readonly string[]>(
  ...args: readonly [...names: Names, bounds: DimBounds]
): DimsOf<Names>;
export function dims(...args: readonly (string | DimBounds)[]): readonly NamedDim[] {
  const bounds = args.find((arg) => typeof arg === "object");
  return args.filter((arg) => typeof arg === "string").map((name) => makeDim(name, bounds));
}

type DimsOf<Names extends readonly string[]> = { readonly [K in keyof Names]: NamedDim };
