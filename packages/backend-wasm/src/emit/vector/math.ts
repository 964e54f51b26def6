/**
 * @file Functions of four float32. Coefficients are near-minimax fits for these intervals. Errors
 * are in units of the last place against float64, the greatest of dense samples; `math.test.ts`
 * holds them.
 */
import type { MathFunction } from "./lines.js";
import { floorDivide, fmod, remainder } from "./math-divisions.js";
import { cos, pow, sin, tan } from "./math-doubles.js";
import { acos, acosh, asin, asinh, atan, atanh, cosh, sinh } from "./math-inverse.js";
import { erf, exp, exp2, expm1, log, log1p, log2, log10, sigmoid, tanh } from "./math-powers.js";

/** Functions with code of four lanes. */
export const MATH: ReadonlyMap<string, MathFunction> = new Map<string, MathFunction>([
  ["exp", exp],
  ["exp2", exp2],
  ["expm1", expm1],
  ["log", log],
  ["log2", log2],
  ["log10", log10],
  ["log1p", log1p],
  ["tanh", tanh],
  ["sigmoid", sigmoid],
  ["erf", erf],
  ["sin", sin],
  ["cos", cos],
  ["tan", tan],
  ["pow", pow],
  ["atan", atan],
  ["asin", asin],
  ["acos", acos],
  ["sinh", sinh],
  ["cosh", cosh],
  ["asinh", asinh],
  ["acosh", acosh],
  ["atanh", atanh],
  ["fmod", fmod],
  ["remainder", remainder],
  ["floor_div", floorDivide],
]);
/** Those of them with two operands. */
export const BINARY_MATH: ReadonlySet<string> = new Set(["pow", "fmod", "remainder", "floor_div"]);
/** Those of them that call the imported function of the same name for some values. */
export const CALLS_HOST: ReadonlySet<string> = new Set([
  ...["sin", "cos", "tan", "pow", "fmod", "remainder", "floor_div"],
]);

/** The greatest errors that were found, rounded up, in units of the last place. */
export const ULPS: ReadonlyMap<string, number> = new Map([
  ["exp", 1],
  ["exp2", 1.1],
  ["expm1", 1.5],
  ["log", 1],
  ["log2", 2],
  ["log10", 2],
  ["log1p", 1.5],
  ["tanh", 3],
  ["sigmoid", 2.5],
  ["erf", 1.5],
  ["sin", 1.5],
  ["cos", 1.5],
  ["tan", 3],
  ["pow", 1],
  ["atan", 2.5],
  ["asin", 2.5],
  ["acos", 1.5],
  ["sinh", 2],
  ["cosh", 2],
  ["asinh", 2],
  ["acosh", 2],
  ["atanh", 2],
]);
