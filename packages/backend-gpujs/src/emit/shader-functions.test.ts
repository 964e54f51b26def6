import { expect, test } from "vitest";
import { SHADER_FUNCTIONS } from "./shader-functions.js";

/** The replacement as a JavaScript function, its locals inlined. */
function compiled(fn: keyof typeof SHADER_FUNCTIONS): (x: number) => number {
  const lines: string[] = [];
  const local = (expression: string): string => {
    const name = `t${lines.length}`;
    lines.push(`const ${name} = ${expression};`);
    return name;
  };
  const result = SHADER_FUNCTIONS[fn]!("x", local);
  return new Function("x", `${lines.join("\n")}\nreturn ${result};`) as (x: number) => number;
}

test.each(["expm1", "log1p", "sinh", "tanh"] as const)("%s is as exact as float32, near zero too", (fn) => {
  const [ours, exact] = [compiled(fn), Math[fn]];
  for (let at = -400; at <= 400; at++) {
    const x = fn === "log1p" ? at / 405 : at / 40;
    for (const near of [x, x / 1000]) {
      const want = exact(near);
      expect(Math.abs(ours(near) - want)).toBeLessThanOrEqual(2e-7 * Math.abs(want));
    }
  }
  for (const x of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    expect(Math.fround(ours(x))).toBe(exact(x));
  expect(ours(-0)).toBe(-0);
});
