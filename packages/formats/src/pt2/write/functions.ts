/** @file Functions of Python that graphs call, and how files have them. */

/** Reads an item of the results of a call; files have none, but names for the results. */
export const GETITEM = "operator.getitem";

const BINARY = ["a", "b"];
/**
 * Functions on symbolic scalars that PyTorch writes, with the names of their parameters in Python.
 */
export const SYMBOLIC_PARAMETERS: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ new Map([
  ...[
    "eq",
    "ne",
    "le",
    "ge",
    "lt",
    "gt",
    "mul",
    "add",
    "sub",
    "floordiv",
    "mod",
    "pow",
    "truediv",
    "and_",
  ].map((name): [string, string[]] => [`operator.${name}`, BINARY]),
  ...["or_", "lshift", "rshift"].map((name): [string, string[]] => [`operator.${name}`, BINARY]),
  ["operator.neg", ["a"]],
  ["operator.pos", ["a"]],
  ["math.trunc", ["x"]],
  ["torch.sym_not", ["a"]],
  ["torch.sym_int", ["a"]],
  ["torch.sym_float", ["a"]],
  ["torch.sym_ite", ["b", "t", "f"]],
  ["torch.sym_max", ["a", "b"]],
  ["torch.sym_min", ["a", "b"]],
  ["torch.sym_sqrt", ["a"]],
  ["torch._sym_sqrt", ["a"]],
]);
