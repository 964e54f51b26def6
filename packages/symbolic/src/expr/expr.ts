import { markClass } from "@sconce/errors";
import { badOperand, tooLarge } from "./errors.js";
import { step } from "./meter.js";
import { COPY } from "./this-copy.js";

/** Heads with arguments, named as PyTorch and sympy name them. */
export type SymHead =
  | "Add"
  | "Mul"
  | "Pow"
  | "FloorDiv"
  | "CleanDiv"
  | "Mod"
  | "PythonMod"
  | "ModularIndexing"
  | "PowByNatural"
  | "Max"
  | "Min"
  | "Abs"
  | "Where"
  | "Identity"
  | "IsNonOverlappingAndDenseIndicator"
  | "ToFloat"
  | "IntTrueDiv"
  | "FloatTrueDiv"
  | "FloatPow"
  | "CeilToInt"
  | "FloorToInt"
  | "TruncToInt"
  | "TruncToFloat"
  | "RoundToInt"
  | "RoundDecimal"
  | `OpaqueUnaryFn_${string}`
  | "Equality"
  | "Unequality"
  | "StrictLessThan"
  | "LessThan"
  | "StrictGreaterThan"
  | "GreaterThan"
  | "And"
  | "Or"
  | "Not"
  | "Piecewise"
  | "ExprCondPair";

/** Every kind of node. */
export type SymOp = SymHead | "Integer" | "Rational" | "Float" | "True" | "False" | "Symbol";

/** Assumptions in the order in which PyTorch writes them. */
export type Assumption = "positive" | "integer" | "nonnegative" | "real" | "negative" | "nonzero";

/** A symbol's assumptions, in writing order. */
export type Assumptions = readonly (readonly [name: Assumption, value: boolean])[];

/** Trees above these sizes are refused: real programs stay far below, hostile files do not. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 400;

/**
 * An immutable node of a symbolic expression, in canonical form: build one with the constructors of
 * this package only. Numbers that are the whole of a value are plain JavaScript numbers, never
 * nodes.
 */
export class SymExpr {
  static {
    markClass(SymExpr, "SymExpr", COPY);
  }

  /** The head, as sympy names it: `Add`, `Symbol`, `FloorDiv`. */
  readonly op: SymOp;
  /** The operands, in canonical order. */
  readonly args: readonly SymExpr[];
  /** A symbol's name; empty for other nodes. */
  readonly name: string;
  /**
   * The value of `Integer` (a bigint beyond 2^53) and `Float`, the numerator (a bigint) of
   * `Rational`.
   */
  readonly value: number | bigint;
  /** The denominator of `Rational`, else 1. */
  readonly den: bigint;
  /** What is assumed of a symbol, as sympy names it; empty for other heads. */
  readonly assumptions: Assumptions;
  /** Nodes in the tree, shared ones counted each time. */
  readonly size: number;
  /** Levels of operands; 1 for a leaf. */
  readonly depth: number;
  /**
   * sympy's node count, in which a float weighs half: the first criterion when conditions are
   * sorted.
   */
  readonly weight: number;
  #key: string | undefined;

  /** @internal */
  constructor(init: SymExprInit) {
    this.op = init.op;
    this.args = init.args ?? NO_ARGS;
    step(1 + this.args.length);
    this.name = init.name ?? "";
    this.value = init.value ?? 0;
    this.den = init.den ?? 1n;
    this.assumptions = init.assumptions ?? [];
    let size = 1;
    let depth = 0;
    let weight = init.op === "Float" ? 0.5 : 1;
    for (const arg of this.args) {
      size += arg.size;
      weight += arg.weight;
      if (arg.depth > depth) depth = arg.depth;
    }
    if (size > MAX_NODES) throw tooLarge(`more than ${MAX_NODES} nodes`);
    if (depth >= MAX_DEPTH) throw tooLarge(`nested more than ${MAX_DEPTH} deep`);
    this.size = size;
    this.depth = depth + 1;
    this.weight = weight;
  }

  /** Equal keys mean structurally equal expressions. */
  get key(): string {
    if (this.#key === undefined) {
      this.#key = keyOf(this);
      step(1 + (this.#key.length >> 6));
    }
    return this.#key;
  }

  /**
   * Returns the same expression as a separate object: a trace identifies sizes by their objects,
   * as PyTorch does with `SymNode`.
   */
  distinct(): SymExpr {
    const copy = new SymExpr(this);
    copy.#key = this.#key;
    return copy;
  }

  /**
   * Refuses `Number(size)` and `size < 0`: only the sizes of a call give a number.
   * @throws SconceError `SYM_OPERAND`
   */
  valueOf(): never {
    throw badOperand(`${this.toString()} is used as a number`);
  }

  /** PyTorch's text of the expression, as `printExpr` gives it: `2*s77 + 1`. */
  toString(): string {
    return printer(this);
  }
}

/**
 * Set by the module that prints, which needs this one. Every symbol is made by a module that loads
 * it.
 */
let printer = (e: SymExpr): string => e.key;

/** @internal Sets how expressions become texts. */
export const printWith = (print: (e: SymExpr) => string): void => {
  printer = print;
};

interface SymExprInit {
  readonly op: SymOp;
  readonly args?: readonly SymExpr[];
  readonly name?: string;
  readonly value?: number | bigint;
  readonly den?: bigint;
  readonly assumptions?: Assumptions;
}

const NO_ARGS: readonly SymExpr[] = [];

/** Most symbols share their list of assumptions. */
const assumptionKeys = new WeakMap<Assumptions, string>();

function assumptionsKey(assumptions: Assumptions): string {
  let key = assumptionKeys.get(assumptions);
  if (key === undefined) {
    key = assumptions.map(([name, value]) => (value ? name : `!${name}`)).join(":");
    assumptionKeys.set(assumptions, key);
  }
  return key;
}

function keyOf(e: SymExpr): string {
  switch (e.op) {
    case "Integer":
      return String(e.value);
    case "Float":
      return Object.is(e.value, -0) ? "f-0" : `f${e.value}`;
    case "Rational":
      return `${e.value}/${e.den}`;
    case "Symbol":
      return e.assumptions.length === 0 ? `$${e.name}` : `$${e.name}:${assumptionsKey(e.assumptions)}`;
    default:
      return `${e.op}(${e.args.map((arg) => arg.key).join(",")})`;
  }
}

/** Returns a node of a head over arguments, as they are: no simplification. */
export const node = (op: SymHead, args: readonly SymExpr[]): SymExpr => new SymExpr({ op, args });

export const TRUE = new SymExpr({ op: "True" });
export const FALSE = new SymExpr({ op: "False" });

export const same = (a: SymExpr, b: SymExpr): boolean => a === b || a.key === b.key;

export const isRelation = (e: SymExpr): boolean => RELATIONS.has(e.op);

const RELATIONS: ReadonlySet<SymOp> = new Set<SymOp>([
  "Equality",
  "Unequality",
  "StrictLessThan",
  "LessThan",
  "StrictGreaterThan",
  "GreaterThan",
]);

/** True for conditions: relations, connectives and the two constants. */
export const isCondition = (e: SymExpr): boolean =>
  isRelation(e) || e.op === "And" || e.op === "Or" || e.op === "Not" || e.op === "True" || e.op === "False";

/** True for symbols that only the data decide (`u0`, `zuf0`), by name. */
export const isUnbacked = (e: SymExpr): boolean => e.op === "Symbol" && /^(u|zuf)\d/.test(e.name);

/** Returns an equal expression that is another object. */
export const copyOf = ({ op, args, name, value, den, assumptions }: SymExpr): SymExpr =>
  new SymExpr({ op, args, name, value, den, assumptions });
