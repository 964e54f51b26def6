/**
 * @file Arithmetic with known zeros and subnormal numbers, which shader compilers would simplify
 * incorrectly.
 */
import type { Scalar } from "@sconce/codegen";

export type CallScalar = Extract<Scalar, { kind: "call" }>;
type Say = (name: string, ...args: readonly string[]) => string;

/** The least magnitude of a normal float32. */
const NORMAL = 2 ** -126;

/**
 * What compilers would take for something simpler: sums and products of floats with a zero that is
 * known beforehand, and products with a subnormal number.
 */
export function knownZero(
  { fn, args }: CallScalar,
  textOf: (scalar: Scalar) => string,
  own: Say,
): string | undefined {
  const [a, b] = args as [Scalar, Scalar];
  if (!["add", "sub", "mul"].includes(fn)) return undefined;
  const tiny = fn === "mul" ? [b, a].find(isTiny) : undefined;
  if (tiny?.kind === "constant" && (a.kind !== "constant" || b.kind !== "constant")) {
    const scaled: Scalar = { ...tiny, value: Math.fround(Number(tiny.value)) * 2 ** 64 };
    return own("f_tiny", textOf(tiny === a ? b : a), textOf(scaled));
  }
  const zero = [b, a].find((arg) => arg.kind === "constant" && Number(arg.value) === 0);
  if (zero?.kind !== "constant" || (a.kind === "constant" && b.kind === "constant")) return undefined;
  const text = textOf(zero === a ? b : a);
  if (fn === "mul") return own("f_known_zero", text, textOf(zero));
  const isMinus = fn === "sub";
  // `x - 0` and `x + -0` are `x`; `0 - x` is `-x + 0`.
  const signed = isMinus && zero === a ? `-${text}` : text;
  const isPlain = Object.is(Number(zero.value), -0) !== (isMinus && zero === b);
  return isPlain ? signed : own("f_pluszero", signed);
}

/** A constant that is not zero and counts as zero where subnormal numbers do. */
const isTiny = (arg: Scalar): boolean => {
  const size = arg.kind === "constant" ? Math.abs(Math.fround(Number(arg.value))) : 0;
  return size > 0 && size < NORMAL;
};

/** Whether one factor may be infinite and the other subnormal, which some count as a zero. */
export function isWideProduct({ fn, args }: CallScalar): boolean {
  const [a, b] = args as [Scalar, Scalar];
  const isTame = (arg: Scalar): boolean =>
    arg.kind === "constant" && Number.isFinite(Number(arg.value)) && Math.abs(Number(arg.value)) >= NORMAL;
  return fn === "mul" && a !== b && !isTame(a) && !isTame(b);
}
