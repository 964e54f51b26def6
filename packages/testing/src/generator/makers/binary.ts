import { float } from "@sconce/ir";
import { dtypeInfo } from "@sconce/tensor";
import { Skip, type Val } from "../step/draft.js";
import { exactly, rounded } from "../step/facts.js";
import {
  broadcasts,
  computed,
  copied,
  exact,
  floats,
  isFloat,
  type Maker,
  numbers,
  type Step,
} from "../step/step.js";

/** Returns a dtype at least as wide as the result's, because of rounding. */
const coarser = (a: Val, b: Val): Val["fake"]["dtype"] => {
  const size = (val: Val): number => (floats(val) ? dtypeInfo(val.fake.dtype).itemSize : 4);
  return floats(a) || floats(b)
    ? (size(a) <= size(b) && floats(a) ? a : floats(b) ? b : a).fake.dtype
    : "float32";
};

function pair(step: Step, fits: (val: Val) => boolean): [a: Val, b: Val] {
  const a = step.pick(fits);
  return [a, step.partner(a, fits)];
}

const sums: Maker = {
  targets: ["aten.add.Tensor", "aten.sub.Tensor"],
  make(step, target) {
    const [a, b] = pair(step, numbers);
    const alpha = step.choose.below(4) === 3 ? 2 : 1;
    const facts = computed(
      [a, b],
      a.facts.bound + alpha * b.facts.bound,
      a.facts.noise + alpha * b.facts.noise,
      coarser(a, b),
    );
    step.draft.call(target, [a, b], facts, alpha === 1 ? undefined : { alpha });
  },
};

const products: Maker = {
  targets: ["aten.mul.Tensor"],
  make(step, target) {
    const [a, b] = pair(step, () => true);
    const [x, y] = [a.facts, b.facts];
    const noise = x.noise * y.bound + y.noise * x.bound;
    step.draft.call(target, [a, b], computed([a, b], x.bound * y.bound, noise, coarser(a, b)));
  },
};

const quotients: Maker = {
  targets: ["aten.div.Tensor"],
  make(step, target) {
    const [a, b] = pair(step, numbers);
    const divisor = step.positive(b);
    const noise = 2 * a.facts.noise + 4 * a.facts.bound * b.facts.noise;
    step.draft.call(target, [a, divisor], rounded(2 * a.facts.bound, noise, coarser(a, b)));
  },
};

/** Facts of a result whose every element is that of one or the other. */
const eitherOf = (a: Val, b: Val): Val["facts"] =>
  computed(
    [a, b],
    Math.max(a.facts.bound, b.facts.bound),
    Math.max(a.facts.noise, b.facts.noise),
    coarser(a, b),
  );

const extremes: Maker = {
  targets: ["aten.maximum.default", "aten.minimum.default"],
  make(step, target) {
    const [a, b] = pair(step, numbers);
    step.draft.call(target, [a, b], eitherOf(a, b));
  },
};

const comparisons: Maker = {
  targets: [
    "aten.gt.Tensor",
    "aten.lt.Tensor",
    "aten.ge.Tensor",
    "aten.le.Tensor",
    "aten.eq.Tensor",
    "aten.ne.Tensor",
    "aten.logical_and.default",
    "aten.logical_or.default",
    "aten.logical_xor.default",
  ],
  make(step, target) {
    const [a, b] = pair(step, exact);
    step.draft.call(target, [a, b], exactly(1));
  },
};

const bits: Maker = {
  targets: ["aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor"],
  make(step, target) {
    const [a, b] = pair(step, (val) => !isFloat(val.fake.dtype) && val.facts.bound <= 64);
    step.draft.call(target, [a, b], exactly(128));
  },
};

/**
 * Returns a condition that broadcasts with the value: one of the draft's, or a comparison made for
 * it.
 */
function condition(step: Step, val: Val): Val {
  const shape = val.fake.shape;
  const found = step.choose.rendezvous(
    step.draft.vals.filter((item) => item.fake.dtype === "bool" && broadcasts(shape, item.fake.shape)),
  );
  if (found !== undefined) return found;
  const source = step.choose.rendezvous(
    step.draft.vals.filter((item) => exact(item) && broadcasts(shape, item.fake.shape)),
  );
  if (source === undefined) throw new Skip();
  return step.draft.call("aten.gt.Scalar", [source, 0], exactly(1));
}

const choices: Maker = {
  targets: ["aten.where.self"],
  make(step, target) {
    const [a, b] = pair(step, numbers);
    step.draft.call(target, [condition(step, a), a, b], eitherOf(a, b));
  },
};

const masks: Maker = {
  targets: ["aten.masked_fill.Scalar"],
  make(step, target) {
    const val = step.pick(floats);
    step.draft.call(
      target,
      [val, condition(step, val), float(1)],
      copied({
        ...val,
        facts: { ...val.facts, bound: Math.max(val.facts.bound, 1) },
      }),
    );
  },
};

const blends: Maker = {
  targets: ["aten.addcmul.default", "aten.lerp.Tensor"],
  make(step, target) {
    const [a, b] = pair(step, floats);
    const c = step.partner(b, (other) => floats(other) && broadcasts(other.fake.shape, a.fake.shape));
    if (!broadcasts(a.fake.shape, c.fake.shape)) throw new Skip();
    const vals = [a, b, c];
    const bound = a.facts.bound + (a.facts.bound + b.facts.bound) * c.facts.bound;
    const noise =
      a.facts.noise * (1 + c.facts.bound) +
      b.facts.noise * c.facts.bound +
      c.facts.noise * (a.facts.bound + b.facts.bound);
    if (new Set(vals.map((val) => val.fake.dtype)).size > 1) throw new Skip();
    step.draft.call(target, vals, rounded(bound, noise, a.fake.dtype));
  },
};

/** Functions of two and three tensors, with broadcasting and promotion. */
export const binary: readonly Maker[] = [
  sums,
  products,
  quotients,
  extremes,
  comparisons,
  bits,
  choices,
  masks,
  blends,
];
