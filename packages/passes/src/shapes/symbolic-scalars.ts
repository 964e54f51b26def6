/**
 * @file Numbers of calls that are symbolic, and may not fit the dtype that they are converted to.
 */
import { float, type ScalarLiteral } from "@sconce/ir";
import {
  type BoundArgs,
  LARGEST_FINITE,
  metaOfBound,
  type OpDefinition,
  type OperatorTable,
  refuseDTypesDeep,
} from "@sconce/ops";
import type { IntLike, SymEnv } from "@sconce/symbolic";

interface SymbolicNumber {
  readonly kind: "SymInt" | "SymFloat";
  readonly expr: IntLike;
}

const isSymbolic = (value: unknown): value is SymbolicNumber =>
  typeof value === "object" &&
  value !== null &&
  ["SymInt", "SymFloat"].includes((value as { readonly kind?: string }).kind ?? "");

/**
 * Refuses a call with a symbolic number that may not fit: at the least and at the greatest value
 * that it can have.
 *
 * @throws SconceError `INVALID_ARGUMENT`, and what decompositions and shape rules refuse
 */
export function refuseSymbolicScalars(
  operators: OperatorTable,
  row: OpDefinition,
  bound: BoundArgs,
  env: SymEnv,
): void {
  const names = symbolicScalars(row, bound);
  if (names.length === 0) return;
  for (const end of ["min", "max"] as const) {
    const numbers = names.map((name) => [name, endOf(bound[name] as SymbolicNumber, end, env)]);
    const given = { ...bound, ...Object.fromEntries(numbers) };
    refuseDTypesDeep(operators, [row, given], env);
    // Rules may refuse a number, as a negative power of integers.
    metaOfBound(operators, row, given, env);
  }
}

/**
 * Refuses a call that checks whether a half holds a float which is known when it runs. What such
 * calls are lowered to does not check it.
 *
 * @throws SconceError `INVALID_ARGUMENT`, and what decompositions and shape rules refuse
 */
export function refuseFloatsAsHalves(
  operators: OperatorTable,
  row: OpDefinition,
  bound: BoundArgs,
  env: SymEnv,
): void {
  const names = symbolicScalars(row, bound).filter(
    (name) => (bound[name] as SymbolicNumber).kind === "SymFloat",
  );
  if (names.length === 0) return;
  const large = Object.fromEntries(names.map((name) => [name, float(LARGEST_FLOAT32)]));
  refuseDTypesDeep(operators, [row, { ...bound, ...large }], env);
}
const LARGEST_FLOAT32 = LARGEST_FINITE.float32 ?? 0;

const symbolicScalars = ({ schema }: OpDefinition, bound: BoundArgs): readonly string[] =>
  schema.args.flatMap(({ name, type }) => (type.base === "Scalar" && isSymbolic(bound[name]) ? [name] : []));

function endOf({ kind, expr }: SymbolicNumber, end: "min" | "max", env: SymEnv): ScalarLiteral {
  const value = env.range(expr)[end];
  if (kind === "SymFloat") return float(Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE);
  if (Number.isSafeInteger(value)) return value;
  const whole = Number.isFinite(value) ? BigInt(Math.trunc(value)) : LARGEST * BigInt(Math.sign(value));
  return whole > LARGEST ? LARGEST : whole < -LARGEST - 1n ? -LARGEST - 1n : whole;
}
/** Of int64, as all integers of programs are. */
const LARGEST = 2n ** 63n - 1n;
