/** @file Expressions of i32: addresses, counts and conditions. */
import type { Instruction } from "./opcodes.js";
import type { Local } from "./types.js";

/** A number, a variable or an expression of them. */
export type Operand = number | Local<"i32"> | Expression;

/** Comparisons, each beside its opposite. */
const COMPARISONS = ["eq", "ne", "lt_s", "ge_s", "gt_s", "le_s", "lt_u", "ge_u", "gt_u", "le_u"] as const;
/** A comparison of two i32, by its name in the text format. */
export type Comparison = (typeof COMPARISONS)[number];
type Operator =
  `i32.${Comparison | "add" | "sub" | "mul" | "div_u" | "rem_u" | "and" | "or" | "shl" | "shr_u"}`;

/** What writes the instructions of an expression: the builder of a function. */
interface Writer {
  i32(value: number): unknown;
  get(local: Local): unknown;
  tee(local: Local): unknown;
  local(type: "i32"): Local<"i32">;
  put(...operands: readonly Operand[]): { op(...names: readonly Instruction[]): unknown };
}

/** What an expression is computed from. */
type Node =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "local"; readonly local: Local<"i32"> }
  | { readonly kind: "zero"; readonly a: Expression }
  | { readonly kind: "binary"; readonly op: Operator; readonly a: Expression; readonly b: Expression }
  | {
      readonly kind: "bound";
      readonly op: "i32.lt_s" | "i32.gt_s";
      readonly a: Expression;
      readonly b: Expression;
    }
  | { readonly kind: "choice"; readonly when: Expression; readonly a: Expression; readonly b: Expression };

/**
 * Returns an expression, as in `i32(base).plus(i32(row).times(16))`. Sums and products of numbers
 * are folded.
 */
export function i32(operand: Operand): Expression {
  if (operand instanceof Expression) return operand;
  return new Expression(
    typeof operand === "number" ? { kind: "number", value: operand | 0 } : { kind: "local", local: operand },
  );
}

/** An i32 that a function computes. It does not change: methods return new expressions. */
export class Expression {
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  /** The number that it is; undefined if that depends on variables. */
  get known(): number | undefined {
    return this.#node.kind === "number" ? this.#node.value : undefined;
  }

  #with(op: Operator, operand: Operand): Expression {
    return new Expression({ kind: "binary", op, a: this, b: i32(operand) });
  }
  /** Returns the operands of a sum or a product whose second one is a number. */
  #split(op: "i32.add" | "i32.mul"): readonly [Expression, number] | undefined {
    if (this.#node.kind !== "binary" || this.#node.op !== op) return undefined;
    const { known } = this.#node.b;
    return known === undefined ? undefined : [this.#node.a, known];
  }

  /** Returns the sum; it wraps. */
  plus(operand: Operand): Expression {
    const other = i32(operand);
    const { known } = other;
    if (known === undefined)
      return this.known === undefined ? this.#with("i32.add", other) : other.plus(this);
    if (known === 0) return this;
    if (this.known !== undefined) return i32(this.known + known);
    const [rest, number] = this.#split("i32.add") ?? [this, 0];
    return number === 0 ? this.#with("i32.add", other) : rest.plus(number + known);
  }
  /** Returns the difference; it wraps. */
  minus(operand: Operand): Expression {
    const { known } = i32(operand);
    return known === undefined ? this.#with("i32.sub", operand) : this.plus(-known);
  }
  /** Returns the product; it wraps. */
  times(operand: Operand): Expression {
    const other = i32(operand);
    const { known } = other;
    if (known === undefined)
      return this.known === undefined ? this.#with("i32.mul", other) : other.times(this);
    if (known === 0) return other;
    if (this.known !== undefined) return i32(Math.imul(this.known, known));
    const [rest, number] = this.#split("i32.mul") ?? [this, 1];
    const factor = Math.imul(number, known);
    return factor === 1 ? rest : rest.#with("i32.mul", factor);
  }
  /** Returns the quotient of unsigned numbers. */
  over(operand: Operand): Expression {
    const { known } = i32(operand);
    if (known === 1) return this;
    if (known && this.known !== undefined) return i32(Math.floor((this.known >>> 0) / (known >>> 0)));
    return this.#with("i32.div_u", operand);
  }
  /** Returns the remainder of unsigned numbers. */
  rest(operand: Operand): Expression {
    const { known } = i32(operand);
    if (known === 1) return i32(0);
    if (known && this.known !== undefined) return i32((this.known >>> 0) % (known >>> 0));
    return this.#with("i32.rem_u", operand);
  }

  /** Returns how many parts of a size it takes: the unsigned quotient, rounded up. */
  parts(size: number): Expression {
    return this.plus(size - 1).over(size);
  }

  /** Returns the smaller of two signed numbers. */
  least(operand: Operand): Expression {
    return this.#bound("i32.lt_s", i32(operand));
  }
  /** Returns the greater of two signed numbers. */
  most(operand: Operand): Expression {
    return this.#bound("i32.gt_s", i32(operand));
  }
  #bound(op: "i32.lt_s" | "i32.gt_s", b: Expression): Expression {
    const [one, other] = [this.known, b.known];
    if (one !== undefined && other !== undefined)
      return i32(op === "i32.lt_s" ? Math.min(one, other) : Math.max(one, other));
    return new Expression({ kind: "bound", op, a: this, b });
  }

  /** Returns the bits that both have. */
  and(operand: Operand): Expression {
    return this.#with("i32.and", operand);
  }
  /** Returns the bits that one of them has. */
  or(operand: Operand): Expression {
    return this.#with("i32.or", operand);
  }
  /** Shifts bits to the left. */
  shl(bits: Operand): Expression {
    return this.#with("i32.shl", bits);
  }
  /** Shifts bits to the right; zeros come from the left. */
  shr(bits: Operand): Expression {
    return this.#with("i32.shr_u", bits);
  }

  /** Compares it with another number: the result is 1 or 0. */
  is(comparison: Comparison, operand: Operand): Expression {
    return this.#with(`i32.${comparison}`, operand);
  }
  /** Returns 1 if it is zero, 0 otherwise. */
  not(): Expression {
    const node = this.#node;
    const at = node.kind === "binary" ? COMPARISONS.indexOf(node.op.slice(4) as Comparison) : -1;
    if (node.kind === "binary" && at >= 0) return node.a.is(COMPARISONS[at ^ 1]!, node.b);
    return new Expression({ kind: "zero", a: this });
  }
  /** Returns the first of two numbers, or the second if this is zero. Both are computed. */
  choose(then: Operand, otherwise: Operand): Expression {
    return new Expression({ kind: "choice", when: this, a: i32(then), b: i32(otherwise) });
  }

  /** Writes the code that pushes it. Variables are read when that code runs. */
  write(f: Writer): void {
    const node = this.#node;
    if (node.kind === "number") f.i32(node.value);
    else if (node.kind === "local") f.get(node.local);
    else if (node.kind === "zero") f.put(node.a).op("i32.eqz");
    else if (node.kind === "binary") f.put(node.a, node.b).op(node.op);
    else if (node.kind === "choice") f.put(node.a, node.b, node.when).op("select");
    else {
      const [a, b] = [node.a.#pushed(f), node.b.#pushed(f)];
      f.put(a, b).op(node.op, "select");
    }
  }
  /** Pushes it; returns what pushes it again without a second computation. */
  #pushed(f: Writer): Operand {
    f.put(this);
    if (this.#node.kind === "number" || this.#node.kind === "local") return this;
    const local = f.local("i32");
    f.tee(local);
    return local;
  }
}
