/**
 * @file Expressions as PyTorch writes them in guards (`ShapeGuardPythonPrinter`,
 * `torch/utils/_sympy/printers.py`).
 */
import type { SymExpr } from "../expr.js";

/** Precedences of sympy's printers. */
const LEVEL = { relational: 35, add: 40, mul: 50, atom: 1000 } as const;

const RELATIONS: Readonly<Record<string, readonly [symbol: string, level: number]>> = {
  Equality: ["==", LEVEL.mul],
  Unequality: ["!=", LEVEL.mul],
  StrictLessThan: ["<", LEVEL.relational],
  LessThan: ["<=", LEVEL.relational],
  StrictGreaterThan: [">", LEVEL.relational],
  GreaterThan: [">=", LEVEL.relational],
};

/** Quotients and remainders bind like relations, so that they stand in parentheses. */
const DIVISIONS: Readonly<Record<string, string>> = {
  FloorDiv: "//",
  CleanDiv: "//",
  Mod: "%",
  PythonMod: "%",
  IntTrueDiv: "/",
};

const CALLS: Readonly<Record<string, string>> = {
  FloorToInt: "math.floor",
  CeilToInt: "math.ceil",
  TruncToInt: "math.trunc",
  ToFloat: "torch.sym_float",
};

const FOLDED: Readonly<Record<string, string>> = { Max: "torch.sym_max", Min: "torch.sym_min" };

/**
 * Returns the text of a condition on input sizes:
 * `(L['x'].size()[0] + (-1)*(L['x'].size()[0] // 2)) != 0`. Undefined where a symbol has no source,
 * or an operator is not one of sizes.
 */
export function printGuardExpr(
  expr: SymExpr,
  sourceOf: (symbol: string) => string | undefined,
): string | undefined {
  let known = true;
  const print = (e: SymExpr): string => {
    const nested = (arg: SymExpr, level: number): string =>
      levelOf(arg) <= level ? `(${print(arg)})` : print(arg);
    const relation = RELATIONS[e.op];
    if (relation !== undefined) return e.args.map((arg) => nested(arg, relation[1])).join(` ${relation[0]} `);
    if (e.op === "Add") return e.args.map((arg) => nested(arg, LEVEL.add)).join(" + ");
    if (e.op === "Mul") return e.args.map((arg) => nested(arg, LEVEL.mul)).join("*");
    const division = DIVISIONS[e.op];
    if (division !== undefined)
      return e.args.map((arg) => nested(arg, LEVEL.atom - 0.5)).join(` ${division} `);
    if (e.op === "Integer") return String(e.value);
    if (e.op === "Float") return Number.isInteger(e.value) ? `${e.value}.0` : String(e.value);
    const call = CALLS[e.op];
    if (call !== undefined) return `${call}(${print(e.args[0]!)})`;
    const folded = FOLDED[e.op];
    if (folded !== undefined)
      return e.args.map(print).reduceRight((rest, arg) => `${folded}(${arg}, ${rest})`);
    const source = e.op === "Symbol" ? sourceOf(e.name) : undefined;
    known &&= source !== undefined;
    return source ?? "";
  };
  const text = print(expr);
  return known ? text : undefined;
}

function levelOf(e: SymExpr): number {
  if (e.op in DIVISIONS) return LEVEL.relational;
  if (e.op === "Add") return LEVEL.add;
  if (e.op === "Mul")
    return e.args.some((arg) => arg.op in DIVISIONS) || !isNegative(e) ? LEVEL.mul : LEVEL.add;
  return isNegative(e) ? LEVEL.add : LEVEL.atom;
}

const isNegative = (e: SymExpr): boolean =>
  e.op === "Integer"
    ? Number(e.value) < 0
    : e.op === "Mul" && e.args[0]!.op === "Integer" && isNegative(e.args[0]!);
