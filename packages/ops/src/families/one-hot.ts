/** @file One-hot encoding. */
import type { FakeTensor } from "@sconce/ir";
import { add } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { fake } from "../rules/fake.js";

const oneHot = defineOp({
  schema: "aten::one_hot(Tensor self, int num_classes=-1) -> Tensor",
  tags: ["composite", "dynamic_output_shape"],
  meta: ({ self, num_classes: classes }, { env }) => {
    if (self.dtype !== "int64") {
      throw invalidArgument("one_hot is only applicable to index tensor of type LongTensor.");
    }
    if (typeof classes === "number" && classes < -1) throw invalidArgument("num_classes should be positive");
    return fake({
      dtype: "int64",
      shape: [...self.shape, classes === -1 ? env.freshUnbackedInt() : classes],
      like: self,
    });
  },
  decompose: (emit, { self, num_classes: given }) => {
    const classes = given === -1 ? largestPlusOne(emit, self) : given;
    const check = (target: string, bound: typeof classes, message: string): void => {
      const all = emit("aten.all.default", [emit(target, [self, bound])]);
      emit.value("aten._assert_async.msg", [all, message]);
    };
    check("aten.ge.Scalar", 0, "one_hot: Class values must be non-negative.");
    check("aten.lt.Scalar", classes, "one_hot: Class values must be smaller than num_classes.");
    const column = emit("aten.unsqueeze.default", [self, -1]);
    const range = emit("aten.arange.default", [classes], {
      dtype: self.dtype,
      device: self.device,
      pin_memory: false,
    });
    const hot = emit("aten.eq.Tensor", [column, range]);
    return emit("aten._to_copy.default", [hot], { dtype: "int64" });
  },
});

function largestPlusOne(emit: Emit, self: FakeTensor) {
  const largest = emit.value("aten.item.default", [emit("aten.max.default", [self])]) as {
    readonly expr: number;
  };
  return add(largest.expr, 1);
}

export const oneHotOps: readonly OpDefinition[] = [oneHot];
