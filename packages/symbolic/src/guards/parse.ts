import { Budget, checkOptions, requireText, WORK_OPTIONS, type WorkOptions } from "@sconce/errors";
import { parseFailure, placed, shorten, tooLarge } from "../expr/errors.js";
import type { Token } from "../parse/token.js";
import { TokenReader } from "../parse/token-reader.js";
import {
  GUARD_FUNCTIONS,
  type GuardBinaryOp,
  type GuardCompareOp,
  type GuardFunction,
  type GuardNode,
  type GuardSource,
} from "./ast.js";

const MAX_LENGTH = 65_536;
const MAX_DEPTH = 100;
/** Long flat chains (`a + b + ...`) make deep trees of binary operations. */
const MAX_OPERATORS = 2_000;

/**
 * Reads a guard of `guards_code`: comparisons, arithmetic and a few functions over inputs' sizes
 * and values. Anything else (assignments, lambdas, other calls or attributes) is refused. Throws
 * SYM_PARSE, SYM_TOO_LARGE and BUDGET_EXCEEDED.
 */
export function parseGuard(text: string, options: WorkOptions = {}): GuardNode {
  checkOptions("parseGuard", options, WORK_OPTIONS);
  requireText(text, "parseGuard");
  const budget = Budget.of(options, text.length);
  return placed(
    () => `the guard ${JSON.stringify(shorten(text))}`,
    () => {
      if (text.length > MAX_LENGTH)
        throw tooLarge(`guard of ${text.length} characters, at most ${MAX_LENGTH} are read`);
      return new GuardParser(text, budget).parse();
    },
  );
}

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const KEYWORDS: ReadonlySet<string> = new Set([
  "and",
  "or",
  "not",
  "if",
  "else",
  "lambda",
  "in",
  "is",
  "for",
  "await",
  "yield",
  "import",
]);

class GuardParser {
  readonly #tokens: TokenReader;
  #operators = 0;

  constructor(text: string, budget: Budget) {
    this.#tokens = new TokenReader(text, MAX_DEPTH, budget);
  }

  parse(): GuardNode {
    return this.#tokens.ended(this.#conditional());
  }

  #count(): void {
    if (++this.#operators > MAX_OPERATORS) throw tooLarge(`guard of more than ${MAX_OPERATORS} operations`);
  }

  #conditional(): GuardNode {
    return this.#tokens.nested(() => {
      const then = this.#or();
      if (!this.#tokens.accept("if")) return then;
      const test = this.#or();
      this.#tokens.expect("else");
      return { kind: "conditional", test, then, otherwise: this.#conditional() };
    });
  }

  #or(): GuardNode {
    return this.#joined("or", () => this.#joined("and", () => this.#not()));
  }

  #joined(op: "and" | "or", read: () => GuardNode): GuardNode {
    const values = [read()];
    while (this.#tokens.accept(op)) {
      this.#count();
      values.push(read());
    }
    return values.length === 1 ? values[0]! : { kind: "bool", op, values };
  }

  #not(): GuardNode {
    if (!this.#tokens.accept("not")) return this.#comparison();
    return this.#tokens.nested(() => ({ kind: "unary", op: "not", operand: this.#not() }));
  }

  #comparison(): GuardNode {
    const first = this.#sum();
    const rest: [GuardCompareOp, GuardNode][] = [];
    while (this.#tokens.peek.kind === "sign" && COMPARISONS.has(this.#tokens.peek.text)) {
      const op = this.#tokens.peek.text as GuardCompareOp;
      this.#tokens.skip();
      this.#count();
      rest.push([op, this.#sum()]);
    }
    return rest.length === 0 ? first : { kind: "compare", first, rest };
  }

  #leftAssociative(ops: readonly GuardBinaryOp[], read: () => GuardNode): GuardNode {
    let left = read();
    for (;;) {
      const op = ops.find((candidate) => this.#tokens.isSign(candidate));
      if (op === undefined) return left;
      this.#tokens.skip();
      this.#count();
      left = { kind: "binary", op, left, right: read() };
    }
  }

  #sum(): GuardNode {
    return this.#leftAssociative(["+", "-"], () =>
      this.#leftAssociative(["*", "//", "/", "%"], () => this.#factor()),
    );
  }

  #factor(): GuardNode {
    const op = this.#tokens.isSign("-") ? "-" : this.#tokens.isSign("+") ? "+" : undefined;
    if (op === undefined) return this.#power();
    this.#tokens.skip();
    return this.#tokens.nested(() => ({ kind: "unary", op, operand: this.#factor() }));
  }

  #power(): GuardNode {
    const left = this.#primary();
    if (!this.#tokens.accept("**")) return left;
    this.#count();
    return this.#tokens.nested(() => ({ kind: "binary", op: "**", left, right: this.#factor() }));
  }

  #primary(): GuardNode {
    if (this.#tokens.accept("(")) {
      const inner = this.#conditional();
      this.#tokens.expect(")");
      return inner;
    }
    const token = this.#tokens.peek;
    this.#tokens.skip();
    switch (token.kind) {
      case "number":
        return numberNode(token.text);
      case "string":
        return { kind: "constant", value: token.text };
      case "name":
        return this.#named(token);
      default:
        this.#tokens.skip(-1);
        throw this.#tokens.unexpected();
    }
  }

  #named(token: Token): GuardNode {
    if (token.text === "True" || token.text === "False")
      return { kind: "constant", value: token.text === "True" };
    if (token.text === "None") return { kind: "constant", value: null };
    const fn = this.#functionName(token.text);
    if (fn !== undefined) return this.#call(fn);
    if (token.text === "inf") return { kind: "number", value: Infinity, float: true };
    if (KEYWORDS.has(token.text) || token.text.startsWith("__") || this.#tokens.isSign("(")) {
      this.#tokens.skip(-1);
      throw this.#tokens.unexpected();
    }
    return this.#source(token.text);
  }

  /**
   * Returns a known function's full name, consumed; `math.inf` is handled as a number by
   * {@link #source}.
   */
  #functionName(first: string): GuardFunction | undefined {
    if (GUARD_FUNCTIONS.has(first) && this.#tokens.isSign("(")) return first as GuardFunction;
    if ((first !== "math" && first !== "torch") || !this.#tokens.isSign(".")) return undefined;
    const name = `${first}.${this.#tokens.second?.text ?? ""}`;
    if (!GUARD_FUNCTIONS.has(name)) return undefined;
    this.#tokens.skip(2);
    return name as GuardFunction;
  }

  #call(fn: GuardFunction): GuardNode {
    this.#tokens.expect("(");
    const args: GuardNode[] = [];
    while (!this.#tokens.accept(")")) {
      if (args.length > 0) this.#tokens.expect(",");
      if (this.#tokens.accept(")")) break;
      args.push(this.#conditional());
    }
    const [min, max] = GUARD_FUNCTIONS.get(fn)!;
    if (args.length < min || args.length > max) throw this.#tokens.unexpected();
    return { kind: "call", fn, args };
  }

  #source(name: string): GuardNode {
    if (name === "math" && this.#tokens.isSign(".") && this.#tokens.second?.text === "inf") {
      this.#tokens.skip(2);
      return { kind: "number", value: Infinity, float: true };
    }
    const local = name === "L" && this.#tokens.isSign("[");
    const path: (string | number | { attribute: string })[] = [];
    const root = local ? this.#key() : name;
    if (typeof root !== "string") throw this.#tokens.unexpected();
    for (;;) {
      if (this.#tokens.isSign("[")) path.push(this.#key());
      else if (this.#tokens.accept(".")) {
        const attribute = this.#tokens.peek;
        if (attribute.kind !== "name" || attribute.text.startsWith("__")) throw this.#tokens.unexpected();
        this.#tokens.skip();
        if (this.#tokens.accept("(")) return this.#property(attribute, { kind: "source", root, local, path });
        path.push({ attribute: attribute.text });
      } else return { kind: "source", root, local, path };
    }
  }

  #property(token: Token, source: GuardSource): GuardNode {
    const property = token.text;
    this.#tokens.expect(")");
    if (property === "storage_offset") return { ...source, property };
    if (property === "item") return source;
    if (property !== "size" && property !== "stride") {
      throw parseFailure(
        `unknown method ${JSON.stringify(property.slice(0, 40))}`,
        this.#tokens.text,
        token.offset,
      );
    }
    const index = this.#key();
    if (typeof index !== "number") throw this.#tokens.unexpected();
    return { ...source, property, index };
  }

  #key(): string | number {
    this.#tokens.expect("[");
    const negative = this.#tokens.accept("-");
    const token = this.#tokens.peek;
    const isIndex = token.kind === "number" && /^\d{1,9}$/.test(token.text);
    if (!isIndex && (token.kind !== "string" || negative)) throw this.#tokens.unexpected();
    this.#tokens.skip();
    this.#tokens.expect("]");
    return isIndex ? (negative ? -Number(token.text) : Number(token.text)) : token.text;
  }
}

function numberNode(text: string): GuardNode {
  const value = Number(text);
  const float = !/^\d+$/.test(text);
  if (float || Number.isSafeInteger(value)) return { kind: "number", value, float };
  if (text.length > 1_200) throw tooLarge("a constant of more than 1200 digits");
  return { kind: "number", value, float, exact: BigInt(text) };
}
