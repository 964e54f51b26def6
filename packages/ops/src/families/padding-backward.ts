/** @file Gradients of padding by reflection and replication. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { addAll, ge, lt, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { fakeInFormatOf } from "../rules/memory-format.js";
import { checkDimSize, isOther } from "../rules/operand-sizes.js";

type Mode = "reflection" | "replication";

interface PadArgs {
  readonly grad_output: FakeTensor;
  readonly self: FakeTensor;
  readonly padding: readonly IntLike[];
}

/**
 * Returns what was added before and after each padded dimension; pads name the last dimension
 * first.
 */
const padsOf = (padding: readonly IntLike[]): readonly (readonly [before: IntLike, after: IntLike])[] =>
  Array.from({ length: padding.length / 2 }, (_, i) => {
    const at = padding.length - 2 - 2 * i;
    return [padding[at]!, padding[at + 1]!] as const;
  });

/** What PyTorch calls the padded dimensions, the last one last. */
const SIDES = ["depth", "height", "width"];

function unpadded(
  { grad_output: grad, self, padding }: PadArgs,
  env: SymEnv,
  mode: Mode,
  dims: number,
): FakeTensor {
  if (padding.length !== 2 * dims)
    throw invalidArgument(`padding size is expected to be ${2 * dims}, but got: ${padding.length}`);
  const pads = padsOf(padding);
  const lead = self.ndim - dims;
  // Volumes have channels too, where others may have none.
  const filled = mode === "replication" && dims === 3 ? lead - 1 : lead;
  if (self.ndim === 0 || grad.ndim === 0)
    throw invalidArgument("Dimension specified as 0 but tensor has no dimensions");
  if ((lead !== 1 && lead !== 2) || self.shape.some((size, d) => d >= filled && size === 0))
    throw shapeMismatch(
      `Expected ${dims + 1}D or ${dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero ` +
        `dimensions for input, but got: ${describeSizes(self.shape)}`,
    );
  if (grad.ndim !== self.ndim)
    throw shapeMismatch("Expected grad_output.dim() == input.dim() to be true, but got false.");
  if (isOther(env, grad.shape[lead - 1]!, self.shape[lead - 1]!))
    throw shapeMismatch(
      `gradOutput channel unexpected. Expected: ${describeSize(self.shape[lead - 1])}, Got: ${describeSize(grad.shape[lead - 1])}`,
    );
  for (let dim = self.ndim - 1; dim >= lead; dim--) {
    const [before, after] = pads[dim - lead]!;
    const size = self.shape[dim]!;
    const isTooFar = (pad: IntLike): boolean => env.knownTrue(ge(pad, size));
    if (mode === "reflection" && (isTooFar(before) || isTooFar(after)))
      throw shapeMismatch(
        "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding " +
          `(${describeSize(before)}, ${describeSize(after)}) at dimension ${dim} of input ${describeSizes(self.shape)}`,
      );
    const want = addAll([size, before, after]);
    if (isOther(env, grad.shape[dim]!, want)) {
      const called = `${mode === "reflection" ? "grad_output" : "gradOutput"} ${SIDES[3 - self.ndim + dim]}`;
      throw shapeMismatch(
        `${called} unexpected. Expected: ${describeSize(want)}, Got: ${describeSize(grad.shape[dim])}`,
      );
    }
  }
  // PyTorch reads outside of its memory for another batch.
  checkDimSize(env, grad, self.ndim, 0, self.shape[0]!);
  return fakeInFormatOf(self, self.shape, env);
}

/** A range of places along a dimension: `low <= places <= high`. */
interface Range {
  readonly places: FakeTensor;
  readonly low: IntLike;
  readonly high: IntLike;
}

/** Where the gradient of an area lies, and for which elements of the input it counts. */
interface Area {
  readonly at: FakeTensor;
  readonly range: Range;
}

/** Sums the middle and every area beyond an edge, folded back. */
function foldReflections(emit: Emit, { grad_output: grad, self, padding }: PadArgs): FakeTensor {
  const pads = padsOf(padding);
  const t = new Arithmetic(emit);
  const lead = self.ndim - pads.length;
  const lines = self.shape.map((size, d) => {
    const range = emit("aten.arange.default", [size], { device: self.device, pin_memory: false });
    return emit("aten.view.default", [range, self.shape.map((_, i) => (i === d ? -1 : 1))]);
  });
  const areas = areasOf(t, lines.slice(lead), self.shape.slice(lead), pads);
  const inside = ({ places, low, high }: Range): FakeTensor =>
    emit("aten.logical_and.default", [t.compare("ge", places, low), t.compare("le", places, high)]);
  const take = (chosen: readonly Area[]): FakeTensor => {
    const where = chosen
      .map(({ range }) => inside(range))
      .reduce((a, b) => emit("aten.logical_and.default", [a, b]));
    const at = [...lines.slice(0, lead), ...chosen.map((area) => area.at)];
    return emit("aten._unsafe_masked_index.default", [grad, where, at, float(0)]);
  };
  let sum = take(areas.map((choices) => choices[1]!));
  for (const chosen of combinations(areas)) {
    if (chosen.every((area, i) => area === areas[i]![1])) continue;
    if (chosen.some(({ range }) => isEmpty(range))) continue;
    sum = t.add(sum, take(chosen));
  }
  return sum;
}

const isEmpty = ({ low, high }: Range): boolean => lt(high, low) === true;

/**
 * For each dimension the areas before, in and after the middle; all middles are computed first, as
 * PyTorch does.
 */
function areasOf(
  t: Arithmetic,
  lines: readonly FakeTensor[],
  sizes: readonly IntLike[],
  pads: readonly (readonly [IntLike, IntLike])[],
): readonly (readonly Area[])[] {
  const last = sizes.map((size) => sub(size, 1));
  const middle = lines.map((line, i) => t.add(line, pads[i]![0]));
  const left = lines.map((line, i) => t.minus(pads[i]![0], line));
  const right = lines.map((line, i) => t.minus(addAll([last[i]!, last[i]!, pads[i]![0]]), line));
  return lines.map((places, i) => {
    const [before, after] = pads[i]!;
    return [
      { at: left[i]!, range: { places, low: 1, high: before } },
      { at: middle[i]!, range: { places: middle[i]!, low: 0, high: addAll([last[i]!, before, after]) } },
      { at: right[i]!, range: { places, low: sub(last[i]!, after), high: sub(last[i]!, 1) } },
    ];
  });
}

const combinations = (areas: readonly (readonly Area[])[]): readonly (readonly Area[])[] =>
  areas.reduce<readonly (readonly Area[])[]>(
    (chosen, choices) => chosen.flatMap((some) => choices.map((one) => [...some, one])),
    [[]],
  );

type Schema = "aten::reflection_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor";

const schemaOf = (mode: string, dims: number): Schema =>
  `aten::${mode}_pad${dims}d_backward(Tensor grad_output, Tensor self, SymInt[${2 * dims}] padding) -> Tensor` as Schema;

export const paddingBackwardOps: readonly OpDefinition[] = [1, 2, 3].flatMap((dims) => [
  defineOp({
    schema: schemaOf("reflection", dims),
    meta: (args, { env }) => unpadded(args, env, "reflection", dims),
    decompose: foldReflections,
  }),
  defineOp({
    schema: schemaOf("replication", dims),
    meta: (args, { env }) => unpadded(args, env, "replication", dims),
  }),
]);
