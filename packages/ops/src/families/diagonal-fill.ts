/** @file `fill_diagonal_`: writes through a strided view of the diagonal. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, eq, floorDiv, gt, lt, mul, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { shapeMismatch } from "../rows/errors.js";
import { check } from "../rules/comparison.js";
import { numelOf } from "../rules/fake.js";

const fillDiagonal = defineOp({
  schema: "aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)",
  tags: ["composite"],
  meta: ({ self }) => self,
  decompose: (emit, { self, fill_value: value, wrap }) => {
    if (self.ndim < 2) throw shapeMismatch("dimensions must larger than 1");
    const [height, width] = self.shape as readonly [IntLike, IntLike];
    for (const size of self.ndim > 2 ? self.shape : []) {
      check(emit.env, eq(size, height), () =>
        shapeMismatch("all dimensions of input must be of equal length"),
      );
    }
    const length = emit.env.guard(lt(width, height)) ? width : height;
    const step = self.strides.reduce<IntLike>((sum, stride) => add(sum, stride), 0);
    fillStrided(emit, self, length, step, self.storageOffset, value);
    if (wrap && self.ndim === 2 && emit.env.guard(gt(height, add(width, 1)))) {
      const period = add(width, 1);
      const rows = floorDiv(sub(add(numelOf(self.shape), period), 1), period);
      const offset = add(self.storageOffset, mul(self.strides[0]!, period));
      fillStrided(emit, self, sub(rows, length), step, offset, value);
    }
    return self;
  },
});

function fillStrided(
  emit: Emit,
  self: FakeTensor,
  length: IntLike,
  step: IntLike,
  offset: IntLike,
  value: unknown,
): void {
  const diagonal = emit("aten.as_strided.default", [self, [length], [step], offset]);
  emit("aten.fill_.Scalar", [diagonal, value as number]);
}

export const diagonalFillOps: readonly OpDefinition[] = [fillDiagonal];
