/**
 * @file Expressions as PyTorch writes them in guards (`ShapeGuardPythonPrinter`,
 * `torch/fx/experimental/symbolic_shapes.py`).
 */
import { lift, type SymValue } from "../algebra/algebra.js";
import { badOperand } from "../expr/errors.js";
import type { SymExpr } from "../expr/expr.js";
import { STRENGTH, strength } from "../print/strength.js";
import { GUARD_FUNCTIONS } from "./ast.js";
import { printPythonFloat } from "./print.js";

const NEARLY_ATOM = STRENGTH.atom - 0.5;

const RELATIONS: Readonly<Record<string, string>> = {
  Equality: "==",
  Unequality: "!=",
  StrictLessThan: "<",
  LessThan: "<=",
  StrictGreaterThan: ">",
  GreaterThan: ">=",
  And: "and",
  Or: "or",
};

const DIVISIONS: Readonly<Record<string, string>> = {
  FloorDiv: "//",
  CleanDiv: "//",
  Mod: "%",
  PythonMod: "%",
  IntTrueDiv: "/",
};

const CALLS: Readonly<Record<string, string>> = {
  FloorToInt: "math.floor",
  TruncToInt: "math.trunc",
  CeilToInt: "math.ceil",
  RoundToInt: "round",
  RoundDecimal: "round",
  ToFloat: "torch.sym_float",
  Abs: "abs",
  OpaqueUnaryFn_sqrt: "torch._sym_sqrt",
};

/** Functions of two values: `torch.sym_max(a, torch.sym_max(b, c))`. */
const FOLDED: Readonly<Record<string, string>> = { Max: "torch.sym_max", Min: "torch.sym_min" };

/**
 * Returns the text of a condition or a size, as PyTorch writes it into `guards_code`:
 * `(L['x'].size()[0] // 2) != 1`, `((-1) + L['x'].size()[0]) >= 2`. Undefined where a symbol has no
 * source.
 *
 * @param sourceOf names the input that a symbol represents
 * @throws SconceError `SYM_OPERAND`: an operator has no Python form
 */
export function printGuardExpr(
  value: SymValue,
  sourceOf: (symbol: string) => string | undefined,
): string | undefined {
  let known = true;
  const text = textOf(lift(value), (symbol) => {
    const source = sourceOf(symbol);
    known &&= source !== undefined;
    return source ?? "";
  });
  return known ? text : undefined;
}

function textOf(e: SymExpr, sourceOf: (symbol: string) => string): string {
  const text = (arg: SymExpr): string => textOf(arg, sourceOf);
  const wrap = (arg: SymExpr, level: number): string =>
    strength(arg) <= level ? `(${text(arg)})` : text(arg);
  const list = (separator: string, level: number): string =>
    e.args.map((arg) => wrap(arg, level)).join(separator);
  if (Object.hasOwn(RELATIONS, e.op)) return list(` ${RELATIONS[e.op]} `, strength(e));
  if (Object.hasOwn(DIVISIONS, e.op)) return list(` ${DIVISIONS[e.op]} `, NEARLY_ATOM);
  if (Object.hasOwn(FOLDED, e.op))
    return e.args.map(text).reduceRight((rest, arg) => `${FOLDED[e.op]}(${arg}, ${rest})`);
  switch (e.op) {
    case "Integer":
      return String(e.value);
    case "Rational":
      return `${e.value}/${e.den}`;
    case "Float":
      return printPythonFloat(Number(e.value));
    case "Symbol":
      return sourceOf(e.name);
    case "True":
    case "False":
      return e.op;
    case "Add":
      return list(" + ", STRENGTH.sum);
    case "Mul":
      return list("*", strength(e));
    case "Pow":
      return powerText(e, wrap);
    case "PowByNatural":
    case "FloatPow":
      return list(" ** ", STRENGTH.power);
    case "ModularIndexing": {
      const [base, divisor, modulus] = e.args.map((arg) => wrap(arg, NEARLY_ATOM));
      return divisor === "1" ? `(${base} % ${modulus})` : `((${base} // ${divisor}) % ${modulus})`;
    }
    case "FloatTrueDiv":
      return `(${list(" / ", NEARLY_ATOM)})`;
    case "Not":
      return `not (${text(e.args[0]!)})`;
    case "Identity":
      return text(e.args[0]!);
    case "Piecewise":
      return conditional(e, text);
    default:
      return `${functionOf(e)}(${e.args.map(text).join(", ")})`;
  }
}

function functionOf({ op }: SymExpr): string {
  const name = Object.hasOwn(CALLS, op) ? CALLS[op]! : op.replace(/^OpaqueUnaryFn_/, "math.");
  if (GUARD_FUNCTIONS.has(name)) return name;
  throw badOperand(`${op} has no Python form`);
}

/** A power is written out as the product that it is. */
function powerText(e: SymExpr, wrap: (e: SymExpr, level: number) => string): string {
  const exponent = e.args[1]!;
  if (exponent.op !== "Integer" || exponent.value < 1 || exponent.value > 64)
    throw badOperand("a power that has no Python form");
  return new Array<string>(Number(exponent.value)).fill(wrap(e.args[0]!, STRENGTH.product)).join("*");
}

function conditional(e: SymExpr, text: (e: SymExpr) => string): string {
  return e.args.reduceRight((otherwise, pair) => {
    const [value, condition] = [pair.args[0]!, pair.args[1]!];
    if (condition.op === "True") return text(value);
    return otherwise === "" ? text(value) : `(${text(value)} if ${text(condition)} else ${otherwise})`;
  }, "");
}
