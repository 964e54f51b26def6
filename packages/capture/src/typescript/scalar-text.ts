/** @file Arithmetic and comparisons of sizes, as the functions of `sym`. */
import type { Argument } from "@sconce/ir";

const FUNCTIONS: Readonly<Record<string, string>> = {
  "operator.add": "add",
  "operator.sub": "sub",
  "operator.mul": "mul",
  "operator.truediv": "trueDiv",
  "operator.floordiv": "floorDiv",
  "operator.mod": "mod",
  "operator.pow": "pow",
  "operator.neg": "neg",
  "operator.abs": "abs",
  "operator.eq": "eq",
  "operator.ne": "ne",
  "operator.lt": "lt",
  "operator.le": "le",
  "operator.gt": "gt",
  "operator.ge": "ge",
  "operator.and_": "and",
  "operator.or_": "or",
  "math.ceil": "ceil",
  "math.floor": "floor",
  "math.trunc": "trunc",
  "builtins.round": "round",
  "torch.sym_max": "max",
  "torch.sym_min": "min",
  "torch.sym_int": "int",
  "torch.sym_float": "float",
  "torch.sym_not": "not",
  "torch.sym_ite": "ite",
  "torch._sym_sqrt": "sqrt",
};

/**
 * Returns the function of `sym` for a function on Python's scalars; undefined where `sym` has none.
 */
export function scalarFunction(target: string, args: readonly Argument[]): string | undefined {
  // `round(a, digits)` has no counterpart.
  if (target === "builtins.round" && args.length > 1) return undefined;
  return Object.hasOwn(FUNCTIONS, target) ? FUNCTIONS[target] : undefined;
}
