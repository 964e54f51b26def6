/** @file Guards of a program as conditions of JavaScript over its inputs. */

import { scriptString } from "@sconce/errors";
import { foldGuard, type GuardNode, type GuardSource, printGuard } from "@sconce/symbolic";
import { Code, numberText } from "./code.js";
import { guardNotWritten } from "./errors.js";
import { type ScalarCode, type ScalarKind, scalarCode } from "./scalar-code.js";

const COMPARE: Readonly<Record<string, string>> = { "==": "===", "!=": "!==" };
/** Arithmetic and functions of guards by the names that graphs have for them. */
const TARGETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["math.floor", "math.ceil", "math.trunc", "torch.sym_max", "torch.sym_min", "torch.sym_float"].map(
      (name) => [name, name],
    ),
  ),
  "+": "operator.add",
  "-": "operator.sub",
  "*": "operator.mul",
  "/": "operator.truediv",
  "//": "operator.floordiv",
  "%": "operator.mod",
  max: "builtins.max",
  min: "builtins.min",
  abs: "operator.abs",
  int: "builtins.int",
  float: "builtins.float",
  neg: "operator.neg",
  if: "torch.sym_ite",
};

/** Functions of JavaScript, which give NaN where Python's have no value. */
const CALLS: Readonly<Record<string, string>> = {
  "math.sqrt": "Math.sqrt",
  "torch._sym_sqrt": "Math.sqrt",
  "math.isnan": "Number.isNaN",
};

/**
 * Returns a guard as its text and a function of the inputs, which are shapes and numbers.
 * @param find the position of the input that a source reads
 * @param kindOf what a number at a position is
 * @throws SconceError `BUILD_UNSUPPORTED`
 */
export function guardCode(
  guard: GuardNode,
  find: (source: GuardSource) => number | undefined,
  kindOf: (at: number) => ScalarKind = () => "int",
): readonly [string, Code] {
  const text = printGuard(guard);
  const refuse = (): never => {
    throw guardNotWritten(text);
  };
  const computed = (target: string, args: readonly ScalarCode[]): ScalarCode =>
    scalarCode(TARGETS[target] ?? "", args) ?? refuse();
  const truth = (code: string): ScalarCode => ({ kind: "bool", text: code });
  const real = (code: string): ScalarCode => ({ kind: "float", text: code });
  const joined = (parts: readonly (() => ScalarCode)[], operator: string): ScalarCode =>
    truth(`(${parts.map((part) => part().text).join(operator)})`);
  const test = foldGuard<ScalarCode>(guard, {
    source: (source) => {
      const at = find(source);
      const { property, index = 0 } = source;
      if (at === undefined) return refuse();
      if (property === undefined) return { kind: kindOf(at), text: `g[${at}]` };
      if (property === "size") return { kind: "int", text: `g[${at}][${index}]` };
      return { kind: "int", text: property === "stride" ? `stride(g[${at}],${index})` : "0" };
    },
    number: ({ value, float, exact }) => ({
      kind: float ? "float" : "int",
      text: exact === undefined ? numberText(value) : `${exact}n`,
    }),
    constant: (value) => truth(typeof value === "string" ? scriptString(value) : String(value)),
    not: ({ text: operand }) => truth(`!(${operand})`),
    negate: (operand) => computed("neg", [operand]),
    binary: (op, left, right) =>
      op === "**" ? real(`(${left.text}**${right.text})`) : computed(op, [left, right]),
    compare: (op, left, right) => truth(`(${left.text}${COMPARE[op] ?? op}${right.text})`),
    and: (parts) => joined(parts, "&&"),
    or: (parts) => joined(parts, "||"),
    conditional: (condition, then, otherwise) =>
      computed("if", [truth(condition().text), then(), otherwise()]),
    call: ({ fn }, args) => {
      const name = CALLS[fn];
      return name === undefined ? computed(fn, args) : real(`${name}(${args[0]!.text})`);
    },
  });
  return [text, new Code(`(g,{$,div,mod,quotient,stride})=>${test.text}`)];
}
