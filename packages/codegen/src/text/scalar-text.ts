/** @file Scalars as readable text, which is also what equality of indices read from tensors rests on. */
import type { Scalar } from "../ir/scalar.js";

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

/** The expression as text: `max((b0[i0*4 + i1] + b1[i1]), 0)`. */
export function scalarText(scalar: Scalar): string {
  const known = KNOWN.get(scalar);
  if (known !== undefined) return known;
  const text = write(scalar);
  KNOWN.set(scalar, text);
  return text;
}

function write(scalar: Scalar): string {
  switch (scalar.kind) {
    case "constant":
      return Object.is(scalar.value, -0) ? "-0" : String(scalar.value);
    case "index":
      return scalar.index.text;
    case "load":
      return `b${scalar.buffer}[${bare(scalar.index.text)}]`;
    case "cast":
      return `${scalar.dtype}(${bare(scalarText(scalar.value))})`;
    case "select":
      return `(${scalarText(scalar.condition)} ? ${scalarText(scalar.then)} : ${scalarText(scalar.otherwise)})`;
    case "call": {
      const infix = INFIX[scalar.fn];
      const args = scalar.args.map(scalarText);
      if (infix !== undefined && args.length === 2) return `(${args[0]} ${infix} ${args[1]})`;
      return `${scalar.fn}(${args.map(bare).join(", ")})`;
    }
    case "reduce": {
      const axes = scalar.axes.map(({ name, extent }) => `${name} < ${extent.text}`).join(", ");
      const when = scalar.when === undefined ? "" : ` if ${scalarText(scalar.when)}`;
      const initial = scalar.initial === undefined ? "" : ` from ${scalarText(scalar.initial)}`;
      return `${scalar.reduce}[${axes}${when}${initial}](${bare(scalarText(scalar.body))})`;
    }
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
