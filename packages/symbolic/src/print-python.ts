import { checkOptions, type OptionNames } from "@sconce/errors";
import { lift, type SymValue } from "./algebra.js";
import { badOperand } from "./errors.js";
import type { SymExpr } from "./expr.js";
import { printFloat } from "./print.js";
import { STRENGTH, strength } from "./strength.js";

const NEARLY_ATOM = STRENGTH.atom - 0.5;

const SIGN: Readonly<Record<string, string>> = {
  Equality: "==",
  Unequality: "!=",
  StrictLessThan: "<",
  LessThan: "<=",
  StrictGreaterThan: ">",
  GreaterThan: ">=",
};

/** How `printPython` writes; PyTorch has one printer for code and one for guards. */
export interface PythonStyle {
  /**
   * Writes `torch.sym_max(a, torch.sym_max(b, c))` for `max(a, b, c)`, as guards do.
   *
   * @defaultValue false
   */
  readonly guard?: boolean;
}

const STYLE: OptionNames<PythonStyle> = { guard: true };

const FOLDED: Readonly<Record<string, string>> = { Max: "torch.sym_max", Min: "torch.sym_min" };

const DIVISIONS: Readonly<Record<string, string>> = {
  FloorDiv: "//",
  CleanDiv: "//",
  Mod: "%",
  PythonMod: "%",
  IntTrueDiv: "/",
};

const FUNCTIONS: Readonly<Record<string, string>> = {
  FloorToInt: "math.floor",
  TruncToInt: "math.trunc",
  CeilToInt: "math.ceil",
  RoundToInt: "round",
  ToFloat: "torch.sym_float",
  Max: "max",
  Min: "min",
  Abs: "abs",
  OpaqueUnaryFn_sqrt: "torch._sym_sqrt",
  RoundDecimal: "round",
};

/** Returns a float as Python's `repr` writes it. */
function pythonNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
  return String(value).replace(/e([+-])(\d)$/, "e$10$2");
}

/**
 * Returns the Python source of a value as PyTorch writes it into `guards_code`:
 * `(L['x'].size()[0] // 2) != 1`, `(-1) + L['x'].size()[0] >= 2`. `sourceOf` names the input that a
 * symbol represents.
 */
export function printPython(
  value: SymValue,
  sourceOf: (symbol: string) => string,
  style: PythonStyle = {},
): string {
  checkOptions("printPython", style, STYLE);
  const list = (e: SymExpr, separator: string, level: number): string =>
    e.args.map((arg) => wrap(arg, level)).join(separator);
  const wrap = (e: SymExpr, level: number): string => (strength(e) <= level ? `(${text(e)})` : text(e));
  const text = (e: SymExpr): string => {
    if (Object.hasOwn(SIGN, e.op)) return list(e, ` ${SIGN[e.op]} `, strength(e));
    if (Object.hasOwn(DIVISIONS, e.op)) return list(e, ` ${DIVISIONS[e.op]} `, NEARLY_ATOM);
    if (Object.hasOwn(FUNCTIONS, e.op)) return callText(e, e.args.map(text), style);
    switch (e.op) {
      case "Integer":
        return String(e.value);
      case "Rational":
        return `${e.value}/${e.den}`;
      case "Float":
        return style.guard === true
          ? pythonNumber(e.value as number)
          : printFloat(e.value as number, 17, false);
      case "Symbol":
        return sourceOf(e.name);
      case "True":
      case "False":
        return e.op;
      case "Add":
        return list(e, " + ", STRENGTH.sum);
      case "Mul":
        return list(e, "*", strength(e));
      case "Pow":
        return powerText(e, wrap);
      case "ModularIndexing": {
        const [base, divisor, modulus] = e.args.map((arg) => wrap(arg, NEARLY_ATOM));
        return divisor === "1" ? `(${base} % ${modulus})` : `((${base} // ${divisor}) % ${modulus})`;
      }
      case "FloatTrueDiv":
        return `(${list(e, " / ", NEARLY_ATOM)})`;
      case "PowByNatural":
      case "FloatPow":
        return list(e, " ** ", STRENGTH.power);
      case "And":
        return list(e, " and ", strength(e));
      case "Or":
        return list(e, " or ", strength(e));
      case "Not":
        return `not (${text(e.args[0]!)})`;
      case "Identity":
        return text(e.args[0]!);
      case "Piecewise":
        return conditional(e, text);
      default:
        throw badOperand(`${e.op} has no Python form`);
    }
  };
  return text(lift(value));
}

function callText(e: SymExpr, args: readonly string[], { guard = false }: PythonStyle): string {
  const folded = guard ? FOLDED[e.op] : undefined;
  return folded === undefined
    ? `${FUNCTIONS[e.op]}(${args.join(", ")})`
    : args.reduceRight((rest, arg) => `${folded}(${arg}, ${rest})`);
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
