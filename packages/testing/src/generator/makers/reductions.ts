import type { Val } from "../step/draft.js";
import { epsilon, exactly, type Facts, rounded } from "../step/facts.js";
import { copied, exact, floats, isFloat, type Maker, numbers, type Step } from "../step/step.js";

const resultOf = (val: Val): Val["fake"]["dtype"] => (isFloat(val.fake.dtype) ? val.fake.dtype : "int64");

/** Returns a sum of `count` elements: they may be added in any order. */
function summed(val: Val, count: number): Facts {
  const { bound, noise } = val.facts;
  const dtype = resultOf(val);
  if (!isFloat(dtype)) return exactly(bound * count);
  return rounded(bound * count, noise * count + epsilon(dtype) * bound * count, dtype);
}

function averaged(val: Val): Facts {
  const { bound, noise } = val.facts;
  return rounded(bound, noise + 4 * epsilon(val.fake.dtype) * bound, val.fake.dtype);
}

/** One or two dimensions, and whether they stay as 1. */
function dims(step: Step, val: Val): [dims: number[], keep: boolean] {
  const first = step.dim(val);
  const second = step.choose.below(val.fake.ndim);
  const both = step.choose.flag() && second !== first;
  return [both ? [first, second].sort() : [first], step.choose.flag()];
}

const all = (val: Val): number[] => val.fake.shape.map((_, d) => d);

/** Functions of whole dimensions. */
export const reductions: readonly Maker[] = [
  {
    targets: ["aten.sum.default"],
    make(step, target) {
      const val = step.pick();
      step.draft.call(target, [val], summed(val, step.extent(val, all(val))));
    },
  },
  {
    targets: ["aten.sum.dim_IntList"],
    make(step, target) {
      const val = step.pick();
      const [over, keep] = dims(step, val);
      step.draft.call(target, [val, over, keep], summed(val, step.extent(val, over)));
    },
  },
  {
    targets: ["aten.mean.default"],
    make(step, target) {
      const val = step.pick(floats);
      step.draft.call(target, [val], averaged(val));
    },
  },
  {
    targets: ["aten.mean.dim"],
    make(step, target) {
      const val = step.pick(floats);
      step.draft.call(target, [val, ...dims(step, val)], averaged(val));
    },
  },
  {
    targets: ["aten.amax.default", "aten.amin.default"],
    make(step, target) {
      const val = step.pick(numbers);
      step.draft.call(target, [val, ...dims(step, val)], copied(val));
    },
  },
  {
    targets: ["aten.max.dim", "aten.min.dim"],
    make(step, target) {
      const val = step.pick((item) => exact(item) && numbers(item));
      const d = step.dim(val);
      const index = exactly(step.extent(val, [d]));
      step.draft.many(target, [val, d, step.choose.flag()], [copied(val), index]);
    },
  },
  {
    targets: ["aten.argmax.default", "aten.argmin.default"],
    make(step, target) {
      const val = step.pick((item) => exact(item) && numbers(item));
      const d = step.dim(val);
      step.draft.call(target, [val, d, step.choose.flag()], exactly(step.extent(val, [d])));
    },
  },
  {
    targets: ["aten.any.dim", "aten.all.dim"],
    make(step, target) {
      const val = step.pick(exact);
      step.draft.call(target, [val, step.dim(val), step.choose.flag()], exactly(1));
    },
  },
  {
    targets: ["aten.var.correction"],
    make(step, target) {
      const val = step.pick((item) => floats(item) && item.facts.bound <= 50);
      const { bound, noise } = val.facts;
      const facts = rounded(bound * bound, 4 * bound * noise, val.fake.dtype);
      step.draft.call(target, [val, [step.dim(val)]], facts, { correction: 0, keepdim: step.choose.flag() });
    },
  },
  {
    targets: ["aten.cumsum.default"],
    make(step, target) {
      const val = step.pick();
      const d = step.dim(val);
      step.draft.call(target, [val, d], summed(val, step.extent(val, [d])));
    },
  },
  {
    targets: ["aten.logsumexp.default"],
    make(step, target) {
      const val = step.tamed(step.pick(floats), 20);
      const d = step.dim(val);
      const bound = val.facts.bound + Math.log(step.extent(val, [d]) + 1);
      step.draft.call(target, [val, [d]], rounded(bound, val.facts.noise, val.fake.dtype));
    },
  },
  {
    targets: ["aten.softmax.int", "aten._softmax.default"],
    make(step, target) {
      const val = step.pick(floats);
      const args = target.includes("_softmax") ? [val, step.dim(val), false] : [val, step.dim(val)];
      step.draft.call(target, args, rounded(1, val.facts.noise, val.fake.dtype));
    },
  },
  {
    targets: ["aten.log_softmax.int"],
    make(step, target) {
      const val = step.tamed(step.pick(floats), 100);
      const d = step.dim(val);
      const bound = 2 * val.facts.bound + Math.log(step.extent(val, [d]) + 1);
      step.draft.call(target, [val, d], rounded(bound, 2 * val.facts.noise, val.fake.dtype));
    },
  },
];
