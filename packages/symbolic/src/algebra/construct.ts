import { badOperand } from "../expr/errors.js";
import { node, type SymExpr } from "../expr/expr.js";
import { integer, isInteger, isNegative } from "../expr/number.js";
import { ceilDivNode, cleanDivNode, floorDivNode, modNode, modularIndexingNode } from "./division.js";
import { extremum } from "./extremum.js";
import {
  absNode,
  floatPowNode,
  opaqueNode,
  powByNaturalNode,
  roundDecimalNode,
  roundingNode,
  toFloatNode,
  trueDivNode,
} from "./float-op.js";
import { connective, negation, piecewise } from "./logic.js";
import { expandWith, power, product, sum } from "./polynomial.js";
import { relation } from "./relation.js";

type Build = (args: readonly SymExpr[]) => SymExpr;
interface Row {
  readonly min: number;
  readonly max: number;
  readonly build: Build;
}

const nullary = (build: Build, min = 0, max = Infinity): Row => ({ min, max, build });
const unary = (build: (a: SymExpr) => SymExpr): Row => nullary(([a]) => build(a!), 1, 1);
const binary = (build: (a: SymExpr, b: SymExpr) => SymExpr): Row => nullary(([a, b]) => build(a!, b!), 2, 2);
const ternary = (build: (a: SymExpr, b: SymExpr, c: SymExpr) => SymExpr): Row =>
  nullary(([a, b, c]) => build(a!, b!, c!), 3, 3);

const shiftFactor = (by: SymExpr): SymExpr => {
  if (isNegative(by)) throw badOperand("negative shift count");
  return powByNaturalNode(integer(2), by);
};

/** Every head that a file may name: how many arguments it takes, and its evaluating constructor. */
const ROWS: Readonly<Record<string, Row>> = {
  Add: nullary(sum),
  Mul: nullary(product),
  Pow: binary(power),
  FloorDiv: binary(floorDivNode),
  CleanDiv: binary(cleanDivNode),
  CeilDiv: binary(ceilDivNode),
  Mod: binary((a, b) => modNode(a, b, "Mod")),
  PythonMod: binary((a, b) => modNode(a, b, "PythonMod")),
  ModularIndexing: ternary(modularIndexingNode),
  PowByNatural: binary(powByNaturalNode),
  FloatPow: binary(floatPowNode),
  LShift: binary((a, b) => product([a, shiftFactor(b)])),
  RShift: binary((a, b) => floorDivNode(a, shiftFactor(b))),
  Max: nullary((args) => extremum("Max", args), 1),
  Min: nullary((args) => extremum("Min", args), 1),
  Abs: unary(absNode),
  Identity: unary((a) => node("Identity", [a])),
  ToFloat: unary(toFloatNode),
  Where: ternary((c, a, b) => (c.op === "True" ? a : c.op === "False" ? b : node("Where", [c, a, b]))),
  IntTrueDiv: binary((a, b) => trueDivNode("IntTrueDiv", a, b)),
  FloatTrueDiv: binary((a, b) => trueDivNode("FloatTrueDiv", a, b)),
  CeilToInt: unary((a) => roundingNode("CeilToInt", a)),
  FloorToInt: unary((a) => roundingNode("FloorToInt", a)),
  TruncToInt: unary((a) => roundingNode("TruncToInt", a)),
  TruncToFloat: unary((a) => roundingNode("TruncToFloat", a)),
  RoundToInt: unary((a) => roundingNode("RoundToInt", a)),
  RoundDecimal: binary(roundDecimalNode),
  Equality: binary((a, b) => relation("Equality", a, b)),
  Unequality: binary((a, b) => relation("Unequality", a, b)),
  StrictLessThan: binary((a, b) => relation("StrictLessThan", a, b)),
  LessThan: binary((a, b) => relation("LessThan", a, b)),
  StrictGreaterThan: binary((a, b) => relation("StrictGreaterThan", a, b)),
  GreaterThan: binary((a, b) => relation("GreaterThan", a, b)),
  And: nullary((args) => connective("And", args)),
  Or: nullary((args) => connective("Or", args)),
  Not: unary(negation),
  ExprCondPair: binary((value, condition) => node("ExprCondPair", [value, condition])),
  Piecewise: nullary((args) => piecewise(args.map(asBranch)), 1),
  IsNonOverlappingAndDenseIndicator: nullary(denseIndicator, 2),
};

function asBranch(pair: SymExpr): readonly [SymExpr, SymExpr] {
  if (pair.op !== "ExprCondPair")
    throw badOperand("Piecewise of something that is not a (value, condition) pair");
  return [pair.args[0]!, pair.args[1]!];
}

/** 1 when some permutation of the strides makes the sizes contiguous. */
function denseIndicator(args: readonly SymExpr[]): SymExpr {
  if (args.length % 2 !== 0) throw badOperand("sizes and strides differ in number");
  if (!args.every(isInteger)) return node("IsNonOverlappingAndDenseIndicator", args);
  const rank = args.length / 2;
  const dims = args
    .slice(0, rank)
    .map((size, i) => [Number(size.value), Number(args[rank + i]!.value)] as const);
  let expected = 1;
  for (const [size, stride] of [...dims].sort((a, b) => a[1] - b[1])) {
    if (size === 1) continue;
    if (stride !== expected) return integer(rank === 1 && size < 2 ? 1 : 0);
    expected *= size;
  }
  return integer(1);
}

/** Short names and operators' names that files use for the same heads. */
const ALIASES: Readonly<Record<string, string>> = {
  Eq: "Equality",
  Ne: "Unequality",
  Lt: "StrictLessThan",
  Le: "LessThan",
  Gt: "StrictGreaterThan",
  Ge: "GreaterThan",
  Tuple: "ExprCondPair",
};

/** True when {@link construct} knows the head. */
export const isHead = (name: string): boolean => isCapital(name) && isKnown(name);

/** Heads begin with a capital, symbols rarely do. */
const isCapital = (name: string): boolean => name.charCodeAt(0) <= 0x5a;

const isKnown = (name: string): boolean =>
  Object.hasOwn(ROWS, name) || Object.hasOwn(ALIASES, name) || name.startsWith("OpaqueUnaryFn_");

/** Returns the canonical expression of a head over arguments: the one way from a name to a node. */
export function construct(name: string, args: readonly SymExpr[]): SymExpr {
  if (name.startsWith("OpaqueUnaryFn_")) {
    if (args.length !== 1) throw badOperand(`${name} takes one argument, not ${args.length}`);
    return opaqueNode(name.slice("OpaqueUnaryFn_".length), args[0]!);
  }
  const key = Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
  const row = Object.hasOwn(ROWS, key) ? ROWS[key] : undefined;
  if (row === undefined) throw badOperand(`unknown function ${name}`);
  if (args.length < row.min || args.length > row.max)
    throw badOperand(`${name} does not take ${args.length} arguments`);
  return row.build(args);
}

/** Returns the same head over other arguments. */
export const rebuild = (e: SymExpr, args: readonly SymExpr[]): SymExpr => construct(e.op, args);

/** Products and powers of sums multiplied out. */
export const expandNode = (e: SymExpr): SymExpr => expandWith(e, rebuild);
