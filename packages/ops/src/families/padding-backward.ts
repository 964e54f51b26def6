/** @file Gradients of padding by reflection and replication. */
import { type FakeTensor, float, type SymInt } from "@sconce/ir";
import { addAll, lt, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { fakeInFormatOf } from "../rules/memory-format.js";

interface PadArgs {
  readonly grad_output: FakeTensor;
  readonly self: FakeTensor;
  readonly padding: readonly SymInt[];
}

/** What was added before and after each padded dimension; pads name the last dimension first. */
const padsOf = (padding: readonly SymInt[]): readonly (readonly [before: SymInt, after: SymInt])[] =>
  Array.from({ length: padding.length / 2 }, (_, i) => {
    const at = padding.length - 2 - 2 * i;
    return [padding[at]!, padding[at + 1]!] as const;
  });

function unpadded({ grad_output: grad, self, padding }: PadArgs, { env }: { env: SymEnv }): FakeTensor {
  const pads = padsOf(padding);
  pads.forEach(([before, after], i) => {
    const dim = self.ndim - pads.length + i;
    const want = addAll([self.shape[dim]!, before, after]);
    if (mayDiffer(env, grad.shape[dim]!, want)) {
      throw shapeMismatch(
        `grad_output size at dimension ${dim} unexpected. Expected: ${describeSize(want)}, Got: ${describeSize(grad.shape[dim])}`,
      );
    }
  });
  return fakeInFormatOf(self, self.shape, env);
}

/** A range of places along a dimension: `low <= places <= high`. */
interface Range {
  readonly places: FakeTensor;
  readonly low: SymInt;
  readonly high: SymInt;
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
  sizes: readonly SymInt[],
  pads: readonly (readonly [SymInt, SymInt])[],
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
  defineOp({ schema: schemaOf("reflection", dims), meta: unpadded, decompose: foldReflections }),
  defineOp({ schema: schemaOf("replication", dims), meta: unpadded }),
]);
