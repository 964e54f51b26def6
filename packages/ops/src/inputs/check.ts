/**
 * @file Whether a program takes given inputs: PyTorch's checks in PyTorch's words, and those that it leaves
 * to chance.
 */
import { type ExportedProgram, FakeTensor, type Value } from "@sconce/ir";
import { printExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { inputRejected } from "../errors.js";
import { checkConstraints } from "./constraints.js";
import { checkGuards, programGuards } from "./guards.js";
import { type Leaf, userLeaves } from "./leaf-path.js";

/** Throws when the user inputs (flattened) are not what the program takes. */
export type InputCheck = (inputs: readonly Value[]) => void;

/**
 * The checks of a program, prepared once: number, kinds and ranks of inputs, then the guards (or, for a
 * program without example inputs, the constraints), then dtypes.
 *
 * @throws SconceError (when checking) `INPUT_COUNT`, `INPUT_TYPE`, `INPUT_RANK`, `GUARD_FAILED`,
 * `INPUT_MISMATCH`, `INPUT_DTYPE`
 */
export function inputCheck(program: ExportedProgram): InputCheck {
  const leaves = userLeaves(program);
  const guards = program.exampleInputs === null ? undefined : programGuards(program, leaves);
  const fakes = leaves.map((leaf) => {
    const value = program.graph.node(leaf.name).meta.val;
    return value instanceof FakeTensor ? value : undefined;
  });
  return (inputs) => {
    if (inputs.length !== leaves.length) {
      throw inputRejected(
        "INPUT_COUNT",
        `Unexpected number of inputs (expected ${leaves.length}, got ${inputs.length})`,
      );
    }
    leaves.forEach((leaf, i) => {
      checkKind(leaf, fakes[i], inputs[i]!);
    });
    if (guards === undefined) checkConstraints(program, leaves, inputs);
    else checkGuards(guards, leaves, inputs);
    leaves.forEach((leaf, i) => {
      checkDType(leaf, fakes[i], inputs[i]!);
    });
  };
}

function checkKind(leaf: Leaf, fake: FakeTensor | undefined, input: Value): void {
  if (fake === undefined) {
    if (leaf.spec.arg.kind === "constant" || !(input instanceof Tensor)) return;
    throw inputRejected(
      "INPUT_TYPE",
      `Expected input at ${leaf.place} to be a number, but got a tensor`,
      leaf.name,
    );
  }
  if (!(input instanceof Tensor)) {
    const got = input === null ? "None" : `a ${typeof input}`;
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

function checkDType(leaf: Leaf, fake: FakeTensor | undefined, input: Value): void {
  if (fake === undefined || !(input instanceof Tensor) || input.dtype === fake.dtype) return;
  throw inputRejected(
    "INPUT_DTYPE",
    `Expected input at ${leaf.place} to have dtype ${fake.dtype}, but got ${input.dtype}`,
    leaf.name,
  );
}
