/** @file Random symbolic expressions: every head, over sizes and over numbers that no size has. */
import type { Random } from "../support/random.js";

const SIZES = ["s0", "s1", "s77", "u0", "2", "-1", "3"];
const NUMBERS = [
  ...["zuf0", "zf1", "0", "1", "1.5", "0.0", "-0.0", "2.0", "-2.5", "oo", "-oo", "nan", "1e308", "1e-320"],
  "9007199254740993",
  "-9223372036854775808",
  `1${"0".repeat(400)}`,
  "Rational(-7, 2)",
  "Float('2.0')",
  "True",
  "Symbol('s3', positive=True, integer=True)",
  "Symbol('f', real=True)",
];
/** Heads of two arguments. */
export const HEADS = [
  ...["Add", "Mul", "Max", "Min", "Pow", "PowByNatural", "FloatPow", "LShift", "RShift", "RoundDecimal"],
  ...["FloorDiv", "CleanDiv", "CeilDiv", "Mod", "PythonMod", "IntTrueDiv", "FloatTrueDiv"],
  ...["And", "Or", "Equality", "Unequality", "StrictLessThan", "LessThan", "GreaterThan"],
];
const HEADS_OF_ONE = [
  ...["Abs", "ToFloat", "CeilToInt", "FloorToInt", "TruncToInt", "TruncToFloat", "RoundToInt"],
  ...["Not", "OpaqueUnaryFn_sqrt", "OpaqueUnaryFn_exp", "Identity"],
];
const HEADS_OF_THREE = ["Where", "ModularIndexing"];
const INFIX = [" + ", " - ", "*", "//", " % ", "**", "/", " & ", " | ", " < ", " == "];

/** Returns an expression as a program file may have it; half of them are made of sizes alone. */
export function expression(random: Random, depth: number): string {
  return inside(random, depth, random.once(2) ? SIZES : [...SIZES, ...NUMBERS]);
}
function inside(random: Random, depth: number, atoms: readonly string[]): string {
  if (depth === 0 || random.once(4)) return random.pick(atoms);
  const inner = (): string => inside(random, depth - 1, atoms);
  switch (random.below(6)) {
    case 0:
      return `${random.pick(HEADS)}(${inner()}, ${inner()})`;
    case 1:
      return `${random.pick(HEADS_OF_ONE)}(${inner()})`;
    case 2:
      return `Piecewise((${inner()}, ${inner()} < ${inner()}), (${inner()}, True))`;
    case 3: {
      const sign = random.pick(INFIX);
      return `(${[inner(), ...random.list(4, inner)].join(sign)})`;
    }
    case 4:
      return `${random.pick(HEADS_OF_THREE)}(${inner()}, ${inner()}, ${inner()})`;
    default:
      return `(${inner()}${random.pick(INFIX)}${inner()})`;
  }
}

/** Returns a program of few calls of which one size or number is an expression. */
export function sizedProgram(random: Random): string {
  const sizes = ["s0", "s0", "s0", "3"];
  sizes[random.below(sizes.length)] = expression(random, random.below(3));
  const [given, number, result, stride] = sizes;
  const kind = random.pick(["int", "int", "float", "bool"]);
  return `program "ATEN" { input %x: USER_INPUT output %a: USER_OUTPUT }
graph(%x: f32[${given}, 3]) {
  %n: int(s0) = aten.sym_size.int(%x, 0)
  %m: ${kind}(${number}) = ${random.pick(["operator.floordiv", "operator.mod", "operator.truediv"])}(%n, 2)
  %a: f32[${result}, 3]{${stride}, 1} = ${random.pick(CALLS)}
  return (%a,)
}`;
}
const CALLS = ["aten.relu.default(%x)", "aten.mul.Tensor(%x, %m)", "aten.full.default([%m, 3], 1.0)"];
