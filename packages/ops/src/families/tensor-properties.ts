/**
 * @file What a tensor is, asked by a program: sizes, kinds of dtype, dtypes that results would
 * have.
 */
import { type FakeTensor, symBool, symInt } from "@sconce/ir";
import { type DType, dtypeInfo, isComplexDType, isFloatDType, promoteTypes } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { wrapDim } from "../rules/dims.js";
import { dtypeCode } from "../rules/dtype-codes.js";
import { isChannelsLast, isContiguousFake, numelOf } from "../rules/fake.js";
import { canCast, type Operand, promoteOperands } from "../rules/promote.js";

const codeOf = (dtype: DType) => symInt(dtypeCode(dtype));
const resultCode = (...operands: readonly Operand[]) => codeOf(promoteOperands(operands));
const isSigned = ({ dtype }: FakeTensor): boolean => {
  const { kind } = dtypeInfo(dtype);
  return kind !== "bool" && !(kind === "int" && dtype.startsWith("u"));
};

type Predicate = "aten::is_complex(Tensor self) -> bool";

const predicate = (name: string, test: (self: FakeTensor) => boolean): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self) -> bool` as Predicate,
    meta: ({ self }) => symBool(test(self)),
  });

function requireDim(self: FakeTensor, dim: number): number {
  if (self.ndim === 0) throw invalidArgument(`Dimension specified as ${dim} but tensor has no dimensions`);
  return wrapDim(dim, self.ndim);
}

const contiguity = defineOp({
  schema: "aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool",
  meta: ({ self, memory_format: format }, { env }) => {
    const rank = format === "channels_last" ? 4 : format === "channels_last_3d" ? 5 : undefined;
    if (rank === undefined) return symBool(isContiguousFake(self, env));
    return symBool(self.ndim === rank && isChannelsLast(self, env));
  },
});

const reads: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::size.int(Tensor self, int dim) -> int",
    meta: ({ self, dim }) => symInt(self.shape[requireDim(self, Number(dim))]!),
  }),
  defineOp({
    schema: "aten::stride.int(Tensor self, int dim) -> int",
    meta: ({ self, dim }) => symInt(self.strides[requireDim(self, Number(dim))]!),
  }),
  defineOp({ schema: "aten::dim(Tensor self) -> int", meta: ({ self }) => symInt(self.ndim) }),
  defineOp({ schema: "aten::numel(Tensor self) -> int", meta: ({ self }) => symInt(numelOf(self.shape)) }),
  defineOp({
    schema: "aten::storage_offset(Tensor self) -> int",
    meta: ({ self }) => symInt(self.storageOffset),
  }),
  // Tensors are on the CPU, which has no number.
  defineOp({ schema: "aten::get_device(Tensor self) -> int", meta: () => symInt(-1) }),
];

const dtypes: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::can_cast(ScalarType from_, ScalarType to) -> bool",
    meta: ({ from_, to }) => symBool(canCast(from_, to)),
  }),
  defineOp({
    schema: "aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType",
    meta: ({ type1, type2 }) => codeOf(promoteTypes(type1, type2)),
  }),
  defineOp({
    schema: "aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType",
    meta: ({ tensor, other }) => resultCode(tensor, other),
  }),
  defineOp({
    schema: "aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType",
    meta: ({ tensor, other }) => resultCode(tensor, other),
  }),
  defineOp({
    schema: "aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType",
    meta: ({ scalar, tensor }) => resultCode(scalar, tensor),
  }),
  defineOp({
    schema: "aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType",
    meta: ({ scalar1, scalar2 }) => codeOf(defaultOf(promoteOperands([scalar1, scalar2]))),
  }),
];

/** Python numbers on their own have the default dtypes. */
function defaultOf(dtype: DType): DType {
  if (dtype === "float64") return "float32";
  return dtype === "complex128" ? "complex64" : dtype;
}

export const tensorPropertyOps: readonly OpDefinition[] = [
  ...reads,
  ...dtypes,
  contiguity,
  defineOp({
    schema: "aten::is_contiguous(Tensor self) -> bool",
    meta: ({ self }, { env }) => symBool(isContiguousFake(self, env)),
  }),
  predicate("is_complex", ({ dtype }) => isComplexDType(dtype)),
  predicate("is_floating_point", ({ dtype }) => isFloatDType(dtype)),
  predicate("is_signed", isSigned),
  // Conjugation and negation are carried out at once, so that no tensor has them pending.
  predicate("is_conj", () => false),
  predicate("is_neg", () => false),
  predicate("_is_zerotensor", () => false),
  predicate("is_inference", () => false),
];
