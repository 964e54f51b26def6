/**
 * @file Scalars as readable text. Indices read from tensors are equal if their texts are.
 */
import { partsOf, type ReduceScalar, type Scalar } from "./scalar.js";

const INFIX: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  and: "&&",
  or: "||",
};
const KNOWN = new WeakMap<Scalar, string>();
/** What is read several times gets a name when its text is longer than this. */
const SHORT = 24;

/**
 * Prints an expression: `max((b0[i0*4 + i1] + b1[i1]), 0)`. An object that occurs in several places
 * is printed once: `(t0 = sum[r0 < 8](b0[r0])) * sigmoid(t0)`.
 */
export function scalarText(scalar: Scalar): string {
  let text = KNOWN.get(scalar);
  if (text === undefined) {
    text = new ScalarWriter(scalar).text(scalar);
    KNOWN.set(scalar, text);
  }
  return text;
}

class ScalarWriter {
  readonly #shared = new Set<Scalar>();
  readonly #names = new Map<Scalar, string>();
  /** Texts of what is shared and too short for a name. */
  readonly #short = new Map<Scalar, string>();

  constructor(root: Scalar) {
    const seen = new Set<Scalar>();
    const walk = (scalar: Scalar): void => {
      if (seen.has(scalar)) this.#shared.add(scalar);
      else {
        seen.add(scalar);
        partsOf(scalar).forEach(walk);
      }
    };
    walk(root);
  }

  text(scalar: Scalar): string {
    const known = this.#names.get(scalar) ?? this.#short.get(scalar);
    if (known !== undefined) return known;
    const text = this.#write(scalar);
    if (!this.#shared.has(scalar)) return text;
    if (text.length <= SHORT) {
      this.#short.set(scalar, text);
      return text;
    }
    const name = `t${this.#names.size}`;
    this.#names.set(scalar, name);
    return `(${name} = ${bare(text)})`;
  }

  #write(scalar: Scalar): string {
    switch (scalar.kind) {
      case "constant":
        return Object.is(scalar.value, -0) ? "-0" : String(scalar.value);
      case "index":
        return scalar.index.text;
      case "load":
        return `b${scalar.buffer}[${bare(scalar.index.text)}]`;
      case "cast":
        return `${scalar.dtype}(${bare(this.text(scalar.value))})`;
      case "select":
        return `(${this.text(scalar.condition)} ? ${this.text(scalar.then)} : ${this.text(scalar.otherwise)})`;
      case "call":
        return this.#call(scalar.fn, scalar.args);
      case "reduce":
        return this.#reduce(scalar);
    }
  }
  #call(fn: string, args: readonly Scalar[]): string {
    const infix = INFIX[fn];
    const texts = args.map((arg) => this.text(arg));
    if (infix !== undefined && args.length === 2) return `(${texts[0]} ${infix} ${texts[1]})`;
    return `${fn}(${texts.map(bare).join(", ")})`;
  }
  #reduce({ reduce, axes, when, initial, body }: ReduceScalar): string {
    const ranges = axes.map(({ name, extent }) => `${name} < ${extent.text}`).join(", ");
    const only = when === undefined ? "" : ` if ${this.text(when)}`;
    const from = initial === undefined ? "" : ` from ${this.text(initial)}`;
    return `${reduce}[${ranges}${only}${from}](${bare(this.text(body))})`;
  }
}

/** Without the parentheses around the whole. */
function bare(text: string): string {
  if (!text.startsWith("(") || !text.endsWith(")")) return text;
  let depth = 0;
  for (let i = 0; i < text.length - 1; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    if (depth === 0) return text;
  }
  return text.slice(1, -1);
}
