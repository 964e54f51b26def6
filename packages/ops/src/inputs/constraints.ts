/**
 * @file The checks that PyTorch makes of a program without example inputs
 * (`_check_input_constraints_for_graph`).
 */
import { describeValue, platformClass } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  graphArgument,
  isFloat,
  isInt,
  isSymScalar,
  toNumber,
  unwrapFloat,
  type Value,
} from "@sconce/ir";
import {
  asLinear,
  evaluateInt,
  freeSymbols,
  type IntLike,
  printExpr,
  SymExpr,
  solveLinear,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { inputRejected } from "../rows/errors.js";
import { recordedNumber } from "./guards.js";
import type { Leaf } from "./leaf-path.js";

/** Symbols met so far, with the value that the first input having them gave. */
type Bindings = Map<string, number>;

export function checkConstraints(
  program: ExportedProgram,
  leaves: readonly Leaf[],
  inputs: readonly Value[],
): void {
  const bindings: Bindings = new Map();
  const later: (() => void)[] = [];
  leaves.forEach((leaf, i) => {
    const meta = program.graph.node(leaf.name).meta.val;
    const input = inputs[i]!;
    if (meta instanceof FakeTensor && input instanceof Tensor) {
      meta.shape.forEach((size, d) => {
        const place = `${leaf.place}.shape[${d}]`;
        if (isSolvable(size)) checkSize(program, size, input.shape[d]!, place, bindings);
        else later.push(() => requireKnown(size, input.shape[d]!, place, bindings));
      });
    } else if (leaf.spec.arg.kind === "constant") checkConstant(leaf, leaf.spec.arg.value, input);
    else if (meta !== undefined && isSymScalar(meta)) {
      const { kind, expr } = meta;
      if (!(expr instanceof SymExpr)) checkConstant(leaf, recordedNumber(kind, expr), input);
      else if (kind === "SymInt") checkSize(program, expr, Number(input), leaf.place, bindings);
    }
  });
  for (const check of later) check();
}

/**
 * Returns whether a size gives its symbol: a number, a symbol, or a multiple of one plus a number.
 */
const isSolvable = (size: IntLike): boolean => typeof size === "number" || asLinear(size) !== undefined;

/** A size that does not give its symbols is compared once all of them are known. */
function requireKnown(size: IntLike, got: number, place: string, bindings: Bindings): void {
  if (![...freeSymbols(size).keys()].every((name) => bindings.has(name))) return;
  const known = evaluateInt(size, bindings);
  if (got !== known)
    throw inputRejected(
      "INPUT_MISMATCH",
      `Expected input at ${place} to be equal to ${known}, but got ${got}`,
      place,
    );
}

function checkSize(
  program: ExportedProgram,
  size: IntLike,
  got: number,
  place: string,
  bindings: Bindings,
): void {
  const refuse = (message: string): never => {
    throw inputRejected("INPUT_MISMATCH", `Expected input ${message}`, place);
  };
  if (typeof size === "number") {
    if (got === size) return;
    refuse(
      `at ${place} to be equal to ${size}, but got ${got}. If you meant for this dimension to be dynamic, please ` +
        "re-export and specify dynamic_shapes (e.g. with Dim.DYNAMIC)",
    );
  }
  const text = printExpr(size);
  const [name] = freeSymbols(size).keys();
  if (name === undefined) return;
  if (bindings.has(name)) {
    const known = evaluateInt(size, bindings);
    if (got !== known) refuse(`at ${place} to be equal to ${known}, but got ${got}`);
  } else {
    const value = text === name ? got : solveLinear(size, got)?.value;
    if (value === undefined)
      refuse(`${place} = ${got} to be of the form ${text}, where ${name} is an integer`);
    bindings.set(name, value!);
  }
  const range = program.rangeConstraints.get(text);
  if (range === undefined) return;
  if (range.min > 2 && got < range.min) refuse(`at ${place} to be >= ${range.min}, but got ${got}`);
  if (got > range.max) refuse(`at ${place} to be <= ${range.max}, but got ${got}`);
}

function checkConstant(leaf: Leaf, value: Argument, input: Value): void {
  if (value === null) return;
  const wanted = unwrapFloat(value);
  const given = isFloat(input) ? toNumber(input) : input;
  if (Object.is(wanted, given) || wanted === given) return;
  // An int may be a number or a bigint.
  if (isInt(wanted) && isInt(given) && BigInt(wanted) === BigInt(given)) return;
  const what = Number.isNaN(wanted) ? "nan" : `equal to ${wantedText(wanted)}`;
  throw inputRejected(
    "INPUT_MISMATCH",
    `Expected input at ${leaf.place} to be ${what}, but got ${inputText(input)}`,
    leaf.place,
  );
}

function wantedText(value: Argument): string {
  if (typeof value === "boolean") return boolText(value);
  return typeof value === "object" && value !== null ? graphArgument(value) : String(value);
}

const boolText = (value: boolean): string => (value ? "True" : "False");

/** Returns an input as Python formats it; of a tensor with dimensions only the shape. */
export function inputText(input: Value): string {
  if (input === null) return "None";
  if (typeof input === "boolean") return boolText(input);
  if (isFloat(input)) return String(toNumber(input));
  if (typeof input === "string") return JSON.stringify(input);
  if (!(input instanceof Tensor)) return typeof input === "object" ? objectText(input) : String(input);
  if (input.ndim > 0) return `a tensor of shape [${input.shape.join(", ")}]`;
  const element = input.toArray()[0]!;
  return typeof element === "object" ? graphArgument({ kind: "complex", ...element }) : String(element);
}

/** Objects of the IR have their own text; others are named by their class. */
const objectText = (value: object): string =>
  platformClass(value) === undefined ? String(value) : describeValue(value);
