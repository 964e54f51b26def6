/** @file The same bytes as another element type. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, floorDiv, mod, mul, type SymEnv } from "@sconce/symbolic";
import { type DType, dtypeInfo } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { shapeMismatch } from "../rows/errors.js";
import { check, isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSize } from "../rules/describe.js";
import { viewOf } from "../rules/view-geometry.js";

/** @throws SconceError `SHAPE_MISMATCH` when the last dimension cannot be cut or joined */
function viewDTypeMeta(self: FakeTensor, dtype: DType, env: SymEnv): FakeTensor {
  const [from, to] = [dtypeInfo(self.dtype).itemSize, dtypeInfo(dtype).itemSize];
  if (from === to) return viewOf(self, self.shape, self.strides, self.storageOffset, dtype);
  const names = `${self.dtype} as ${dtype} (different element sizes)`;
  if (self.ndim === 0) throw shapeMismatch(`self.dim() cannot be 0 to view ${names}`);
  if (mayDiffer(env, self.strides.at(-1)!, 1) && mayDiffer(env, self.shape.at(-1)!, 1)) {
    throw shapeMismatch(
      `self.stride(-1) must be 1 to view ${names}, but got ${describeSize(self.strides.at(-1)!)}`,
    );
  }
  return from > to ? narrower(self, dtype, from / to) : wider(self, dtype, to / from, env, names);
}

function narrower(self: FakeTensor, dtype: DType, ratio: number): FakeTensor {
  const last = self.ndim - 1;
  const strides = self.strides.map((stride, d) => (d === last ? 1 : mul(stride, ratio)));
  return viewOf(
    self,
    self.shape.with(last, mul(self.shape[last]!, ratio)),
    strides,
    mul(self.storageOffset, ratio),
    dtype,
  );
}

function wider(self: FakeTensor, dtype: DType, ratio: number, env: SymEnv, names: string): FakeTensor {
  const last = self.ndim - 1;
  const divisible = (value: IntLike, what: string): IntLike => {
    check(env, eq(mod(value, ratio), 0), () =>
      shapeMismatch(`${what} must be divisible by ${ratio} to view ${names}, but got ${describeSize(value)}`),
    );
    return floorDiv(value, ratio);
  };
  const size = divisible(self.shape[last]!, `self.size(-1)`);
  const offset = divisible(self.storageOffset, "self.storage_offset()");
  const strides = self.strides.map((stride, d) =>
    d === last
      ? 1
      : isEqual(env, self.shape[d]!, 1) && typeof stride === "number" && stride % ratio !== 0
        ? stride
        : divisible(stride, `self.stride(${d})`),
  );
  return viewOf(self, self.shape.with(last, size), strides, offset, dtype);
}

const viewDType = defineOp({
  schema: "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
  meta: ({ self, dtype }, { env }) => viewDTypeMeta(self, dtype, env),
});

export const viewDTypeOps: readonly OpDefinition[] = [viewDType];
