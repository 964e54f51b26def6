import {
  Budget,
  checkOptions,
  type OptionNames,
  requireText,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import { lower, type SymValue, symbolByName, symbolWith } from "../algebra/algebra.js";
import { construct, isHead } from "../algebra/construct.js";
import { joined } from "../algebra/logic.js";
import { factorsOf } from "../algebra/polynomial.js";
import { parseFailure, placed, shorten, tooLarge } from "../expr/errors.js";
import { type Assumption, type Assumptions, FALSE, type SymExpr, TRUE } from "../expr/expr.js";
import { metered } from "../expr/meter.js";
import { bigOf, floating, integer, isInteger, isNumber, rational } from "../expr/number.js";
import { splitCoefficient } from "../expr/order.js";
import type { Token } from "./token.js";
import { TokenReader } from "./token-reader.js";

/** Bounds on a text, and how a bare name becomes a symbol. */
export interface ParseOptions extends WorkOptions {
  /** Default 65,536 characters. */
  readonly maxLength?: number;
  /** Default 100 levels. */
  readonly maxDepth?: number;
  /** For bare names (`s0 + 1`); by default PyTorch's naming decides the kind. */
  readonly symbols?: (name: string) => SymExpr | undefined;
}

const PARSE: OptionNames<ParseOptions> = {
  maxLength: true,
  maxDepth: true,
  symbols: true,
  ...WORK_OPTIONS,
};

/**
 * Reads sympy's `srepr` text (`Add(Symbol('s77', positive=True, integer=True), Integer(1))`) or the
 * plain form of older files (`s0 + 1`, `(s0//2)`, `Mod(s0, 2)`). Nothing is ever executed; unknown
 * names, attribute access and calls of anything but the known functions are refused. Throws
 * SYM_PARSE, SYM_TOO_LARGE, SYM_OPERAND, SYM_DIVISION_BY_ZERO, BUDGET_EXCEEDED.
 */
export function parseSrepr(text: string, options: ParseOptions = {}): SymValue {
  checkOptions("parseSrepr", options, PARSE);
  requireText(text, "parseSrepr");
  const where = (): string => `the expression ${JSON.stringify(shorten(text))}`;
  const maxLength = options.maxLength ?? 65_536;
  const budget = Budget.of(options, text.length);
  return placed(where, () => {
    if (text.length > maxLength)
      throw tooLarge(`text of ${text.length} characters, at most ${maxLength} are read`);
    return metered(budget, where, () => lower(new ExpressionParser(text, options, budget).parse()));
  });
}

const ASSUMPTIONS: ReadonlySet<string> = new Set([
  "positive",
  "integer",
  "nonnegative",
  "real",
  "negative",
  "nonzero",
]);
/** Names of sympy for floats that are not finite. */
const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ["oo", Infinity],
  ["nan", NaN],
]);
/** Names of sympy and PyTorch that no size and no value can have. */
const INFINITE_INTEGERS: ReadonlySet<string> = new Set(["int_oo", "zoo"]);
/** Left binding strength, loosest first; comparisons do not chain. */
type BinaryRow = readonly [level: number, head: string];
const BINARY: Readonly<Record<string, BinaryRow>> = {
  "|": [1, "Or"],
  "&": [2, "And"],
  "==": [3, "Equality"],
  "!=": [3, "Unequality"],
  "<": [3, "StrictLessThan"],
  "<=": [3, "LessThan"],
  ">": [3, "StrictGreaterThan"],
  ">=": [3, "GreaterThan"],
  "+": [4, "Add"],
  "-": [4, "Sub"],
  "*": [5, "Mul"],
  "//": [5, "FloorDiv"],
  "/": [5, "Div"],
  "%": [5, "Mod"],
  "**": [7, "Pow"],
};

class ExpressionParser {
  readonly #tokens: TokenReader;
  readonly #options: ParseOptions;

  constructor(text: string, options: ParseOptions, budget: Budget) {
    this.#options = options;
    this.#tokens = new TokenReader(text, options.maxDepth ?? 100, budget);
  }

  parse(): SymExpr {
    return this.#tokens.ended(this.#expression(0));
  }

  #expression(minLevel: number): SymExpr {
    return this.#tokens.nested(() => {
      let left = this.#prefix();
      for (;;) {
        const row = this.#operator();
        if (row === undefined || row[0] < minLevel) return left;
        left = this.#chain(row[0], left);
      }
    });
  }

  #operator(): BinaryRow | undefined {
    const { kind, text } = this.#tokens.peek;
    return kind === "sign" && Object.hasOwn(BINARY, text) ? BINARY[text] : undefined;
  }

  /** Reads all operands of one level, so that a long sum is collected once and not term by term. */
  #chain(level: number, first: SymExpr): SymExpr {
    const chain = new Chain(first);
    for (let row = this.#operator(); row?.[0] === level; row = this.#operator()) {
      this.#tokens.skip();
      chain.add(row[1], this.#expression(row[1] === "Pow" ? 6 : level + 1));
    }
    return chain.value;
  }

  #prefix(): SymExpr {
    const token = this.#tokens.peek;
    if (token.kind === "sign") return this.#signed(token.text);
    if (token.kind === "number") {
      if (!Number.isFinite(Number(token.text)) && !/^\d+$/.test(token.text)) throw this.#tokens.unexpected();
      this.#tokens.skip();
      return numberNode(token.text);
    }
    if (token.kind !== "name") throw this.#tokens.unexpected();
    this.#tokens.skip();
    return this.#tokens.accept("(") ? this.#call(token) : this.#name(token);
  }

  #signed(sign: string): SymExpr {
    if (sign !== "-" && sign !== "+" && sign !== "~" && sign !== "(") throw this.#tokens.unexpected();
    this.#tokens.skip();
    if (sign === "(") return this.#parenthesized();
    if (sign === "~") return construct("Not", [this.#expression(8)]);
    const operand = this.#expression(6);
    return sign === "-" ? construct("Mul", [integer(-1), operand]) : operand;
  }

  /** Returns a grouped expression, or the `(value, condition)` pair of a printed `Piecewise`. */
  #parenthesized(): SymExpr {
    const first = this.#expression(0);
    if (!this.#tokens.accept(",")) {
      this.#tokens.expect(")");
      return first;
    }
    const second = this.#expression(0);
    this.#tokens.accept(",");
    this.#tokens.expect(")");
    return construct("ExprCondPair", [first, second]);
  }

  #name(token: Token): SymExpr {
    if (token.text === "true" || token.text === "True") return TRUE;
    if (token.text === "false" || token.text === "False") return FALSE;
    if (isHead(token.text) || token.text.startsWith("__") || INFINITE_INTEGERS.has(token.text)) {
      throw parseFailure(
        `${JSON.stringify(token.text.slice(0, 40))} is not a symbol`,
        this.#tokens.text,
        token.offset,
      );
    }
    const declared = this.#options.symbols?.(token.text);
    if (declared !== undefined) return declared;
    const value = NOT_FINITE.get(token.text);
    return value === undefined ? symbolByName(token.text) : floating(value);
  }

  #call(token: Token): SymExpr {
    switch (token.text) {
      case "Symbol":
        return this.#symbol();
      case "Integer":
        return this.#closing(integer(this.#integerLiteral()));
      case "Rational": {
        const num = this.#integerLiteral();
        this.#tokens.expect(",");
        return this.#closing(rational(num, this.#integerLiteral()));
      }
      case "Float":
        return this.#float();
      default: {
        if (!isHead(token.text))
          throw parseFailure(
            `unknown function ${JSON.stringify(token.text.slice(0, 40))}`,
            this.#tokens.text,
            token.offset,
          );
        return construct(token.text, this.#arguments());
      }
    }
  }

  #arguments(): readonly SymExpr[] {
    const args: SymExpr[] = [];
    while (!this.#tokens.accept(")")) {
      args.push(this.#expression(0));
      if (!this.#tokens.accept(",")) {
        this.#tokens.expect(")");
        break;
      }
    }
    return args;
  }

  #closing<T>(value: T): T {
    this.#tokens.expect(")");
    return value;
  }

  #integerLiteral(): bigint {
    const sign = this.#tokens.accept("-") ? -1n : 1n;
    const token = this.#tokens.peek;
    if (token.kind !== "number" || !/^\d+$/.test(token.text)) throw this.#tokens.unexpected();
    this.#tokens.skip();
    return sign * bigOf(numberNode(token.text));
  }

  #string(): string {
    const token = this.#tokens.peek;
    if (token.kind !== "string") throw this.#tokens.unexpected();
    this.#tokens.skip();
    return token.text;
  }

  #symbol(): SymExpr {
    const name = this.#string();
    const assumptions: [Assumption, boolean][] = [];
    while (this.#tokens.accept(",")) {
      const [key, value] = this.#keyword();
      if (!ASSUMPTIONS.has(key) || (value !== "True" && value !== "False")) throw this.#tokens.unexpected();
      assumptions.push([key as Assumption, value === "True"]);
    }
    this.#tokens.expect(")");
    return symbolWith(name, assumptions as Assumptions);
  }

  #keyword(): readonly [key: string, value: string] {
    const key = this.#tokens.peek;
    if (key.kind !== "name") throw this.#tokens.unexpected();
    this.#tokens.skip();
    this.#tokens.expect("=");
    const value = this.#tokens.peek;
    if (value.kind !== "name" && value.kind !== "number") throw this.#tokens.unexpected();
    this.#tokens.skip();
    return [key.text, value.text];
  }

  #float(): SymExpr {
    const text = this.#string();
    const value = Number(text);
    if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) || !Number.isFinite(value))
      throw this.#tokens.unexpected();
    if (this.#tokens.accept(",")) this.#keyword();
    return this.#closing(floating(value));
  }
}

function numberNode(text: string): SymExpr {
  if (/^\d+$/.test(text)) {
    if (text.length > 1200) throw tooLarge("a constant of more than 1200 digits");
    return integer(BigInt(text));
  }
  return floating(Number(text));
}

/** Operands of one level as they come: `a + b - c`, `a * b // c`. */
class Chain {
  #left: SymExpr;
  #head = "";
  #waiting: SymExpr[] = [];

  constructor(first: SymExpr) {
    this.#left = first;
  }

  add(head: string, right: SymExpr): void {
    const operand = head === "Sub" ? construct("Mul", [integer(-1), right]) : right;
    const joins = head === "Sub" ? "Add" : head;
    if (joins === this.#head && waits(joins, this.#left, operand)) {
      this.#waiting.push(operand);
      return;
    }
    this.#left = this.value;
    this.#waiting = [];
    this.#head = joins;
    if (waits(joins, this.#left, operand)) this.#waiting.push(operand);
    else this.#left = combine(joins, this.#left, operand);
  }

  get value(): SymExpr {
    if (this.#waiting.length === 0) return this.#left;
    const items = [this.#left, ...this.#waiting];
    return this.#head === "And" || this.#head === "Or"
      ? joined(this.#head, items)
      : construct(this.#head, items);
  }
}

/**
 * Returns whether an operand may be collected with those that follow: the result is then that of
 * joining two at a time, as sympy reads `a * b * c`. A number is distributed over a single sum at
 * once, so that a product waits only when no such sum can be left alone.
 */
function waits(head: string, left: SymExpr, right: SymExpr): boolean {
  if (head !== "Mul") return head === "Add" || head === "And" || head === "Or";
  if (left.op === "Symbol" && right.op === "Symbol") return true;
  if (right.op !== "Symbol" && right.op !== "Integer" && right.op !== "Add") return false;
  const [, rest] = splitCoefficient(left);
  return !isNumber(rest) && rest.op !== "Add" && factorsOf(rest).every(isSteady);
}

/** Returns whether a factor stays one whatever it is multiplied by. */
function isSteady(factor: SymExpr): boolean {
  if (factor.op !== "Pow") return factor.op === "Symbol" || factor.op === "Add";
  const [base, exponent] = factor.args;
  return isSteady(base!) && isInteger(exponent!) && exponent!.value > 0;
}

function combine(head: string, left: SymExpr, right: SymExpr): SymExpr {
  switch (head) {
    case "Div":
      return construct("Mul", [left, construct("Pow", [right, integer(-1)])]);
    case "Mod":
      return construct(isInteger(left) && isInteger(right) ? "PythonMod" : "Mod", [left, right]);
    default:
      return construct(head, [left, right]);
  }
}
