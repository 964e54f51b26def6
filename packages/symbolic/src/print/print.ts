import { node, type SymExpr } from "../expr/expr.js";
import { step } from "../expr/meter.js";
import { bigOf, integer, isNegative, isNumber, isOne, isRational, negateNumber } from "../expr/number.js";
import { compareDefault, orderedFactors, orderedTerms, splitCoefficient, splitPower } from "../expr/order.js";
import { STRENGTH, strength } from "./strength.js";

const wrap = (e: SymExpr, level: number): string =>
  strength(e) <= level ? `(${text(e, true)})` : text(e, true);

/** PyTorch's text of an expression: sympy's string form with torch's function printers. */
export function printNode(e: SymExpr): string {
  return text(e, false);
}

function text(e: SymExpr, nested: boolean): string {
  step();
  switch (e.op) {
    case "Integer":
      return String(e.value);
    case "Rational":
      return `${e.value}/${e.den}`;
    case "Float":
      return printFloat(e.value as number, 15, nested);
    case "Symbol":
      return e.name;
    case "True":
    case "False":
      return e.op;
    case "Add":
      return sumText(e);
    case "Mul":
      return productText(e);
    case "Pow":
      return powerText(e);
    case "FloorDiv":
    case "CleanDiv": {
      const [base, divisor] = e.args.map((arg) => wrap(arg, STRENGTH.atom - 0.5));
      return `(${base}//${divisor})`;
    }
    case "Equality":
      return `Eq(${list(e.args)})`;
    case "Unequality":
      return `Ne(${list(e.args)})`;
    case "StrictLessThan":
    case "LessThan":
    case "StrictGreaterThan":
    case "GreaterThan":
      return `${wrap(e.args[0]!, STRENGTH.relation)} ${SIGN[e.op]} ${wrap(e.args[1]!, STRENGTH.relation)}`;
    case "And":
      return e.args.map((arg) => wrap(arg, STRENGTH.bitAnd)).join(" & ");
    case "Or":
      return e.args.map((arg) => wrap(arg, STRENGTH.bitOr)).join(" | ");
    case "Not":
      return `~${wrap(e.args[0]!, STRENGTH.not)}`;
    case "Max":
    case "Min":
      return `${e.op}(${list([...e.args].sort(compareDefault))})`;
    case "ExprCondPair":
      return `(${list(e.args)})`;
    case "Identity":
      return `(${text(e.args[0]!, true)})`;
    default:
      return `${e.op}(${list(e.args)})`;
  }
}

const SIGN = { StrictLessThan: "<", LessThan: "<=", StrictGreaterThan: ">", GreaterThan: ">=" } as const;
const list = (args: readonly SymExpr[]): string => args.map((arg) => text(arg, true)).join(", ");

function sumText(e: SymExpr): string {
  const own = STRENGTH.sum;
  let result = "";
  orderedTerms(e).forEach((term, i) => {
    let t = text(term, true);
    if (term.op === "Symbol") {
      result += i === 0 ? t : ` + ${t}`;
      return;
    }
    let sign = "+";
    if (t.startsWith("-") && term.op !== "Add") [sign, t] = ["-", t.slice(1)];
    if (strength(term) < own || term.op === "Add") t = `(${t})`;
    if (i === 0) result = sign === "-" ? `-${t}` : t;
    else result += ` ${sign} ${t}`;
  });
  return result;
}

function productText(e: SymExpr): string {
  const level = strength(e);
  const [coefficient, rest] = splitCoefficient(e);
  const sign = isNegative(coefficient) ? "-" : "";
  const positive = sign === "" ? coefficient : negateNumber(coefficient);
  const above: SymExpr[] = [];
  const below: SymExpr[] = [];
  if (isRational(positive)) {
    const numerator = integer(BigInt(positive.value));
    if (!isOne(numerator)) above.push(numerator);
    if (positive.op === "Rational") below.push(integer(positive.den));
  } else above.push(positive);
  for (const factor of orderedFactors(rest)) {
    const [base, exponent] = splitPower(factor);
    if (factor.op === "Pow" && isNumber(exponent) && isNegative(exponent)) {
      const opposite = negateNumber(exponent);
      below.push(isOne(opposite) ? base : node("Pow", [base, opposite]));
    } else above.push(factor);
  }
  const over = above.length === 0 ? "1" : above.map((factor) => wrap(factor, level)).join("*");
  if (below.length === 0) return sign + over;
  const under = below.map((factor) => wrap(factor, level)).join("*");
  return `${sign}${over}/${below.length === 1 ? under : `(${under})`}`;
}

function powerText(e: SymExpr): string {
  const [base, exponent] = splitPower(e);
  if (exponent.op === "Rational" && exponent.value === 1n && exponent.den === 2n)
    return `sqrt(${text(base, true)})`;
  if (exponent.op === "Integer" && bigOf(exponent) === -1n) return `1/${wrap(base, STRENGTH.power)}`;
  return `${wrap(base, STRENGTH.power)}**${wrap(exponent, STRENGTH.power)}`;
}

/**
 * mpmath's decimal text of a double with so many significant digits; trailing zeros go when
 * `strip`.
 */
export function printFloat(value: number, digits: number, strip: boolean): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-oo" : "oo";
  if (value === 0) return "0.0";
  const [mantissa, power] = Math.abs(value)
    .toExponential(digits - 1)
    .split("e") as [string, string];
  const exponent = Number(power);
  const plain = mantissa.replace(".", "");
  const sign = value < 0 ? "-" : "";
  let body: string;
  if (exponent > -5 && exponent < digits) {
    body =
      exponent < 0
        ? `0.${"0".repeat(-exponent - 1)}${plain}`
        : `${plain.slice(0, exponent + 1)}.${plain.slice(exponent + 1)}`;
    return sign + (strip ? stripZeros(body) : body);
  }
  body = strip ? stripZeros(mantissa) : mantissa;
  return `${sign}${body}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

const stripZeros = (body: string): string => {
  const short = body.includes(".") ? body.replace(/0+$/, "") : body;
  return short.endsWith(".") ? `${short}0` : short;
};
