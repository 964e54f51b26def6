/** @file Values of loops as vectors of four float32: what is computed from sums in registers. */
import type { Scalar } from "@sconce/codegen";
import type { Vector, VectorWriter } from "./lines.js";
import { writeFloats } from "./operations.js";

/** A load in the value of a nest. */
export type LoadScalar = Extract<Scalar, { kind: "load" }>;

/** An operand of a call, and the number that it is; NaN if that is not known. */
interface Argument<T> {
  readonly value: number;
  readonly part: T;
}
/** What the parts of a value become; undefined for parts without a form. */
interface Parts<T> {
  readonly constant: (value: number) => T;
  readonly load: (scalar: LoadScalar) => T | undefined;
  readonly call: (fn: string, args: readonly Argument<T>[]) => T | undefined;
}

/**
 * Walks over a value, each part once and operands first. Returns what it becomes; undefined if a
 * part is not of float32, or has no form.
 *
 * @param known parts that are not entered
 */
export function walkFloats<T>(
  value: Scalar,
  { constant, load, call }: Parts<T>,
  known: ReadonlyMap<Scalar, T> = new Map(),
): T | undefined {
  const parts = new Map<Scalar, T | undefined>(known);
  const make = (scalar: Scalar): T | undefined => {
    if (scalar.dtype !== "float32") return undefined;
    if (scalar.kind === "constant") return constant(Number(scalar.value));
    if (scalar.kind === "load") return load(scalar);
    if (scalar.kind !== "call") return undefined;
    const args: Argument<T>[] = [];
    for (const arg of scalar.args) {
      const part = partOf(arg);
      if (part === undefined) return undefined;
      args.push({ value: arg.kind === "constant" ? Number(arg.value) : Number.NaN, part });
    }
    return call(scalar.fn, args);
  };
  const partOf = (scalar: Scalar): T | undefined => {
    if (!parts.has(scalar)) parts.set(scalar, make(scalar));
    return parts.get(scalar);
  };
  return partOf(value);
}

/** Writes the calls of a value that has a form, and returns its result. */
export function writeScalar(
  w: VectorWriter,
  value: Scalar,
  load: (scalar: LoadScalar) => Vector,
  known?: ReadonlyMap<Scalar, Vector>,
): Vector {
  const call = (fn: string, args: readonly Argument<Vector>[]): Vector =>
    w.let(() =>
      writeFloats(
        w,
        fn,
        args.map(({ value: number, part }) => ({ value: number, vector: part })),
      ),
    );
  return walkFloats<Vector>(value, { constant: (number) => w.number(number), load, call }, known)!;
}
