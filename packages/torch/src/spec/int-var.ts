/**
 * @file Variables of a `ShapesSpec` (`torch/fx/experimental/dynamic_spec.py`): integers that only
 * the inputs of a run decide.
 */
import { checkOptions, markClass, type OptionNames } from "@sconce/errors";
import { freeSymbols, type IntLike, ShapeEnv, specSymbol } from "@sconce/symbolic";
import { COPY } from "../this-copy.js";
import { type Sym, SymInt } from "../trace/sym-int.js";
import { badVariable, emptyVariable } from "./errors.js";

/** Options of {@link IntVar} and {@link ShapeVar}. */
export interface IntVarOptions {
  /** The least value. @defaultValue none; 0 for a `ShapeVar` */
  readonly min?: number | null | undefined;
  /** The greatest value. @defaultValue none */
  readonly max?: number | null | undefined;
  /** A value that is likely. PyTorch's compilers read it; an export does not. @defaultValue none */
  readonly optimizationHint?: number | null | undefined;
}

const OPTIONS: OptionNames<IntVarOptions> = { min: true, max: true, optimizationHint: true };
/** The ranges of all variables. */
const SPEC_ENV = new ShapeEnv();
let made = 0;

/**
 * An integer argument that is dynamic, without a range: `new IntVar("offset", { min:
 * -100, max: 100 })`. It is a `SymInt`: `sym.add(a, 1)` and `sym.mul(a, b)` are sizes that are
 * derived from it, `sym.gt(a, 0)` is an assumption.
 *
 * Two variables are different ones, whatever their names.
 *
 * @throws SconceError `SHAPES_SPEC` for a name that is not an identifier, bounds that are not
 * integers, and a `min` above `max`
 */
export class IntVar extends SymInt {
  /** The name in texts and messages; `anon` without one. */
  readonly name: string;
  /** The least value; null without a bound. */
  readonly min: number | null;
  /** The greatest value; null without a bound. */
  readonly max: number | null;
  /** A value that is likely; null without one. */
  readonly optimizationHint: number | null;

  constructor(name: string | null = null, options: IntVarOptions = {}) {
    checkOptions(new.target.name, options, OPTIONS);
    const own = name ?? "anon";
    const { min = null, max = null, optimizationHint = null } = options;
    if (typeof own !== "string" || !/^[A-Za-z_]\w{0,40}$/.test(own))
      throw badVariable(
        `the name of a variable is an identifier of at most 41 characters, not ${JSON.stringify(own)}`,
      );
    for (const [key, value] of Object.entries({ min, max, optimizationHint }))
      if (value !== null && !Number.isSafeInteger(value))
        throw badVariable(`${key} of the variable ${own} is an integer, not ${String(value)}`);
    if (min !== null && max !== null && min > max) throw emptyVariable(own, min, max);
    super(specSymbol(own, made++));
    this.name = own;
    this.min = min;
    this.max = max;
    this.optimizationHint = optimizationHint;
    SPEC_ENV.setRange(this.expr, { min: min ?? -Infinity, max: max ?? Infinity });
  }

  static {
    markClass(IntVar, "IntVar", COPY);
  }

  /** PyTorch's text, with the number of the variable: `IntVar(batch#0, min=2)`. */
  override toString(): string {
    const parts = [this.expr.name];
    if (this.min !== null) parts.push(`min=${this.min}`);
    if (this.max !== null) parts.push(`max=${this.max}`);
    if (this.optimizationHint !== null) parts.push(`optimization_hint=${this.optimizationHint}`);
    return `${this.kindName}(${parts.join(", ")})`;
  }

  /** A variable has a text, and no number. @throws SconceError `SYMBOLIC_COERCION` */
  override [Symbol.toPrimitive](hint: string): string {
    return hint === "string" ? this.toString() : super[Symbol.toPrimitive](hint);
  }

  /** The name of the class in texts. */
  protected get kindName(): string {
    return "IntVar";
  }

  /** Returns the variable as PyTorch's `to_jsonable` gives it. */
  toJsonable(): SpecJson {
    return {
      type: this.kindName,
      name: this.name,
      min: this.min,
      max: this.max,
      optimization_hint: this.optimizationHint,
    };
  }
}

/** A specification, or a part of one, as JSON. */
export type SpecJson = string | number | null | readonly SpecJson[] | { readonly [key: string]: SpecJson };

/**
 * A size that is dynamic, and at least 0: `new ShapeVar("batch", { max: 64 })`.
 *
 * @throws SconceError `SHAPES_SPEC` for a bound below 0, and as {@link IntVar}
 */
export class ShapeVar extends IntVar {
  constructor(name: string | null = null, options: IntVarOptions = {}) {
    const { min } = options;
    if (typeof min === "number" && min < 0)
      throw badVariable(
        `ShapeVar requires min >= 0 (a shape dim is non-negative); got min=${min}. Use IntVar(...) for unrestricted scalars.`,
      );
    super(name, { ...options, min: min ?? 0 });
  }

  static {
    markClass(ShapeVar, "ShapeVar", COPY);
  }

  protected override get kindName(): string {
    return "ShapeVar";
  }
}

const isSpecSymbol = (name: string): boolean => name.includes("#");

/** Returns whether a value is made of variables of a specification. */
export const isSpecValue = (value: Sym): boolean => [...freeSymbols(value.expr).keys()].some(isSpecSymbol);

/** Returns the least value of an expression of variables. */
export const specRange = (value: IntLike): { readonly min: number } => SPEC_ENV.range(value);
