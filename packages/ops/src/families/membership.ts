/** @file Membership and one-hot encoding. */
import type { FakeTensor } from "@sconce/ir";
import { add } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../define-op.js";
import type { Emit } from "../emit.js";
import { invalidArgument } from "../errors.js";
import { fake, numelOf } from "../rules/fake.js";

function isinDirect(emit: Emit, elements: FakeTensor, tests: FakeTensor): FakeTensor {
  if (tests.ndim === 0) return emit("aten.eq.Tensor", [elements, tests]);
  const spread = emit("aten.view.default", [elements, [...elements.shape, ...tests.shape.map(() => 1)]]);
  const dims = tests.shape.map((_, d) => -1 - d);
  return emit("aten.any.dims", [emit("aten.eq.Tensor", [spread, tests]), dims]);
}

function isinSorted(emit: Emit, elements: FakeTensor, tests: FakeTensor, invert: boolean): FakeTensor {
  const flat = emit("aten.flatten.using_ints", [elements]);
  const sorted = emit.many("aten.sort.default", [emit("aten.flatten.using_ints", [tests])])[0]!;
  const places = emit("aten.searchsorted.Tensor", [sorted, flat]);
  const inside = emit("aten.lt.Scalar", [places, numelOf(sorted.shape)]);
  const found = emit("aten.index.Tensor", [sorted, [emit("aten.where.ScalarOther", [inside, places, 0])]]);
  const equal = emit("aten.eq.Tensor", [found, flat]);
  const result = invert ? emit("aten.logical_not.default", [equal]) : equal;
  return emit("aten.reshape.default", [result, elements.shape]);
}

/** Few test elements are compared one by one, many are sorted and searched. */
function isin(emit: Emit, elements: FakeTensor, tests: FakeTensor, invert: boolean): FakeTensor {
  const count = numelOf(elements.shape);
  const testCount = numelOf(tests.shape);
  const few = typeof count === "number" && typeof testCount === "number" && testCount < 10 * count ** 0.145;
  if (!few) return isinSorted(emit, elements, tests, invert);
  if (count === 0) return emit("aten.empty_like.default", [elements], { dtype: "bool", pin_memory: false });
  const result = isinDirect(emit, elements, tests);
  return invert ? emit("aten.bitwise_not.default", [result]) : result;
}

const isinOps = [
  defineOp({
    schema: "aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    meta: ({ elements }) => fake({ dtype: "bool", shape: elements.shape, like: elements }),
    decompose: (emit, { elements, test_elements: tests, invert }) => isin(emit, elements, tests, invert),
  }),
  defineOp({
    schema: "aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor",
    meta: ({ elements }) => fake({ dtype: "bool", shape: elements.shape, like: elements }),
    decompose: (emit, { elements, test_element: test, invert }) =>
      emit(invert ? "aten.ne.Scalar" : "aten.eq.Scalar", [elements, test]),
  }),
  defineOp({
    schema: "aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
    meta: ({ test_elements: tests }) => fake({ dtype: "bool", shape: [], like: tests }),
    decompose: (emit, { element, test_elements: tests, invert }) =>
      isin(emit, emit("aten.scalar_tensor.default", [element], { device: tests.device }), tests, invert),
  }),
];

const oneHot = defineOp({
  schema: "aten::one_hot(Tensor self, int num_classes=-1) -> Tensor",
  tags: ["composite", "dynamic_output_shape"],
  meta: ({ self, num_classes: classes }, { env }) => {
    if (self.dtype !== "int64") {
      throw invalidArgument("one_hot is only applicable to index tensor of type LongTensor.");
    }
    if (typeof classes === "number" && classes < -1) throw invalidArgument("num_classes should be positive");
    return fake({ dtype: "int64", shape: [...self.shape, classes === -1 ? env.freshUnbackedInt() : classes], like: self });
  },
  decompose: (emit, { self, num_classes: given }) => {
    const classes = given === -1 ? largestPlusOne(emit, self) : given;
    const check = (target: string, bound: typeof classes, message: string): void => {
      const all = emit("aten.all.default", [emit(target, [self, bound])]);
      emit.value("aten._assert_async.msg", [all, message]);
    };
    check("aten.ge.Scalar", 0, "one_hot: Class values must be non-negative.");
    check("aten.lt.Scalar", classes, "one_hot: Class values must be smaller than num_classes.");
    const range = emit("aten.arange.default", [classes], { dtype: self.dtype, device: self.device, pin_memory: false });
    const hot = emit("aten.eq.Tensor", [emit("aten.unsqueeze.default", [self, -1]), range]);
    return emit("aten._to_copy.default", [hot], { dtype: "int64" });
  },
});

function largestPlusOne(emit: Emit, self: FakeTensor) {
  const largest = emit.value("aten.item.default", [emit("aten.max.default", [self])]) as { readonly expr: number };
  return add(largest.expr, 1);
}

export const membershipOps: readonly OpDefinition[] = [...isinOps, oneHot];
