/** @file The inputs of `sconce run`: tensors by name, scalars as JSON. */
import { type ExportedProgram, int, unwrapFloat, type Value } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { missingInput, unknownInput, usage } from "../errors.js";

/**
 * The user inputs in flattened order. Constants that the program was exported with need not be
 * given.
 * @throws SconceError `MISSING_INPUT`, `UNKNOWN_INPUT`, `USAGE`
 */
export function readInputs(
  program: ExportedProgram,
  tensors: ReadonlyMap<string, Tensor>,
  scalarText: string | undefined,
): Value[] {
  const specs = program.graphSignature.inputSpecs.filter((spec) => spec.kind === "USER_INPUT");
  const scalars = parseScalars(scalarText);
  const names = [
    ...[...tensors.keys()].filter((name) => /^i\d+$/.test(name)),
    ...[...scalars.keys()].map((i) => `i${i}`),
  ];
  for (const name of names) if (Number(name.slice(1)) >= specs.length) throw unknownInput(name, specs.length);
  return specs.map((spec, i) => {
    if (scalars.has(i)) return scalars.get(i)!;
    const tensor = tensors.get(`i${i}`);
    if (tensor !== undefined) return tensor;
    if (spec.arg.kind === "constant") return unwrapFloat(spec.arg.value) as Value;
    throw missingInput(i, spec.arg.name, [...tensors.keys()]);
  });
}

const SHAPE = 'write an object of positions, for example {"1": 3, "2": 0.5, "3": {"float": "inf"}}';

function parseScalars(text: string | undefined): Map<number, Value> {
  if (text === undefined) return new Map();
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    throw usage(
      `--scalars is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      SHAPE,
      error,
    );
  }
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw usage("--scalars is not a JSON object", SHAPE);
  }
  return new Map(Object.entries(values).map(([position, value]) => [positionOf(position), scalarOf(value)]));
}

function positionOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usage(`--scalars: ${JSON.stringify(text)} is not a position of an input`, SHAPE);
}

const NON_FINITE: ReadonlyMap<unknown, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
]);

/**
 * JSON has no infinities and no integers past 2^53: `{"float": "inf"}`,
 * `{"int": "9223372036854775807"}`.
 */
function scalarOf(value: unknown): Value {
  if (typeof value !== "object" || value === null) return value as Value;
  const { float, int: integer } = value as { float?: unknown; int?: unknown };
  if (typeof float === "number") return float;
  const special = NON_FINITE.get(float);
  if (special !== undefined) return special;
  if (typeof integer === "string" && /^-?\d{1,19}$/.test(integer)) return int(BigInt(integer));
  throw usage(`--scalars: cannot read ${JSON.stringify(value)}`, SHAPE);
}

/** A number of at least 0. @throws SconceError `USAGE` */
export function tolerance(text: string, option: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw usage(`${option} must be a number of at least 0, got "${text}"`, "write it as 1e-4 or 0.0001");
}
