/** @file How call targets are named in printed programs. */

/**
 * Where a target lives: an operator of PyTorch's dispatcher, a function of Python or one of torch.
 */
export type TargetKind = "operator" | "higher_order" | "python" | "math" | "builtin" | "torch";

export function targetKind(target: string): TargetKind {
  if (target.startsWith("aten.")) return "operator";
  switch (target.slice(0, target.indexOf("."))) {
    case "operator":
      return "python";
    case "math":
      return "math";
    case "builtins":
      return "builtin";
    case "torch":
      return "torch";
    case "higher_order":
      return "higher_order";
    default:
      return "operator";
  }
}

/** Functions that torch names otherwise than the module attribute they are reached by. */
const RENAMED: Readonly<Record<string, string>> = { "torch.sym_sqrt": "torch._sym_sqrt" };

/**
 * Returns the target as `str(graph)` names it: `torch.ops.aten.add.Tensor`, `operator.getitem`,
 * `math.ceil`.
 */
export function graphTarget(target: string): string {
  switch (targetKind(target)) {
    case "operator":
    case "higher_order":
      return `torch.ops.${target}`;
    case "torch":
      return RENAMED[target] ?? target;
    default:
      return target;
  }
}

/** Python operators that print as syntax. */
export const INFIX: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: "+",
    sub: "-",
    mul: "*",
    floordiv: "//",
    truediv: "/",
    div: "/",
    mod: "%",
    pow: "**",
    lshift: "<<",
    rshift: ">>",
    and_: "&",
    or_: "|",
    xor: "^",
    matmul: "@",
    eq: "==",
    ne: "!=",
    lt: "<",
    gt: ">",
    le: "<=",
    ge: ">=",
  }).map(([name, sign]) => [`operator.${name}`, sign]),
);

export const PREFIX: ReadonlyMap<string, string> = new Map([
  ["operator.pos", "+"],
  ["operator.neg", "-"],
  ["operator.invert", "~"],
]);

/** Returns a dotted path below `base`; parts that are not identifiers go through `getattr`. */
export function attributePath(base: string, target: string): string {
  let text = base;
  for (const part of target.split(".")) {
    text = /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(part)
      ? `${text}.${part}`
      : `getattr(${text}, "${part}")`;
  }
  return text;
}
