/** @file Sizes of a program as expressions of JavaScript over the shapes of its inputs. */
import { fixedValue, type Index, type IndexAtom } from "@sconce/codegen";
import type { SymExpr, SymValue } from "@sconce/symbolic";
import { printExpr, scalarKind } from "@sconce/symbolic";
import { numberText } from "./code.js";
import { sizeNotWritten } from "./errors.js";

/** Names of symbols as JavaScript has them. */
export type SymbolNames = ReadonlyMap<string, string>;

type Write = (args: readonly string[]) => string;

const call =
  (name: string): Write =>
  (args) =>
    `${name}(${args.join(",")})`;
const joined =
  (operator: string): Write =>
  (args) =>
    `(${args.join(operator)})`;
const checked = (write: Write): Write => {
  return (args) => `$(${write(args)})`;
};

/** How heads of expressions are written. Others are in no module. */
const HEADS: Readonly<Record<string, Write>> = {
  Add: checked((args) => args.join("+")),
  FloorDiv: call("div"),
  CleanDiv: call("div"),
  Mod: call("mod"),
  PythonMod: call("mod"),
  ModularIndexing: ([a, b, c]) => `mod(div(${a},${b}),${c})`,
  Max: call("Math.max"),
  Min: call("Math.min"),
  Abs: call("Math.abs"),
  Identity: ([a]) => a!,
  ToFloat: ([a]) => a!,
  Pow: checked((args) => args.join("**")),
  PowByNatural: checked((args) => args.join("**")),
  IntTrueDiv: call("quotient"),
  FloatTrueDiv: call("quotient"),
  CeilToInt: checked(call("Math.ceil")),
  FloorToInt: checked(call("Math.floor")),
  TruncToInt: checked(call("Math.trunc")),
  And: joined("&&"),
  Or: joined("||"),
  Not: ([a]) => `!(${a})`,
  Where: ([test, yes, no]) => `(${test}?${yes}:${no})`,
  Equality: joined("==="),
  Unequality: joined("!=="),
  StrictLessThan: joined("<"),
  LessThan: joined("<="),
  StrictGreaterThan: joined(">"),
  GreaterThan: joined(">="),
};

/**
 * Writes expressions. Sums and products are checked (`$`), so that each value is an exact integer.
 */
export class SizeCode {
  readonly #names: SymbolNames;

  constructor(names: SymbolNames) {
    this.#names = names;
  }

  /** @throws SconceError `BUILD_UNSUPPORTED` for functions that no module has */
  of(value: SymValue): string {
    if (typeof value === "number" || typeof value === "boolean") return numberText(value);
    return this.#node(value);
  }

  #node(e: SymExpr): string {
    switch (e.op) {
      case "Integer":
      case "Float":
        return numberText(Number(e.value));
      case "True":
      case "False":
        return String(e.op === "True");
      case "Symbol":
        return this.#symbol(e);
      case "Mul":
        return this.#product(e);
      default: {
        const write = HEADS[e.op];
        if (write === undefined) throw sizeNotWritten(printExpr(e));
        const text = write(e.args.map((arg) => this.#node(arg)));
        // Floats are not checked.
        return text.startsWith("$(") && scalarKind(e) === "float" ? text.slice(1) : text;
      }
    }
  }
  #symbol(e: SymExpr): string {
    const name = this.#names.get(e.name);
    if (name === undefined) throw sizeNotWritten(printExpr(e));
    return name;
  }
  /** Writes a product, whose rational coefficient divides last. */
  #product(e: SymExpr): string {
    const [first, ...others] = e.args;
    const check = scalarKind(e) === "float" ? "" : "$";
    if (first!.op !== "Rational") return `${check}(${e.args.map((arg) => this.#node(arg)).join("*")})`;
    const factors = [numberText(Number(first!.value)), ...others.map((arg) => this.#node(arg))];
    return `quotient(${check}(${factors.join("*")}),${numberText(Number(first!.den))})`;
  }

  /** Returns an index without axes. */
  index(index: Index): string {
    return this.#sum(index, (item) => this.#atom(item));
  }
  #sum({ terms, constant }: Index, atom: (item: IndexAtom) => string): string {
    const parts = terms.map(({ coefficient, atoms }) =>
      [...(coefficient === 1 ? [] : [numberText(coefficient)]), ...atoms.map(atom)].join("*"),
    );
    if (parts.length === 0) return numberText(constant);
    if (constant !== 0) parts.push(numberText(constant));
    const text = parts.join("+");
    return parts.length === 1 && terms[0]!.atoms.length === 1 && terms[0]!.coefficient === 1
      ? text
      : `$(${text})`;
  }
  #atom(item: IndexAtom): string {
    switch (item.kind) {
      case "size":
        return this.of(item.expr);
      case "quotient":
        return `div(${this.index(item.numerator)},${this.index(item.denominator)})`;
      case "remainder":
        return `mod(${this.index(item.numerator)},${this.index(item.denominator)})`;
      default:
        throw sizeNotWritten(item.kind === "axis" ? item.name : item.key);
    }
  }

  /** Returns the least and the greatest value of an index whose axes all have places. */
  bounds({ terms, constant }: Index): { readonly low: string; readonly high: string } {
    const [lows, highs] = [[numberText(constant)], [numberText(constant)]];
    for (const { coefficient, atoms } of terms) {
      // A factor below zero exchanges the ends of the others.
      if (atoms.length > 1 && atoms.some(({ kind }) => kind === "quotient"))
        throw sizeNotWritten("of a load");
      const factors = atoms.map((item) => this.#boundsOfAtom(item));
      const product = (end: "low" | "high"): string =>
        [numberText(coefficient), ...factors.map((one) => one[end])].join("*");
      lows.push(product(coefficient > 0 ? "low" : "high"));
      highs.push(product(coefficient > 0 ? "high" : "low"));
    }
    return { low: lows.join("+"), high: highs.join("+") };
  }
  /** None is negative, but quotients of what is. */
  #boundsOfAtom(item: IndexAtom): { readonly low: string; readonly high: string } {
    switch (item.kind) {
      case "axis":
        return { low: "0", high: `(${this.index(item.extent)}-1)` };
      case "size": {
        const text = this.of(item.expr);
        return { low: text, high: text };
      }
      case "remainder":
        return { low: "0", high: `(${this.bounds(item.denominator).high}-1)` };
      case "value":
        return { low: "0", high: `(${this.bounds(item.bound).high}-1)` };
      case "quotient": {
        const [over, by] = [this.bounds(item.numerator), this.bounds(item.denominator)];
        return { low: `Math.min(0,${over.low})`, high: `Math.max(0,div(${over.high},${by.low}))` };
      }
    }
  }

  /**
   * Returns a bound of the absolute value of an index, a number where no size is open: the sum of
   * those of its terms. Axes run below their extents.
   */
  most({ terms, constant }: Index): string {
    const parts = terms.map(({ coefficient, atoms }) =>
      folded("*", [String(Math.abs(coefficient)), ...atoms.map((item) => this.#mostAtom(item))]),
    );
    return folded("+", [...parts, String(Math.abs(constant))]);
  }
  #mostAtom(item: IndexAtom): string {
    switch (item.kind) {
      case "axis": {
        const extent = fixedValue(item.extent);
        return extent === undefined
          ? `Math.max(0,${this.index(item.extent)}-1)`
          : String(Math.max(0, extent - 1));
      }
      case "size":
        return `Math.abs(${this.of(item.expr)})`;
      case "quotient":
        return this.#grouped(item.numerator);
      case "remainder":
        return this.#grouped(item.denominator);
      case "value":
        return this.#grouped(item.bound);
    }
  }
  #grouped(index: Index): string {
    const text = this.most(index);
    return isNumeral(text) ? text : `(${text})`;
  }
}

const isNumeral = (text: string): boolean => /^\d+$/.test(text);

/** Joins operands, none of which is negative; numbers among them are computed here. */
function folded(operator: "+" | "*", operands: readonly string[]): string {
  const [sum, neutral] = operator === "+" ? [true, 0] : [false, 1];
  const numbers = operands.filter(isNumeral).map(Number);
  const known = numbers.reduce((all, one) => (sum ? all + one : all * one), neutral);
  // What is not exact stays as it is.
  if (!Number.isSafeInteger(known)) return operands.join(operator);
  const others = operands.filter((text) => !isNumeral(text));
  if (others.length === 0) return String(known);
  return [...(known === neutral ? [] : [String(known)]), ...others].join(operator);
}
