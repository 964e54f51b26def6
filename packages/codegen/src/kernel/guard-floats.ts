/**
 * @file Keeps floats exact where a compiler assumes that there are no NaN, infinities, signs of
 * zeros and subnormal numbers: what it would simplify becomes a call of a function that looks at
 * bits.
 */
import { isFloatDType } from "@sconce/tensor";
import { elementOf, type Kernel, type KernelOperand, type LetStatement, literal } from "./kernel.js";
import { type LetContext, rewriteValues } from "./rewrite.js";

/** The least magnitude of a normal float32. */
const NORMAL = 2 ** -126;
const ORDERED: ReadonlySet<string> = new Set(["lt", "le", "gt", "ge"]);

/**
 * Returns the kernel with calls of the functions `f_tiny`, `f_known_zero`, `f_pluszero`, `f_mul`
 * and `f_isnan` in place of what shader compilers get wrong:
 *
 * - sums and products with a known zero, and products with a known subnormal number;
 * - sums and differences that take an operand back, as `x + (y - x)`;
 * - products whose factors may be infinite and subnormal, outside of loops, where the call costs
 *   little;
 * - comparisons of a value with itself, which hold unless it is NaN;
 * - choices between the two sides of a comparison, which they take for the greatest or the least.
 */
export const guardFloats = (kernel: Kernel): Kernel =>
  rewriteValues(kernel, (statement, context) => {
    const [first] = statement.args;
    if (statement.op === "select") return guardedChoice(statement, context);
    if (first === undefined || !isFloat(first)) return undefined;
    return (
      timesTiny(statement, context) ??
      withKnownZero(statement, context) ??
      backAndForth(statement, context) ??
      wideProduct(statement, context) ??
      withItself(statement, context)
    );
  });

const isFloat = ({ type }: KernelOperand): boolean => {
  const element = elementOf(type);
  return element !== "index" && isFloatDType(element);
};
const numberOf = (operand: KernelOperand): number | undefined =>
  operand.kind === "literal" ? Math.fround(Number(operand.value)) : undefined;

/**
 * Returns a product with a constant that is not zero and counts as zero where subnormal numbers do.
 */
function timesTiny({ op, args, value }: LetStatement, { emit }: LetContext): KernelOperand | undefined {
  if (op !== "mul") return undefined;
  const isTiny = (arg: KernelOperand): boolean => {
    const size = Math.abs(numberOf(arg) ?? 0);
    return size > 0 && size < NORMAL;
  };
  const tiny = [args[1]!, args[0]!].find(isTiny);
  if (tiny === undefined || args.every(({ kind }) => kind === "literal")) return undefined;
  const scaled = literal(numberOf(tiny)! * 2 ** 64, tiny.type);
  return emit("call", value.type, [tiny === args[0] ? args[1]! : args[0]!, scaled], "f_tiny");
}

function withKnownZero({ op, args, value }: LetStatement, { emit }: LetContext): KernelOperand | undefined {
  if (op !== "add" && op !== "sub" && op !== "mul") return undefined;
  const [a, b] = args as readonly [KernelOperand, KernelOperand];
  const zero = [b, a].find((arg) => numberOf(arg) === 0);
  if (zero === undefined || (a.kind === "literal" && b.kind === "literal")) return undefined;
  const other = zero === a ? b : a;
  if (op === "mul") return emit("call", value.type, [other, zero], "f_known_zero");
  const isMinus = op === "sub";
  // `x - 0` and `x + -0` are `x`; `0 - x` is `-x + 0`.
  const signed = isMinus && zero === a ? emit("neg", value.type, [other]) : other;
  const isPlain = Object.is(numberOf(zero), -0) !== (isMinus && zero === b);
  // A variable may change before the value is read. Compilers may simplify this operation.
  if (isPlain && signed.kind === "variable") return undefined;
  return isPlain ? signed : emit("call", value.type, [signed], "f_pluszero");
}

/**
 * Returns what is taken away and added again, `(y - x) + x`, or the other way, `(x + y) - x` and
 * `(x - y) - x`: both round, and give NaN for infinities.
 */
function backAndForth(
  { op, args, value }: LetStatement,
  { definition, emit }: LetContext,
): KernelOperand | undefined {
  const [a, b] = args as readonly [KernelOperand, KernelOperand];
  const cancels = (sum: KernelOperand, other: KernelOperand): boolean => {
    const made = definition(sum);
    if (op === "add") return made?.op === "sub" && isSame(made.args[1]!, other);
    if (op !== "sub" || sum !== a) return false;
    const isFirst = made?.op === "sub" && isSame(made.args[0]!, other);
    return isFirst || (made?.op === "add" && made.args.some((arg) => isSame(arg, other)));
  };
  const at = cancels(a, b) ? 0 : cancels(b, a) ? 1 : undefined;
  if (at === undefined) return undefined;
  // Of a zero the sign does not show in the result.
  const kept = emit("call", args[at]!.type, [args[at]!], "f_pluszero");
  return emit(op, value.type, at === 0 ? [kept, b] : [a, kept]);
}

/** One factor may be infinite and the other subnormal, which some count as a zero. */
function wideProduct({ op, args, value }: LetStatement, context: LetContext): KernelOperand | undefined {
  if (op !== "mul" || context.loops > 0 || args[0] === args[1]) return undefined;
  const isTame = (arg: KernelOperand): boolean => {
    const size = Math.abs(numberOf(arg) ?? 0);
    return Number.isFinite(size) && size >= NORMAL;
  };
  return args.some(isTame) ? undefined : context.emit("call", value.type, args, "f_mul");
}

function withItself({ op, args }: LetStatement, { emit }: LetContext): KernelOperand | undefined {
  if (args[0] !== args[1] || !["eq", "ne", "le", "ge"].includes(op)) return undefined;
  const isNan = emit("isnan", "bool", [args[0]!]);
  return op === "ne" ? isNan : emit("not", "bool", [isNan]);
}

/** `x > y ? x : y` and the like: NaN is looked for before. */
function guardedChoice({ args, value }: LetStatement, context: LetContext): KernelOperand | undefined {
  const [condition, first, second] = args as readonly [KernelOperand, KernelOperand, KernelOperand];
  if (!isFloat(value)) return undefined;
  let [test, ofNan] = [context.definition(condition), second];
  while (test?.op === "not") {
    test = context.definition(test.args[0]!);
    ofNan = ofNan === second ? first : second;
  }
  if (test === undefined || !ORDERED.has(test.op) || !isFloat(test.args[0]!)) return undefined;
  const [a, b] = test.args as readonly [KernelOperand, KernelOperand];
  const operands = [a, b].filter(({ kind }) => kind !== "literal");
  const isChoice = (isSame(a, first) && isSame(b, second)) || (isSame(a, second) && isSame(b, first));
  if (!isChoice || operands.length === 0) return undefined;
  const nans = operands.map((operand) => context.emit("isnan", "bool", [operand]));
  const isNan = nans.reduce((one, other) => context.emit("or", "bool", [one, other]));
  const plain = context.emit("select", value.type, args);
  return context.emit("select", value.type, [isNan, ofNan, plain]);
}
const isSame = (a: KernelOperand, b: KernelOperand): boolean =>
  a === b || (a.kind === "literal" && b.kind === "literal" && Object.is(Number(a.value), Number(b.value)));
