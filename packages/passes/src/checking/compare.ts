/** @file Two runs on the same inputs, value by value, with a count of what was compared. */
import { countText } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { sameBytes } from "@sconce/tensor/compare";
import { type Closeness, tensorsDifference } from "./closeness.js";
import type { Outcome } from "./outcome.js";

/** How much was compared. */
export interface Compared {
  /** Sets of inputs that both programs ran on. */
  runs: number;
  /** Outputs, over all runs. */
  outputs: number;
  /** Inputs that one of the programs wrote to, over all runs. */
  inputs: number;
  /** Parameters and buffers that one of the programs writes to, over all runs. */
  state: number;
  /** Elements of all these, scalars among them. */
  elements: number;
}

export const nothing = (): Compared => ({
  runs: 0,
  outputs: 0,
  inputs: 0,
  state: 0,
  elements: 0,
});

/** The first value that differs, and how. */
export interface ResultDifference {
  /** `output 0`, `input 1 after the run`, `buffer "mean" after the run`. */
  readonly what: string;
  /** Position among the outputs, when it is one. */
  readonly output?: number;
  readonly problem: string;
}

/** Two programs whose runs are compared. */
export interface Pair {
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
  readonly tolerance: Closeness;
}

/** What the two programs were given: the same, but for the precision of floats. */
export interface Given {
  readonly before: readonly Value[];
  readonly after: readonly Value[];
}

/** Compares two runs that were given the same; adds to the count. */
export function outcomesDifference(
  pair: Pair,
  given: Given,
  want: Outcome,
  got: Outcome,
  compared: Compared,
): ResultDifference | undefined {
  if (got.outputs.length !== want.outputs.length)
    return {
      what: "outputs",
      problem: `${got.outputs.length}, ${want.outputs.length} before`,
    };
  compared.runs++;
  return (
    outputsDifference(pair, want, got, compared) ??
    inputsDifference(pair, given, want, got, compared) ??
    stateDifference(pair, want, got, compared)
  );
}

function outputsDifference(
  { tolerance }: Pair,
  want: Outcome,
  got: Outcome,
  compared: Compared,
): ResultDifference | undefined {
  for (const [output, wanted] of want.outputs.entries()) {
    const problem = valueDifference(got.outputs[output], wanted, tolerance);
    if (problem !== undefined) return { what: `output ${output}`, output, problem };
    compared.outputs++;
    compared.elements += elementsOf(wanted);
  }
  return undefined;
}

function inputsDifference(
  { tolerance }: Pair,
  given: Given,
  want: Outcome,
  got: Outcome,
  compared: Compared,
): ResultDifference | undefined {
  for (const [i, wanted] of want.inputs.entries()) {
    const value = got.inputs[i];
    // An input that neither writes to says nothing.
    if (sameStorage(wanted, given.before[i]) && sameStorage(value, given.after[i])) continue;
    const problem = valueDifference(value, wanted, tolerance);
    if (problem !== undefined) return { what: `input ${i} after the run`, problem };
    compared.inputs++;
    compared.elements += elementsOf(wanted);
  }
  return undefined;
}

function stateDifference(
  { before, after, tolerance }: Pair,
  want: Outcome,
  got: Outcome,
  compared: Compared,
): ResultDifference | undefined {
  for (const name of new Set([...want.state.keys(), ...got.state.keys()])) {
    const wanted = want.state.get(name) ?? before.tensor(name);
    const value = got.state.get(name) ?? after.tensor(name);
    // Only the program after has it, which is of no consequence.
    if (wanted === undefined) continue;
    const problem = valueDifference(value ?? null, wanted, tolerance);
    if (problem !== undefined) return { what: `"${name}" after the run`, problem };
    compared.state++;
    compared.elements += elementsOf(wanted);
  }
  return undefined;
}

/** In what a value differs from the one before, in one line; lists are compared item by item. */
export function valueDifference(got: unknown, want: unknown, tolerance: Closeness): string | undefined {
  if (got instanceof Tensor && want instanceof Tensor) return tensorsDifference(got, want, tolerance);
  if (Array.isArray(got) && Array.isArray(want)) return listDifference(got, want, tolerance);
  const [a, b] = [floatOf(got), floatOf(want)];
  if (a !== undefined && b !== undefined) {
    const [x, y] = [a, b].map((value) => Tensor.from([value], [], "float64"));
    return tensorsDifference(x!, y!, tolerance) === undefined ? undefined : `${a}, ${b} before`;
  }
  // An integer is the same one as a number and as a bigint.
  return scalarText(got) === scalarText(want) ? undefined : `${scalarText(got)}, ${scalarText(want)} before`;
}

function listDifference(
  got: readonly unknown[],
  want: readonly unknown[],
  tolerance: Closeness,
): string | undefined {
  if (got.length !== want.length) return `${countText(got.length, "value")}, ${want.length} before`;
  for (const [i, wanted] of want.entries()) {
    const problem = valueDifference(got[i], wanted, tolerance);
    if (problem !== undefined) return `value ${i}: ${problem}`;
  }
  return undefined;
}

function floatOf(value: unknown): number | undefined {
  if (typeof value === "number" && !Number.isInteger(value)) return value;
  const tagged = value as {
    readonly kind?: unknown;
    readonly value?: unknown;
  } | null;
  const isFloat = typeof value === "object" && tagged?.kind === "float" && typeof tagged.value === "number";
  return isFloat ? (tagged.value as number) : typeof value === "number" ? value : undefined;
}

const scalarText = (value: unknown): string =>
  value instanceof Tensor
    ? `${value.dtype}[${value.shape.join(", ")}]`
    : value === null || typeof value !== "object"
      ? String(value)
      : JSON.stringify(value);

const elementsOf = (value: Value): number => (value instanceof Tensor ? value.numel : value === null ? 0 : 1);

function sameStorage(a: Value | undefined, b: Value | undefined): boolean {
  if (!(a instanceof Tensor) || !(b instanceof Tensor)) return Object.is(a, b);
  return sameBytes(a.storage.bytes, b.storage.bytes);
}
