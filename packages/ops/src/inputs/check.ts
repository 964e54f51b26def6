/**
 * @file Whether a program takes given inputs: PyTorch's checks in PyTorch's words, and those that
 * it leaves to chance.
 */
import { describeValue, isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  graphArgument,
  isFloat,
  type MetaValue,
  type Value,
} from "@sconce/ir";
import { freeSymbols, type IntLike, isUnbacked, printExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { inputRejected, inputsExpected, inputsWithoutValues } from "../rows/errors.js";
import { checkConstraints, inputText } from "./constraints.js";
import { guardCheck, programGuards } from "./guards.js";
import { type Leaf, userLeaves } from "./leaf-path.js";

/** Throws when the user inputs (flattened) are not what the program takes. */
export type InputCheck = (inputs: readonly Value[]) => void;

/**
 * Returns the checks of a program, prepared once: number, kinds and ranks of inputs, then the
 * guards, for a program without example inputs or guards of its sizes the constraints, then dtypes.
 *
 * @param places where the inputs stand in the arguments, for messages; that of the program's
 * calling convention by default
 *
 * @throws SconceError (when checking) `INPUT_COUNT`, `INPUT_TYPE`, `INPUT_RANK`, `GUARD_FAILED`,
 * `INPUT_MISMATCH`, `INPUT_DTYPE`, `NO_VALUES`
 */
export function inputCheck(program: ExportedProgram, places: readonly string[] = []): InputCheck {
  const leaves = userLeaves(program).map((leaf, i) => ({ ...leaf, place: places[i] ?? leaf.place }));
  const checkGuards =
    program.exampleInputs === null ? undefined : guardCheck(programGuards(program, leaves), leaves);
  const vals = leaves.map((leaf) => program.graph.node(leaf.name).meta.val);
  const fakes = vals.map((val) => (val instanceof FakeTensor ? val : undefined));
  // No guard compares sizes that only a run decides.
  const isOpen = fakes.some((fake) => fake?.shape.some(isUnbackedSize));
  const check: InputCheck = (inputs) => {
    if (inputs.length !== leaves.length) {
      throw inputRejected(
        "INPUT_COUNT",
        `Unexpected number of inputs (expected ${leaves.length}, got ${inputs.length})`,
      );
    }
    leaves.forEach((leaf, i) => {
      checkKind(leaf, vals[i], inputs[i]!);
    });
    checkGuards?.(inputs);
    if (checkGuards === undefined || isOpen) checkConstraints(program, leaves, inputs);
    leaves.forEach((leaf, i) => {
      checkDType(leaf, fakes[i], inputs[i]!);
    });
    refuseWithoutValues(leaves, inputs);
  };
  return (inputs) => {
    try {
      check(inputs);
    } catch (error) {
      // Other inputs do not help where there are no values, or a guard that cannot be evaluated.
      if (!isSconceError(error) || error.code === "NO_VALUES" || error.code.startsWith("SYM_")) throw error;
      throw inputsExpected(error, expectedText(leaves, vals), givenText(inputs));
    }
  };
}

/** Returns whether a size has a symbol that only a run decides, such as those of a `ShapesSpec`. */
const isUnbackedSize = (size: IntLike): boolean => [...freeSymbols(size).values()].some(isUnbacked);

/** Most inputs that an error shows. */
const SHOWN = 8;

const listed = (texts: readonly string[]): string =>
  texts.length > SHOWN ? `${texts.slice(0, SHOWN).join(", ")}, ... ${texts.length} in all` : texts.join(", ");

/** `x: float32[s0, 3], n: int` */
const expectedText = (leaves: readonly Leaf[], vals: readonly (MetaValue | undefined)[]): string =>
  listed(leaves.map(({ name }, i) => `${name}: ${kindText(vals[i])}`)) || "none";

function kindText(val: MetaValue | undefined): string {
  if (val instanceof FakeTensor)
    return `${val.dtype}[${val.shape.map((size) => printExpr(size)).join(", ")}]`;
  const { kind = "", value } = (val ?? {}) as { readonly kind?: string; readonly value?: unknown };
  const names: Readonly<Record<string, string>> = { SymInt: "int", SymFloat: "float", SymBool: "bool" };
  return kind === "constant"
    ? `the constant ${graphArgument(value as Argument)}`
    : (names[kind] ?? "a value");
}

const givenText = (inputs: readonly Value[]): string =>
  listed(
    inputs.map((input) =>
      input instanceof Tensor ? `${input.dtype}[${input.shape.join(", ")}]` : inputText(input),
    ),
  ) || "none";

function checkKind(leaf: Leaf, fake: MetaValue | undefined, input: Value): void {
  if (!(fake instanceof FakeTensor)) {
    if (leaf.spec.arg.kind !== "constant") checkScalar(leaf, fake, input);
    return;
  }
  if (!(input instanceof Tensor)) {
    const got =
      input === null ? "None" : typeof input === "object" ? describeValue(input) : `a ${typeof input}`;
    throw inputRejected(
      "INPUT_TYPE",
      `Expected input at ${leaf.place} to be a tensor, but got ${got}`,
      leaf.name,
    );
  }
  if (input.ndim === fake.ndim) return;
  const expected = fake.shape.map((size) => printExpr(size)).join(", ");
  throw inputRejected(
    "INPUT_RANK",
    `Unexpected number of dimensions in input at ${leaf.place}.shape (expected [${expected}], got [${input.shape.join(", ")}])`,
    leaf.name,
  );
}

/** A number in the place of a symbolic one. */
function checkScalar(leaf: Leaf, val: MetaValue | undefined, input: Value): void {
  const kind = typeof val === "object" && val !== null && "kind" in val ? val.kind : undefined;
  if (kind === "custom_obj") return;
  const isInt = typeof input === "bigint" || typeof input === "boolean" || Number.isInteger(input);
  const isNumber = isInt || typeof input === "number" || isFloat(input);
  if (kind === "SymInt" ? isInt : isNumber) return;
  const got = input instanceof Tensor ? "a tensor" : inputText(input);
  throw inputRejected(
    "INPUT_TYPE",
    `Expected input at ${leaf.place} to be ${kind === "SymInt" ? "an int" : "a number"}, but got ${got}`,
    leaf.name,
  );
}

function refuseWithoutValues(leaves: readonly Leaf[], inputs: readonly Value[]): void {
  const missing = leaves.filter((_, i) => {
    const input = inputs[i];
    return input instanceof Tensor && !input.hasValues;
  });
  if (missing.length > 0) throw inputsWithoutValues(missing);
}

function checkDType(leaf: Leaf, fake: FakeTensor | undefined, input: Value): void {
  if (fake === undefined || !(input instanceof Tensor) || input.dtype === fake.dtype) return;
  throw inputRejected(
    "INPUT_DTYPE",
    `Expected input at ${leaf.place} to have dtype ${fake.dtype}, but got ${input.dtype}`,
    leaf.name,
  );
}
