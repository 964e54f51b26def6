import { isStatic } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { BATCH, Skip, type Val } from "../step/draft.js";
import { exactly, type Facts, rounded } from "../step/facts.js";
import { copied, exact, floats, isFloat, isStaticVal, type Maker, numbers, type Step } from "../step/step.js";
import { indexTensor } from "../step/tensors.js";

const sameType = (a: Val, b: Val): boolean =>
  a.fake.dtype === b.fake.dtype &&
  a.fake.ndim === b.fake.ndim &&
  a.fake.shape.every((size, d) => size === b.fake.shape[d]);

function joined(vals: readonly Val[]): Facts {
  return {
    bound: Math.max(...vals.map((val) => val.facts.bound)),
    noise: Math.max(...vals.map((val) => val.facts.noise)),
    exact: vals.every(exact),
    home: "fresh",
  };
}

function peers(step: Step, fits: (val: Val) => boolean): Val[] {
  const first = step.pick(fits);
  return [first, step.pick((val) => sameType(first, val)), step.pick((val) => sameType(first, val))].slice(
    0,
    2 + step.choose.below(2),
  );
}

/** Several tensors into one, and one into several. */
export const joins: readonly Maker[] = [
  {
    targets: ["aten.cat.default", "aten.stack.default"],
    make(step, target) {
      const vals = peers(step, (val) => val.fake.ndim > 0);
      const d = vals[0]!.fake.ndim - 1 - step.choose.below(vals[0]!.fake.ndim);
      step.draft.call(target, [vals, d], joined(vals));
    },
  },
  {
    targets: ["aten.split.Tensor", "aten.chunk.default", "aten.unbind.int"],
    make(step, target) {
      const val = step.pick((item) => item.fake.ndim > 0);
      const d = step.dim(val);
      if (!isStatic(val.fake.shape[d]!)) throw new Skip();
      step.draft.many(target, target.includes("unbind") ? [val, d] : [val, 2, d], val.facts);
    },
  },
  {
    targets: ["aten.split_with_sizes.default"],
    make(step, target) {
      const val = step.pick((item) => item.fake.ndim > 0);
      const d = step.dim(val);
      const size = val.fake.shape[d]!;
      if (!isStatic(size) || size < 2) throw new Skip();
      step.draft.many(target, [val, [1, size - 1], d], val.facts);
    },
  },
];

/** Returns a constant of indices into one dimension. */
function indices(step: Step, val: Val, d: number, shape: readonly number[]): Val {
  // Indices into a dynamic batch have to hold for its least size.
  const size = val.fake.shape[d]!;
  const below = isStatic(size) ? size : 2;
  return step.given(indexTensor(shape, below, step.seed()), below);
}

/** Reads by constant indices. */
export const indexing: readonly Maker[] = [
  {
    targets: ["aten.index_select.default"],
    make(step, target) {
      const val = step.pick((item) => item.fake.ndim > 0);
      const d = step.dim(val);
      step.draft.call(target, [val, d, indices(step, val, d, [1 + step.choose.below(3)])], copied(val));
    },
  },
  {
    targets: ["aten.index.Tensor"],
    make(step, target) {
      const val = step.pick((item) => item.fake.ndim > 0);
      const d = step.dim(val);
      const at = indices(step, val, d, step.choose.flag() ? [2, 2] : [3]);
      step.draft.call(target, [val, [...new Array<null>(d).fill(null), at]], copied(val));
    },
  },
  {
    targets: ["aten.gather.default"],
    make(step, target) {
      const val = step.pick((item) => item.fake.ndim > 0 && isStaticVal(item));
      const d = step.dim(val);
      step.draft.call(
        target,
        [val, d, indices(step, val, d, val.fake.shape as readonly number[])],
        copied(val),
      );
    },
  },
  {
    targets: ["aten.embedding.default"],
    make(step, target) {
      const table = step.constant("float32", [3, 1 + step.choose.below(4)]);
      step.draft.call(target, [table, indices(step, table, 0, [2, 2])], copied(table));
    },
  },
];

/** Tensors out of nothing. */
export const factories: readonly Maker[] = [
  {
    targets: ["aten.full.default"],
    make(step, target) {
      const source = step.pick((item) => item.fake.ndim > 0);
      const shape = source.fake.shape.map((size) =>
        isStatic(size) || size === BATCH ? step.draft.size(size) : 1,
      );
      step.draft.call(target, [shape, step.choose.of([0.5, 1, 2])], exactly(2));
    },
  },
  {
    targets: ["aten.zeros_like.default", "aten.ones_like.default"],
    make(step, target) {
      step.draft.call(target, [step.pick(floats)], exactly(1));
    },
  },
  {
    targets: ["aten.full_like.default"],
    make(step, target) {
      step.draft.call(target, [step.pick(floats), 0.5], exactly(1));
    },
  },
  {
    targets: ["aten.arange.default"],
    make(step, target) {
      const count = 1 + step.choose.below(4);
      step.draft.call(target, [count], exactly(count));
    },
  },
  {
    targets: ["aten.zeros.default", "aten.ones.default"],
    make(step, target) {
      step.draft.call(target, [[1 + step.choose.below(3), 2]], exactly(1));
    },
  },
];

const CASTS: readonly DType[] = ["float32", "float64", "int64", "bool", "float16", "bfloat16", "int32"];

/** Conversions between dtypes; to integers only of values that rounding cannot move across one. */
export const casts: readonly Maker[] = [
  {
    targets: ["aten.to.dtype", "aten._to_copy.default"],
    make(step, target) {
      const val = step.pick(numbers);
      const dtype = step.choose.of(CASTS);
      if (!isFloat(dtype) && !exact(val)) throw new Skip();
      const { bound, noise } = val.facts;
      // Precision only goes down where the source has more of it; what is exact on the grid may not
      // be after products.
      const facts = isFloat(dtype) ? rounded(bound, noise, dtype) : exactly(dtype === "bool" ? 1 : bound);
      const literal = { kind: "dtype", dtype } as const;
      if (target === "aten.to.dtype") step.draft.call(target, [val, literal], facts);
      else step.draft.call(target, [val], facts, { dtype: literal });
    },
  },
];
