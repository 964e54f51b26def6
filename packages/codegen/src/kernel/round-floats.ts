/** @file Rounds to float32 where a target computes in doubles. */
import {
  forEachStatement,
  type Kernel,
  type KernelOperand,
  type LetStatement,
  operandsOf,
} from "./kernel.js";
import { rewriteValues } from "./rewrite.js";

/** Operations whose result is one of their operands, or a whole number that float32 holds. */
const EXACT: ReadonlySet<string> = new Set([
  ...["neg", "abs", "sign", "floor", "ceil", "trunc", "round", "max", "min"],
  ...["cast", "select", "lane"],
]);
/**
 * Functions that end up at the same bound for all that float32 does not hold, so that their
 * arguments need no rounding.
 */
const SATURATING: ReadonlySet<string> = new Set(["exp", "sigmoid", "tanh", "erf"]);

/** Arithmetic that a total is read by before it is rounded. */
const SUMS: ReadonlySet<string> = new Set(["add", "sub"]);

/**
 * Returns the kernel with results of arithmetic on float32 cast from doubles. Results that go to
 * memory, into a total in doubles or into a function that saturates are not rounded before. A total
 * in doubles that a bias is added to is rounded with the sum. Before other arithmetic it is
 * rounded, which makes a total infinite that float32 does not hold: its root or its mean would not
 * show that.
 */
export function roundFloats(kernel: Kernel): Kernel {
  const unrounded = new Set<KernelOperand>();
  const rounded = new Set<KernelOperand>();
  const asSingle = new Set<KernelOperand>();
  /** Casts of variables that are assigned after them. */
  const early = new Map<KernelOperand, KernelOperand>();
  forEachStatement(kernel.body, (statement) => {
    if (statement.kind === "let" && statement.op === "cast") early.set(statement.value, statement.args[0]!);
    if (statement.kind === "assign")
      for (const [value, variable] of early) if (variable === statement.variable) asSingle.add(value);
    const isLenient =
      statement.kind === "store" ||
      (statement.kind === "let" && statement.op === "cast" && statement.value.type === "float64") ||
      (statement.kind === "let" && SATURATING.has(statement.op));
    const isSum = statement.kind === "let" && SUMS.has(statement.op) && isRounding(statement);
    for (const operand of operandsOf(statement)) {
      (isLenient ? unrounded : rounded).add(operand);
      if (!isLenient && !isSum) asSingle.add(operand);
    }
  });
  return rewriteValues(kernel, (statement, { emit, definition }) => {
    const [first] = statement.args;
    const isWidening = statement.op === "cast" && statement.value.type === "float64";
    // What was not rounded is a double already.
    if (isWidening && first?.type === "float64" && definition(first) !== undefined) return first;
    // A store rounds to float32, and not to halves.
    const isNarrowing = statement.op === "cast" && statement.value.type === "float32";
    const isTotal = isNarrowing && first?.kind === "variable" && first.type === "float64";
    if (isTotal && !asSingle.has(statement.value)) return first;
    if (!isRounding(statement)) return undefined;
    const exact = emit(statement.op, "float64", statement.args, statement.detail);
    const isFree = unrounded.has(statement.value) && !rounded.has(statement.value);
    return isFree ? exact : emit("cast", "float32", [exact]);
  });
}

const isRounding = ({ op, value, args }: LetStatement): boolean =>
  value.type === "float32" && !EXACT.has(op) && args.some(({ type }) => type.startsWith("float"));
