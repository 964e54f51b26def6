import { type IntLike, isStatic } from "@sconce/symbolic";
import { Skip, type Val } from "../step/draft.js";
import { epsilon, type Facts, rounded } from "../step/facts.js";
import { floats, isStaticVal, type Maker, type Step } from "../step/step.js";

/** Sums of `count` products of a value with weights. */
function contracted(val: Val, weights: readonly Val[], count: number): Facts {
  const { bound, noise } = val.facts;
  const largest = Math.max(...weights.map((weight) => weight.facts.bound));
  const offset = weights.length > 1 ? largest : 0;
  const size = bound * largest * count + offset;
  return rounded(size, noise * largest * count + count * epsilon(val.fake.dtype) * bound, val.fake.dtype);
}

/** A float matrix, or stack of matrices, whose last size is known. */
const matrix =
  (rank: number) =>
  (val: Val): boolean =>
    floats(val) && val.fake.ndim === rank && isStatic(val.fake.shape[rank - 1]!);
const rows = (val: Val): boolean =>
  floats(val) && val.fake.ndim >= 1 && isStatic(val.fake.shape[val.fake.ndim - 1]!);
const last = (val: Val): number => val.fake.shape[val.fake.ndim - 1] as number;
const weight = (step: Step, val: Val, shape: readonly IntLike[]): Val => step.constant(val.fake.dtype, shape);

function batched(step: Step, val: Val): readonly IntLike[] {
  const batch = val.fake.shape[0]!;
  if (!isStatic(batch)) throw new Skip();
  return [batch, last(val), 1 + step.choose.below(3)];
}

/** Returns a value of four dimensions with known channels and sizes. */
function images(step: Step): Val {
  const val = step.pick(
    (item) =>
      floats(item) && item.fake.ndim >= 3 && item.fake.ndim <= 4 && item.fake.shape.slice(1).every(isStatic),
  );
  return val.fake.ndim === 4 ? val : step.draft.call("aten.unsqueeze.default", [val, 1], val.facts);
}

/** Matrix products and layers. */
export const products: readonly Maker[] = [
  {
    targets: ["aten.mm.default"],
    make(step, target) {
      const val = step.pick(matrix(2));
      const by = weight(step, val, [last(val), 1 + step.choose.below(4)]);
      step.draft.call(target, [val, by], contracted(val, [by], last(val)));
    },
  },
  {
    targets: ["aten.addmm.default"],
    make(step, target) {
      const val = step.pick(matrix(2));
      const columns = 1 + step.choose.below(4);
      const weights = [weight(step, val, [columns]), weight(step, val, [last(val), columns])];
      step.draft.call(target, [weights[0]!, val, weights[1]!], contracted(val, weights, last(val)));
    },
  },
  {
    targets: ["aten.bmm.default"],
    make(step, target) {
      const val = step.pick(matrix(3));
      const by = weight(step, val, batched(step, val));
      step.draft.call(target, [val, by], contracted(val, [by], last(val)));
    },
  },
  {
    targets: ["aten.baddbmm.default"],
    make(step, target) {
      const val = step.pick(matrix(3));
      const shape = batched(step, val);
      const weights = [weight(step, val, [shape[2]!]), weight(step, val, shape)];
      step.draft.call(target, [weights[0]!, val, weights[1]!], contracted(val, weights, last(val)));
    },
  },
  {
    targets: ["aten.matmul.default"],
    make(step, target) {
      const val = step.pick(rows);
      const by = weight(step, val, step.choose.flag() ? [last(val)] : [last(val), 2]);
      step.draft.call(target, [val, by], contracted(val, [by], last(val)));
    },
  },
  {
    targets: ["aten.linear.default"],
    make(step, target) {
      const val = step.pick(rows);
      const features = 1 + step.choose.below(4);
      const weights = [weight(step, val, [features, last(val)])];
      if (step.choose.flag()) weights.push(weight(step, val, [features]));
      step.draft.call(target, [val, ...weights], contracted(val, weights, last(val)));
    },
  },
  {
    targets: ["aten.conv2d.default"],
    make(step, target) {
      const val = images(step);
      const [, channels, height, width] = val.fake.shape as readonly number[];
      const kernel = [1 + step.choose.below(3), 1 + step.choose.below(3)];
      const padding = step.choose.below(2);
      if (kernel[0]! > height! + 2 * padding || kernel[1]! > width! + 2 * padding) throw new Skip();
      const filters = 1 + step.choose.below(3);
      const weights = [weight(step, val, [filters, channels!, ...kernel])];
      const bias = step.choose.flag() ? weight(step, val, [filters]) : null;
      if (bias !== null) weights.push(bias);
      const count = channels! * kernel[0]! * kernel[1]!;
      const args = [val, weights[0]!, bias, [1 + step.choose.below(2), 1], [padding, padding]];
      step.draft.call(target, args, contracted(val, weights, count));
    },
  },
  {
    targets: ["aten.max_pool2d.default", "aten.avg_pool2d.default"],
    make(step, target) {
      const val = images(step);
      const [, , height, width] = val.fake.shape as readonly number[];
      const kernel = [Math.min(2, height!), Math.min(2, width!)];
      step.draft.call(target, [val, kernel], rounded(val.facts.bound, val.facts.noise, val.fake.dtype));
    },
  },
  {
    targets: ["aten.layer_norm.default"],
    make(step, target) {
      const val = step.pick((item) => rows(item) && last(item) > 1);
      const shape = [last(val)];
      const weights = step.choose.flag() ? [weight(step, val, shape), weight(step, val, shape)] : [];
      const eps = step.choose.flag() ? 1e-5 : 0.0625;
      const { dtype } = val.fake;
      // Where all elements are nearly equal, their differences are divided by the square root of
      // eps.
      const noise = (2 * (val.facts.noise + epsilon(dtype) * val.facts.bound)) / Math.sqrt(eps);
      const facts = rounded(2 * Math.sqrt(last(val)) + 2, noise * 2, dtype);
      step.draft.call(target, [val, shape, ...(weights.length > 0 ? weights : [null, null]), eps], facts);
    },
  },
  {
    targets: ["aten.dropout.default"],
    make(step, target) {
      const val = step.pick(floats);
      step.draft.call(target, [val, 0.5, false], val.facts);
    },
  },
  {
    targets: ["aten.scaled_dot_product_attention.default"],
    make(step, target) {
      const val = step.pick((item) => matrix(4)(item) && isStaticVal(item));
      const bounded = step.tamed(val, 4);
      const noise = bounded.facts.noise * (1 + 2 * bounded.facts.bound ** 2 * last(val));
      const facts = rounded(bounded.facts.bound, noise, val.fake.dtype);
      step.draft.call(target, [bounded, bounded, bounded], facts);
    },
  },
];
