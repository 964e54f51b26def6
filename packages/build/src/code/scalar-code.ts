/** @file Functions of Python's numbers as expressions of JavaScript. */

/** What Python calls a number. */
export type ScalarKind = "int" | "float" | "bool";

/** An expression with the kind of its value. */
export interface ScalarCode {
  readonly kind: ScalarKind;
  readonly text: string;
}

type Write = (args: readonly ScalarCode[]) => ScalarCode | undefined;

const isReal = (args: readonly ScalarCode[]): boolean => args.some(({ kind }) => kind === "float");
const texts = (args: readonly ScalarCode[]): readonly string[] => args.map(numberText);
/** Integers are numbers below 2^53 wherever something is computed of them. */
const numberText = ({ kind, text }: ScalarCode): string =>
  kind === "bool" ? `Number(${text})` : kind === "int" ? `$(${text})` : text;
const int = (text: string): ScalarCode => ({ kind: "int", text: `$(${text})` });
const real = (text: string): ScalarCode => ({ kind: "float", text });
const truth = (text: string): ScalarCode => ({ kind: "bool", text });

const arithmetic =
  (operator: string): Write =>
  (args) => {
    const text = `(${texts(args).join(operator)})`;
    return isReal(args) ? real(text) : int(text);
  };
/** Integers beyond 2^53 compare exactly with numbers. */
const comparison =
  (operator: string): Write =>
  (args) => {
    const [a, b] = args.map(({ kind, text }) => (kind === "bool" ? `Number(${text})` : text));
    return truth(`(${a}${operator}${b})`);
  };
const rounding =
  (name: string): Write =>
  ([a]) =>
    a!.kind === "float" ? int(`Math.${name}(${a!.text})`) : int(numberText(a!));
const extremum =
  (name: string): Write =>
  (args) => {
    const text = `Math.${name}(${texts(args).join(",")})`;
    return isReal(args) ? real(text) : int(text);
  };
const logical =
  (operator: string): Write =>
  ([a, b]) =>
    a!.kind === "bool" && b!.kind === "bool" ? truth(`(${a!.text}${operator}${b!.text})`) : undefined;
const asTruth = ({ kind, text }: ScalarCode): string => (kind === "bool" ? text : `(${text}!=0)`);
const negation: Write = ([a]) => truth(`!${asTruth(a!)}`);
const toReal: Write = ([a]) => real(numberText(a!));
const floorDivision: Write = ([a, b]) =>
  isReal([a!, b!])
    ? real(`Math.floor(quotient(${numberText(a!)},${numberText(b!)}))`)
    : { kind: "int", text: `div(${numberText(a!)},${numberText(b!)})` };
const remainder: Write = ([a, b]) =>
  isReal([a!, b!]) ? undefined : { kind: "int", text: `mod(${numberText(a!)},${numberText(b!)})` };
const division: Write = ([a, b]) => real(`quotient(${numberText(a!)},${numberText(b!)})`);
const absolute: Write = ([a]) =>
  a!.kind === "float" ? real(`Math.abs(${a!.text})`) : int(`Math.abs(${numberText(a!)})`);
const negative: Write = ([a]) => (a!.kind === "float" ? real(`(-${a!.text})`) : int(`(-${numberText(a!)})`));
/** Products of integers are exact below 2^53; functions of engines may round powers. */
const power: Write = ([a, b]) => {
  const exponent = b!.kind === "int" && /^\d+$/.test(b!.text) ? Number(b!.text) : MOST_FACTORS + 1;
  if (a!.kind === "float" || exponent > MOST_FACTORS) return undefined;
  return int(`(${["1", ...Array.from({ length: exponent }, () => numberText(a!))].join("*")})`);
};
const MOST_FACTORS = 64;
const sum: Write = (args) => (args.length === 0 ? undefined : arithmetic("+")(args));
const choice: Write = ([condition, yes, no]) =>
  yes!.kind === no!.kind
    ? { kind: yes!.kind, text: `(${asTruth(condition!)}?${yes!.text}:${no!.text})` }
    : undefined;

const MATH = [
  ...["sqrt", "cos", "cosh", "sin", "sinh", "tan", "tanh", "asin", "acos", "atan", "exp", "log", "log2"],
];

/** By target. What is not here is a call that no module holds. */
const FUNCTIONS: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["operator.add", arithmetic("+")],
  ["operator.sub", arithmetic("-")],
  ["operator.mul", arithmetic("*")],
  ["operator.truediv", division],
  ["operator.floordiv", floorDivision],
  ["operator.mod", remainder],
  ["operator.pow", power],
  ["operator.neg", negative],
  ["operator.abs", absolute],
  ["operator.eq", comparison("==")],
  ["operator.ne", comparison("!=")],
  ["operator.lt", comparison("<")],
  ["operator.le", comparison("<=")],
  ["operator.gt", comparison(">")],
  ["operator.ge", comparison(">=")],
  ["operator.and_", logical("&&")],
  ["operator.or_", logical("||")],
  ["operator.xor", logical("!==")],
  ["operator.not_", negation],
  ["math.ceil", rounding("ceil")],
  ["math.floor", rounding("floor")],
  ["math.trunc", rounding("trunc")],
  ["builtins.int", rounding("trunc")],
  ["builtins.float", toReal],
  ["builtins.bool", ([a]) => truth(asTruth(a!))],
  ["builtins.max", extremum("max")],
  ["builtins.min", extremum("min")],
  ["torch.sym_max", extremum("max")],
  ["torch.sym_min", extremum("min")],
  ["torch.sym_int", rounding("trunc")],
  ["torch.sym_float", toReal],
  ["torch.sym_not", negation],
  ["torch.sym_ite", choice],
  ["torch.sym_sum", sum],
  ...MATH.flatMap((name): [string, Write][] =>
    [`math.${name}`, `torch._sym_${name}`].map((target) => [
      target,
      ([a]) => real(`domain(Math.${name}(${numberText(a!)}),${numberText(a!)})`),
    ]),
  ),
]);

/**
 * Returns a function of numbers as an expression; undefined for those that no module has.
 * The expression reads `$`, `div`, `mod`, `quotient` and `domain`.
 */
export const scalarCode = (target: string, args: readonly ScalarCode[]): ScalarCode | undefined =>
  FUNCTIONS.get(target)?.(args);
