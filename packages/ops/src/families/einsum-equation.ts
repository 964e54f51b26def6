/** @file The equation of `einsum`, read and checked. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, or, type SymEnv } from "@sconce/symbolic";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, pythonEq } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";

/** Labels with the place of their dimension: output labels first, then the summed ones. */
export interface Equation {
  /** Labels of each operand; `...` represents the dimensions without label. */
  readonly operands: readonly (readonly string[])[];
  readonly ellipsisRank: number;
  readonly ellipsisAt: number;
  readonly outputRank: number;
  readonly rank: number;
  readonly placeOf: (label: string) => number;
}

/** Splits `a...b` into labels. */
function readLabels(text: string, where: string): readonly string[] {
  const labels: string[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === " ") continue;
    if (c === ".") {
      if (text.slice(i, i + 3) !== "..." || labels.includes("...")) {
        throw invalidArgument(`einsum(): found '.' for ${where} that is not part of any ellipsis`);
      }
      labels.push("...");
      i += 2;
    } else if (/[a-zA-Z]/.test(c)) labels.push(c);
    else
      throw invalidArgument(
        `einsum(): invalid subscript given at index ${i} in the equation string, subscripts must be in [a-zA-Z]`,
      );
  }
  return labels;
}

/** Capitals come before small letters. */
const inOrder = (labels: Iterable<string>): string[] => [...labels].sort();

/** @throws SconceError `INVALID_ARGUMENT`, `SHAPE_MISMATCH` */
export function readEquation(text: string, tensors: readonly FakeTensor[], env: SymEnv): Equation {
  const [inputs = "", output] = text.split("->");
  const operands = inputs.split(",").map((part, i) => readLabels(part, `operand ${i}`));
  if (operands.length !== tensors.length) {
    const more = operands.length > tensors.length ? "fewer" : "more";
    throw invalidArgument(`einsum(): ${more} operands were provided than specified in the equation`);
  }
  for (const [i, labels] of operands.entries()) checkRank(labels, tensors[i]!, i);
  checkSizes(operands, tensors, env);
  const ellipsisRank = Math.max(
    0,
    ...operands.map((labels, i) => (labels.includes("...") ? tensors[i]!.ndim - labels.length + 1 : 0)),
  );
  return place(
    operands,
    output === undefined ? implicitOutput(operands) : readLabels(output, "the output"),
    ellipsisRank,
  );
}

function checkRank(labels: readonly string[], tensor: FakeTensor, i: number): void {
  const open = labels.includes("...");
  const count = open ? labels.length - 1 : labels.length;
  if (open ? count > tensor.ndim : count !== tensor.ndim) {
    const how = open ? "is more than the number of dimensions" : "does not match the number of dimensions";
    throw invalidArgument(
      `einsum(): the number of subscripts in the equation (${count}) ${how} (${tensor.ndim}) for operand ${i}` +
        (open ? "" : " and no ellipsis was given"),
    );
  }
}

/** A label has one size, or 1 where it is broadcast. */
function checkSizes(
  operands: readonly (readonly string[])[],
  tensors: readonly FakeTensor[],
  env: SymEnv,
): void {
  const sizes = new Map<string, IntLike>();
  operands.forEach((labels, i) => {
    const own = new Map<string, IntLike>();
    for (const [label, size] of labeled(labels, tensors[i]!)) {
      const again = own.get(label);
      own.set(label, again ?? size);
      // A diagonal is taken of equal sizes.
      if (again !== undefined) check(env, pythonEq(size, again), () => misfit(label, i, size, again));
      else checkLabel(sizes, label, size, env, (known) => misfit(label, i, size, known));
    }
  });
}

/**
 * Yields the labels of an operand with its sizes; those of an ellipsis are counted from its end.
 */
function* labeled(labels: readonly string[], { shape, ndim }: FakeTensor): Generator<[string, IntLike]> {
  let dim = 0;
  for (const label of labels) {
    if (label !== "...") yield [label, shape[dim++]!];
    else for (let left = ndim - labels.length + 1; left > 0; left--) yield [`...${left}`, shape[dim++]!];
  }
}

const misfit = (label: string, operand: number, size: IntLike, known: IntLike): Error =>
  shapeMismatch(
    `einsum(): operands do not broadcast with remapped shapes: subscript ${label} has size ${describeSize(size)} for ` +
      `operand ${operand} which does not broadcast with previously seen size ${describeSize(known)}`,
  );

/** Compares a size with what earlier operands have. */
function checkLabel(
  sizes: Map<string, IntLike>,
  label: string,
  size: IntLike,
  env: SymEnv,
  error: (known: IntLike) => Error,
): void {
  const known = sizes.get(label);
  // Later operands are compared with the last one that is not broadcast.
  if (size !== 1) sizes.set(label, size);
  if (known === undefined || known === 1 || size === known || env.orFalse(eq(size, 1))) return;
  // Whether two dynamic sizes are equal is asked where the operands are multiplied.
  if (typeof known === "number" || typeof size === "number") check(env, eq(known, size), () => error(known));
  else if (!env.orFalse(or(eq(known, 1), eq(known, size)))) check(env, eq(known, size), () => error(known));
}

/**
 * Without `->`: the dimensions of the ellipsis, then labels that occur once, in alphabetical order.
 */
function implicitOutput(operands: readonly (readonly string[])[]): readonly string[] {
  const all = operands.flat();
  const once = new Set(
    all.filter((label) => label !== "..." && all.indexOf(label) === all.lastIndexOf(label)),
  );
  return ["...", ...inOrder(once)];
}

function place(
  operands: readonly (readonly string[])[],
  output: readonly string[],
  ellipsisRank: number,
): Equation {
  const places = new Map<string, number>();
  const known = new Set(operands.flat());
  let next = 0;
  let ellipsisAt = -1;
  for (const label of output) {
    if (label === "...") {
      ellipsisAt = next;
      next += ellipsisRank;
      continue;
    }
    if (places.has(label))
      throw invalidArgument(`einsum(): output subscript ${label} appears more than once in the output`);
    if (!known.has(label)) {
      throw invalidArgument(
        `einsum(): output subscript ${label} does not appear in the equation for any input operand`,
      );
    }
    places.set(label, next++);
  }
  const outputRank = next;
  if (ellipsisAt < 0) {
    // An ellipsis that the output does not name is summed over.
    ellipsisAt = next;
    next += ellipsisRank;
  }
  known.delete("...");
  for (const label of inOrder(known)) if (!places.has(label)) places.set(label, next++);
  return {
    operands,
    ellipsisRank,
    ellipsisAt,
    outputRank,
    rank: next,
    placeOf: (label) => places.get(label)!,
  };
}
