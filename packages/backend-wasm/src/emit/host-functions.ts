/**
 * @file Functions of float64 for which there is no WebAssembly code: kernels call those of the
 * reference.
 */
import { functionOf, type ScalarFn } from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import type { KernelImport } from "../kernel-code.js";

const UNARY: readonly ScalarFn[] = [
  ...(["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan"] as const),
  ...(["asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"] as const),
  "sigmoid",
];
const BINARY: readonly ScalarFn[] = ["pow", "atan2", "fmod", "remainder", "floor_div"];
const OPERANDS: ReadonlyMap<string, number> = new Map([
  ...UNARY.map((fn) => [fn, 1] as const),
  ...BINARY.map((fn) => [fn, 2] as const),
]);

/** Returns how many operands an imported function has; undefined where there is none. */
export const hostOperands = (fn: string): number | undefined => OPERANDS.get(fn);

/** Returns the declaration of an imported function. */
export function hostFunction(fn: string): KernelImport {
  const call = functionOf(fn as ScalarFn, "float64", "float64");
  const count = hostOperands(fn);
  if (call === undefined || count === undefined) throw internalError(`no function ${fn}`);
  return {
    name: fn,
    parameters: Array.from({ length: count }, () => "f64" as const),
    result: "f64",
    call: call as (...args: never[]) => number,
  };
}

/** Returns all imported functions by name: every thread has the same ones. */
export const hostFunctions = (): Readonly<Record<string, KernelImport["call"]>> =>
  Object.fromEntries([...OPERANDS.keys()].map((name) => [name, hostFunction(name).call]));
