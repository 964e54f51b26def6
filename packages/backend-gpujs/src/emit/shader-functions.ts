/**
 * @file Functions that are inaccurate in shaders near zero: computed by polynomials there, by
 * exponentials elsewhere.
 */
import type { ScalarFn } from "@sconce/codegen";

/** Writes a function of `x`; `local` gives an expression a name, so that it is computed once. */
type Write = (x: string, local: (expression: string) => string) => string;

/**
 * `x * (1 + x^2 * (...))` for odd functions, which keeps the sign of a zero, from the coefficients
 * of `x^3`, `x^5`, ...
 */
const odd = (x: string, square: string, coefficients: readonly number[]): string =>
  `(${x} * (1 + ${square} * ${polynomial(square, coefficients)}))`;
/** Coefficients from the lowest power. */
const polynomial = (x: string, coefficients: readonly number[]): string =>
  coefficients.reduceRight((sum, c) => (sum === "" ? number(c) : `(${number(c)} + ${x} * ${sum})`), "");
const number = (value: number): string => (value < 0 ? `(-${-value})` : String(value));

/** Replacements of `Math`'s functions; NaN and infinities come out as they should. */
export const SHADER_FUNCTIONS: Partial<Record<ScalarFn, Write>> = {
  expm1: (x, local) => {
    const series = polynomial(x, [1, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040]);
    return `(Math.abs(${x}) < 0.4 ? ${x} * ${series} : ${local(`Math.exp(${x})`)} - 1)`;
  },
  log1p: (x, local) => {
    const s = local(`${x} / (2 + ${x})`);
    const square = local(`${s} * ${s}`);
    return `(Math.abs(${x}) < 0.3 ? 2 * ${odd(s, square, [1 / 3, 1 / 5, 1 / 7, 1 / 9])} : Math.log(1 + ${x}))`;
  },
  sinh: (x, local) => {
    const square = local(`${x} * ${x}`);
    const series = odd(x, square, [1 / 6, 1 / 120, 1 / 5040, 1 / 362880]);
    return `(Math.abs(${x}) < 1 ? ${series} : 0.5 * (Math.exp(${x}) - Math.exp(-${x})))`;
  },
  tanh: (x, local) => {
    const square = local(`${x} * ${x}`);
    const series = odd(x, square, [-1 / 3, 2 / 15, -17 / 315, 62 / 2835, -1382 / 155925]);
    // Beyond 10 it is 1 in float32; exponentials would overflow.
    const near = local(`${x} > 10 ? 10 : (${x} < -10 ? -10 : ${x})`);
    return `(Math.abs(${x}) < 0.4 ? ${series} : 1 - 2 / (Math.exp(2 * ${near}) + 1))`;
  },
};
