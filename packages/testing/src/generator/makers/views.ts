import type { Argument } from "@sconce/ir";
import { type IntLike, isStatic } from "@sconce/symbolic";
import { Skip, type Val } from "../step/draft.js";
import { arranged, copied, isStaticVal, type Maker, type Step } from "../step/step.js";

const sized = (val: Val): boolean => val.fake.ndim > 0;

/** Sizes for the same elements: two neighbors merged, or one split. */
function reshaped(step: Step, val: Val): IntLike[] {
  const shape = [...val.fake.shape];
  const from = shape.findIndex(isStatic) === -1 ? 1 : shape.findIndex(isStatic);
  if (shape.length === 0) return [1];
  const d = from + step.choose.below(Math.max(shape.length - from, 1));
  const [size, next] = [shape[d], shape[d + 1]];
  if (typeof size === "number" && typeof next === "number" && step.choose.flag()) {
    shape.splice(d, 2, size * next);
  } else if (typeof size === "number") {
    shape.splice(d, 1, ...(size % 2 === 0 ? [size / 2, 2] : [1, size]));
  } else throw new Skip();
  return shape;
}

function permutation(step: Step, rank: number): number[] {
  const rest = Array.from({ length: rank }, (_, d) => d);
  return Array.from({ length: rank }, () => rest.splice(step.choose.below(rest.length), 1)[0]!);
}

const view = (
  targets: readonly string[],
  args: (step: Step, val: Val) => readonly Argument[],
  options: { readonly fits?: (val: Val) => boolean; readonly copies?: boolean } = {},
): Maker => ({
  targets: targets.map((target) => `aten.${target}`),
  make(step, target) {
    const val = step.pick(options.fits ?? sized);
    step.draft.call(target, [val, ...args(step, val)], (options.copies === true ? copied : arranged)(val));
  },
});

const sizes = (step: Step, shape: readonly IntLike[]): Argument => shape.map((size) => step.draft.size(size));

/** Views, and copies that only rearrange. */
export const views: readonly Maker[] = [
  view(["view.default", "reshape.default"], (step, val) => [sizes(step, reshaped(step, val))], {
    fits: () => true,
  }),
  view(["permute.default"], (step, val) => [permutation(step, val.fake.ndim)]),
  view(["transpose.int"], (step, val) => [step.dim(val), step.dim(val)]),
  view(["t.default"], () => [], { fits: (val) => val.fake.ndim === 2 }),
  view(["unsqueeze.default"], (step, val) => [step.choose.below(val.fake.ndim + 1)], {
    fits: (val) => val.fake.ndim < 5,
  }),
  view(["squeeze.dim"], (step, val) => [step.dim(val)]),
  view(["flatten.using_ints"], (step, val) => {
    const first = step.dim(val);
    return [isStatic(val.fake.shape[first]!) ? first : Math.min(1, val.fake.ndim - 1), -1];
  }),
  view(["select.int"], (step, val) => {
    const d = step.dim(val);
    return [d, step.choose.below(step.draft.hint(val.fake.shape[d]!) < 2 ? 1 : 2)];
  }),
  view(["slice.Tensor"], (step, val) => {
    const d = step.dim(val);
    const size = val.fake.shape[d]!;
    const start = step.choose.below(2);
    if (!isStatic(size)) return [d, 0, 9223372036854775807n];
    return [
      d,
      start,
      step.choose.flag() ? 9223372036854775807n : Math.max(size - 1, start),
      1 + step.choose.below(2),
    ];
  }),
  view(["narrow.default"], (step, val) => {
    const d = step.dim(val);
    const size = val.fake.shape[d]!;
    if (!isStatic(size) || size < 2) throw new Skip();
    return [d, 1, size - 1];
  }),
  view(["expand.default"], (step, val) => {
    const shape = val.fake.shape.map((size) =>
      size === 1 && step.choose.flag() ? 3 : step.draft.size(size),
    );
    return [step.choose.flag() ? [2, ...shape] : shape];
  }),
  view(["diagonal.default"], () => [], { fits: (val) => val.fake.ndim >= 2 && isStaticVal(val) }),
  view(["detach.default", "alias.default", "contiguous.default"], () => [], { fits: () => true }),
  view(["flip.default"], (step, val) => [[step.dim(val)]], { copies: true }),
  view(["roll.default"], (step, val) => [[1], [step.dim(val)]], {
    copies: true,
    fits: (val) => sized(val) && isStaticVal(val),
  }),
  view(["repeat.default"], (step, val) => [[2, ...val.fake.shape.map(() => 1 + step.choose.below(2))]], {
    copies: true,
    fits: isStaticVal,
  }),
  view(["tril.default", "triu.default"], (step) => [step.choose.below(3) - 1], {
    copies: true,
    fits: (val) => val.fake.ndim >= 2,
  }),
  view(["constant_pad_nd.default"], (step) => [[1, step.choose.below(3)], 0.5], {
    copies: true,
    fits: (val) => sized(val) && isStatic(val.fake.shape.at(-1)!) && val.fake.dtype.startsWith("float"),
  }),
];
