/** @file Choices that shader compilers take for the greatest or the least of two. */
import type { Scalar } from "@sconce/codegen";

type SelectScalar = Extract<Scalar, { kind: "select" }>;

/** The operands of a choice between the two sides of its comparison. */
export interface Extreme {
  /** Those that are not constants. */
  readonly operands: readonly Scalar[];
  /** What is chosen where one of them is NaN. */
  readonly ofNan: Scalar;
}

const ORDERED: ReadonlySet<string> = new Set(["lt", "le", "gt", "ge"]);

/**
 * The choice of one of two floats that are compared, such as `x > y ? x : y`; undefined for other
 * choices. Compilers that assume there is no NaN make it their own greatest or least, which is the
 * operand that is a number.
 */
export function extremeOf({ condition, then, otherwise }: SelectScalar): Extreme | undefined {
  let [test, ofNan] = [condition, otherwise];
  while (test.kind === "call" && test.fn === "not") {
    test = test.args[0]!;
    ofNan = ofNan === otherwise ? then : otherwise;
  }
  if (test.kind !== "call" || !ORDERED.has(test.fn) || test.args[0]!.dtype === "bool") return undefined;
  const [a, b] = test.args as [Scalar, Scalar];
  const isChoice = (isSame(a, then) && isSame(b, otherwise)) || (isSame(a, otherwise) && isSame(b, then));
  const operands = [a, b].filter(({ kind }) => kind !== "constant");
  return isChoice && operands.length > 0 ? { operands, ofNan } : undefined;
}

const isSame = (a: Scalar, b: Scalar): boolean =>
  a === b || (a.kind === "constant" && b.kind === "constant" && Object.is(Number(a.value), Number(b.value)));
