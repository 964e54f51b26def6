import { float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { runScalarFunction } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { HELPERS } from "../runtime/sizes.js";
import { type ScalarCode, scalarCode } from "./scalar-code.js";

const domain = (value: number): number => value;

/** Returns the code of a literal, as programs hold it. */
function codeOf(value: ScalarLiteral): ScalarCode {
  if (typeof value === "boolean") return { kind: "bool", text: String(value) };
  const isInt = typeof value === "number" && Number.isInteger(value);
  return { kind: isInt ? "int" : "float", text: `(${toNumber(value)})` };
}

/** Runs code as a module does. */
function run(text: string): unknown {
  const { $, div, mod, quotient } = HELPERS;
  return new Function("$", "div", "mod", "quotient", "domain", `return ${text}`)(
    $,
    div,
    mod,
    quotient,
    domain,
  );
}

const NUMBERS: readonly ScalarLiteral[] = [-7, -1, 1, 2, 12, float(3), 0.5, -2.25, true, false];

describe("functions of numbers as code", () => {
  const binary = ["add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge"];
  test.each([
    ...binary.map((name) => `operator.${name}`),
    ...["torch.sym_max", "torch.sym_min", "operator.and_", "operator.or_", "operator.xor"],
  ])("%s has Python's kind and value", (target) => {
    let compared = 0;
    for (const a of NUMBERS)
      for (const b of NUMBERS) {
        const code = scalarCode(target, [codeOf(a), codeOf(b)]);
        if (code === undefined || toNumber(b) === 0) continue;
        const want = runScalarFunction(target, [a, b]);
        const plain = (value: unknown): unknown => (typeof value === "number" ? value + 0 : value);
        const value = typeof want === "boolean" ? want : toNumber(want);
        expect(plain(run(code.text)), `${target}(${String(a)}, ${String(b)})`).toBe(plain(value));
        const kind = typeof want === "boolean" ? "bool" : typeof want === "number" ? undefined : "float";
        if (kind !== undefined) expect(code.kind).toBe(kind);
        compared++;
      }
    expect(compared).toBeGreaterThan(1);
  });

  test.each([
    ...["operator.neg", "operator.abs", "operator.not_", "torch.sym_not", "torch.sym_float"],
    ...["math.ceil", "math.floor", "math.trunc", "torch.sym_int", "builtins.bool"],
  ])("%s has Python's value", (target) => {
    for (const a of NUMBERS) {
      const want = runScalarFunction(target, [a]);
      const got = run(scalarCode(target, [codeOf(a)])!.text);
      expect(Number(got) + 0, `${target}(${String(a)})`).toBe(Number(toNumber(want)) + 0);
    }
  });

  test("powers of integers are products, and are refused from 2^53 on", () => {
    const power = (base: ScalarLiteral, exponent: number): ScalarCode | undefined =>
      scalarCode("operator.pow", [codeOf(base), { kind: "int", text: String(exponent) }]);
    for (const [base, exponent] of [
      [3, 0],
      [-7, 3],
      [2, 52],
      [true, 2],
    ] as const)
      expect(run(power(base, exponent)!.text)).toBe(runScalarFunction("operator.pow", [base, exponent]));
    expect(() => run(power(2, 53)!.text)).toThrow("no integer");
    expect(power(0.5, 2)).toBeUndefined();
    expect(power(2, 65)).toBeUndefined();
  });

  test("integers stay exact or are refused, and a division by zero is refused", () => {
    const large = { kind: "int", text: "9007199254740993n" } as const;
    const one = codeOf(1);
    expect(run(scalarCode("operator.gt", [large, one])!.text)).toBe(true);
    expect(() => run(scalarCode("operator.add", [large, one])!.text)).toThrow("no integer below 2^53");
    expect(() => run(scalarCode("operator.truediv", [one, codeOf(0)])!.text)).toThrow("divided by zero");
    expect(scalarCode("operator.matmul", [one, one])).toBeUndefined();
  });
});
