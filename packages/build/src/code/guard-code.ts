/** @file Guards of a program as conditions of JavaScript over its inputs. */

import { scriptString } from "@sconce/errors";
import { foldGuard, type GuardNode, type GuardSource, printGuard } from "@sconce/symbolic";
import { Code } from "./code.js";
import { guardNotWritten } from "./errors.js";

const COMPARE: Readonly<Record<string, string>> = { "==": "===", "!=": "!==" };
const CALLS: Readonly<Record<string, string>> = {
  max: "Math.max",
  "torch.sym_max": "Math.max",
  min: "Math.min",
  "torch.sym_min": "Math.min",
  abs: "Math.abs",
  "math.floor": "Math.floor",
  "math.ceil": "Math.ceil",
  "math.trunc": "Math.trunc",
  int: "Math.trunc",
  float: "Number",
  "torch.sym_float": "Number",
  "math.sqrt": "Math.sqrt",
  "torch._sym_sqrt": "Math.sqrt",
  "math.isnan": "Number.isNaN",
};

/**
 * Returns a guard as its text and a function of the inputs, which are shapes and numbers.
 * @param find the position of the input that a source reads
 * @throws SconceError `BUILD_UNSUPPORTED`
 */
export function guardCode(
  guard: GuardNode,
  find: (source: GuardSource) => number | undefined,
): readonly [string, Code] {
  const text = printGuard(guard);
  const refuse = (): never => {
    throw guardNotWritten(text);
  };
  const test = foldGuard<string>(guard, {
    source: (source) => {
      const at = find(source);
      const { property, index = 0 } = source;
      if (at === undefined) return refuse();
      if (property === undefined) return `g[${at}]`;
      if (property === "size") return `g[${at}][${index}]`;
      return property === "stride" ? `stride(g[${at}],${index})` : "0";
    },
    number: ({ value, exact }) =>
      exact === undefined ? (value < 0 ? `(${value})` : String(value)) : `${exact}n`,
    constant: (value) => (typeof value === "string" ? scriptString(value) : String(value)),
    not: (operand) => `!(${operand})`,
    negate: (operand) => `(-${operand})`,
    binary: (op, left, right) => {
      if (op === "//") return `div(${left},${right})`;
      if (op === "%") return `mod(${left},${right})`;
      if (op === "/") return `quotient(${left},${right})`;
      return op === "**" ? `(${left}**${right})` : `$(${left}${op}${right})`;
    },
    compare: (op, left, right) => `(${left}${COMPARE[op] ?? op}${right})`,
    and: (parts) => `(${parts.map((part) => part()).join("&&")})`,
    or: (parts) => `(${parts.map((part) => part()).join("||")})`,
    conditional: (condition, then, otherwise) => `(${condition()}?${then()}:${otherwise()})`,
    call: ({ fn }, args) => {
      const name = CALLS[fn];
      return name === undefined ? refuse() : `${name}(${args.join(",")})`;
    },
  });
  return [text, new Code(`(g,{$,div,mod,quotient,stride})=>${test}`)];
}
