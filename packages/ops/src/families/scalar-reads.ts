/** @file Reading sizes and single values out of tensors. */
import { type FakeTensor, type SymScalar, symBool, symFloat, symInt } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { freshBool, remembered } from "../rules/data-dependent.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { isChannelsLast, isContiguousFake, numelOf } from "../rules/fake.js";

/** Returns the value of a tensor of one element: the same symbol each time it is read. */
function itemMeta(self: FakeTensor, env: SymEnv): SymScalar {
  const numel = numelOf(self.shape);
  if (mayDiffer(env, numel, 1)) {
    throw invalidArgument(`a Tensor with ${describeSize(numel)} elements cannot be converted to Scalar`);
  }
  if (isComplexDType(self.dtype))
    throw dtypeMismatch(`item() of a ${self.dtype} tensor has no symbolic form`);
  return remembered(env, "item", self, () => {
    if (isFloatDType(self.dtype)) return symFloat(env.freshUnbackedFloat());
    return self.dtype === "bool" ? freshBool(env) : symInt(env.freshUnbackedInt());
  });
}

const localScalarDense = defineOp({
  schema: "aten::_local_scalar_dense(Tensor self) -> Scalar",
  tags: ["core", "data_dependent_output"],
  meta: ({ self }, { env }) => itemMeta(self, env),
});

const item = defineOp({
  schema: "aten::item(Tensor self) -> Scalar",
  tags: ["composite", "data_dependent_output"],
  meta: ({ self }, { env }) => itemMeta(self, env),
  decompose: (emit, { self }) => emit.value("aten._local_scalar_dense.default", [self]),
});

const isNonzero = defineOp({
  schema: "aten::is_nonzero(Tensor self) -> bool",
  tags: ["composite"],
  meta: ({ self }, { env }) => {
    const numel = numelOf(self.shape);
    if (mayDiffer(env, numel, 1)) {
      throw invalidArgument(
        `Boolean value of Tensor with ${numel === 0 ? "no values" : "more than one value"} is ambiguous`,
      );
    }
    return freshBool(env);
  },
});

/** Comparisons of whole tensors: a condition that only the data decide. */
const comparesWhole = (schema: `aten::${"equal" | "allclose"}(${string}) -> bool`): OpDefinition =>
  defineOp({
    schema,
    tags: schema.startsWith("aten::equal")
      ? ["data_dependent_output", "pointwise"]
      : ["data_dependent_output"],
    meta: (_, { env }) => freshBool(env),
  });

const symSize = defineOp({
  schema: "aten::sym_size.int(Tensor self, int dim) -> SymInt",
  tags: ["core", "composite"],
  meta: ({ self, dim }) => symInt(self.shape[requireDim(self, wrapDim(dim, self.ndim))]!),
});

const symStride = defineOp({
  schema: "aten::sym_stride.int(Tensor self, int dim) -> SymInt",
  tags: ["core", "composite"],
  meta: ({ self, dim }) => symInt(self.strides[requireDim(self, wrapDim(dim, self.ndim))]!),
});

function requireDim(self: FakeTensor, dim: number): number {
  if (self.ndim === 0) {
    throw invalidArgument(`Dimension specified as ${dim} but tensor has no dimensions`);
  }
  return dim;
}

const symNumel = defineOp({
  schema: "aten::sym_numel(Tensor self) -> SymInt",
  tags: ["core", "composite"],
  meta: ({ self }) => symInt(numelOf(self.shape)),
});

const symStorageOffset = defineOp({
  schema: "aten::sym_storage_offset(Tensor self) -> SymInt",
  tags: ["core", "composite"],
  meta: ({ self }) => symInt(self.storageOffset),
});

const symIsContiguous = defineOp({
  schema: "aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> SymBool",
  tags: ["core", "composite"],
  meta: ({ self, memory_format }, { env }) => {
    const lastChannels = memory_format === "channels_last" || memory_format === "channels_last_3d";
    const rank = memory_format === "channels_last" ? 4 : 5;
    return symBool(
      lastChannels ? self.ndim === rank && isChannelsLast(self, env) : isContiguousFake(self, env),
    );
  },
});

export const scalarReadOps: readonly OpDefinition[] = [
  localScalarDense,
  item,
  isNonzero,
  comparesWhole("aten::equal(Tensor self, Tensor other) -> bool"),
  comparesWhole(
    "aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> bool",
  ),
  symSize,
  symStride,
  symNumel,
  symStorageOffset,
  symIsContiguous,
];
