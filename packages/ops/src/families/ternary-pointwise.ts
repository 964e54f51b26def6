/** @file Elementwise operators of three operands, and clamping. */
import { type FakeTensor, float as pythonFloat } from "@sconce/ir";
import { sameSizes } from "@sconce/symbolic";
import { type DType, dtypeInfo, isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { promoted } from "../rules/decompose.js";
import { stridesEqual } from "../rules/dims.js";
import { elementwise, elementwiseStrides } from "../rules/elementwise.js";
import { type Operand, promoteOperands, scalarKind, toFloatDType } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** Clamping promotes with its bounds, and needs one. */
function clampMeta(context: MetaContext, self: FakeTensor, bounds: readonly (Operand | null)[]): FakeTensor {
  const given = bounds.filter((bound) => bound !== null);
  if (given.length === 0)
    throw invalidArgument("torch.clamp: At least one of 'min' or 'max' must not be None");
  const dtype = promoteOperands([self, ...given]);
  return elementwise(context, [self, ...given], { dtype });
}

const clampOps = [
  defineOp({
    schema: "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    tags: ["core", "pointwise"],
    meta: ({ self, min, max }, context) => clampMeta(context, self, [min, max]),
  }),
  defineOp({
    schema: "aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
    tags: ["core", "pointwise"],
    meta: ({ self, min, max }, context) => clampMeta(context, self, [min, max]),
  }),
  defineOp({
    schema: "aten::clamp_min(Tensor self, Scalar min) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, min }, context) => clampMeta(context, self, [min]),
    decompose: (emit, { self, min }) => emit("aten.clamp.default", [self, min]),
  }),
  defineOp({
    schema: "aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, min }, context) => clampMeta(context, self, [min]),
    decompose: (emit, { self, min }) => emit("aten.clamp.Tensor", [self, min]),
  }),
  defineOp({
    schema: "aten::clamp_max(Tensor self, Scalar max) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, max }, context) => clampMeta(context, self, [max]),
    decompose: (emit, { self, max }) => emit("aten.clamp.default", [self, null, max]),
  }),
  defineOp({
    schema: "aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, max }, context) => clampMeta(context, self, [max]),
    decompose: (emit, { self, max }) => emit("aten.clamp.Tensor", [self, null, max]),
  }),
  defineOp({
    schema: "aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
    tags: ["composite", "pointwise"],
    decompose: (emit, { self, min, max }) => emit("aten.clamp.default", [self, min, max]),
  }),
];

/** PyTorch's kernels convert the factor, its decompositions refuse to. */
function checkValue(dtype: DType, value: ScalarArg): void {
  const order = ["bool", "int", "float", "complex"];
  if (order.indexOf(scalarKind(value)) > order.indexOf(dtypeInfo(dtype).kind)) {
    throw invalidArgument(
      `value argument of type ${scalarKind(value)} cannot be safely cast to type ${dtype}!`,
    );
  }
}

const addcmul = defineOp({
  schema: "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, tensor1, tensor2 }, context) => elementwise(context, [self, tensor1, tensor2]),
  decompose: (emit, { self, tensor1, tensor2, value }) => {
    checkValue(promoteOperands([self, tensor1, tensor2]), value);
    return promoted(emit, "default", [self, tensor1, tensor2], (x, a, b) => {
      const scaled = emit("aten.mul.Tensor", [a, value]);
      return emit("aten.add.Tensor", [x, emit("aten.mul.Tensor", [scaled, b])]);
    });
  },
});

const addcdiv = defineOp({
  schema: "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, tensor1, tensor2 }, context) => {
    // Bools are refused when the call runs.
    if ([tensor1, tensor2].every((x) => dtypeInfo(x.dtype).kind === "int")) {
      throw dtypeMismatch(
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true " +
          "division of tensor1 and tensor2.",
      );
    }
    return elementwise(context, [self, tensor1, tensor2], {
      dtype: toFloatDType(promoteOperands([self, tensor1, tensor2])),
    });
  },
  decompose: (emit, { self, tensor1, tensor2, value }) => {
    checkValue(toFloatDType(promoteOperands([self, tensor1, tensor2])), value);
    return promoted(emit, "int-to-float", [self, tensor1, tensor2], (x, a, b) => {
      const scaled = emit("aten.mul.Tensor", [a, value]);
      return emit("aten.add.Tensor", [x, emit("aten.div.Tensor", [scaled, b])]);
    });
  },
});

/**
 * @param layout the operands that the operator itself lays its result out by; the steps may give
 * another order
 */
function lerp(
  emit: Emit,
  [start, end, weight]: readonly [FakeTensor, FakeTensor, FakeTensor],
  layout: readonly FakeTensor[],
): FakeTensor {
  const mask = emit("aten.ge.Scalar", [emit("aten.abs.default", [weight]), 0.5]);
  const coefficient = emit("aten.where.self", [mask, emit("aten.sub.Tensor", [weight, 1]), weight]);
  const base = emit("aten.where.self", [mask, end, start]);
  const step = emit("aten.mul.Tensor", [coefficient, emit("aten.sub.Tensor", [end, start])]);
  const result = emit("aten.add.Tensor", [step, base]);
  const strides = elementwiseStrides(emit.env, result.shape, layout);
  // PyTorch broadcasts the operands to learn the layout: what nothing reads counts for names.
  for (const operand of layout) {
    const isScalar = operand.ndim === 0 && operand.device.type === "cpu";
    if (!isScalar && !sameSizes(operand.shape, result.shape))
      emit("aten.expand.default", [operand, result.shape]);
  }
  const asWanted = stridesEqual(result.strides, strides, emit.env);
  return asWanted ? result : emit("prims.copy_strided.default", [result, strides]);
}

function checkLerp(self: FakeTensor, others: readonly FakeTensor[]): void {
  for (const { dtype } of others) {
    if (dtype !== self.dtype)
      throw dtypeMismatch(`expected dtype ${self.dtype} for \`end\` but got dtype ${dtype}`);
  }
}

/** A Python int becomes a float where the computation is one. */
const asKindOf = (value: ScalarArg, dtype: DType): ScalarArg =>
  isFloatDType(dtype) && scalarKind(value) === "int" && typeof value !== "object"
    ? pythonFloat(Number(value))
    : value;

const lerpOps = [
  defineOp({
    schema: "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, end }, context) => {
      checkLerp(self, [end]);
      return elementwise(context, [self, end]);
    },
    decompose: (emit, { self, end, weight }) =>
      promoted(emit, "default", [self, end], (a, b) =>
        lerp(
          emit,
          [a, b, emit("aten.new_full.default", [a, [], asKindOf(weight, a.dtype)], { pin_memory: false })],
          [a, b],
        ),
      ),
  }),
  defineOp({
    schema: "aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
    tags: ["pointwise"],
    meta: ({ self, end, weight }, context) => {
      checkLerp(self, [end, weight]);
      return elementwise(context, [self, end, weight]);
    },
    decompose: (emit, { self, end, weight }) =>
      promoted(emit, "default", [self, end, weight], (a, b, w) => lerp(emit, [a, b, w], [a, b, w])),
  }),
];

export const ternaryPointwiseOps: readonly OpDefinition[] = [...clampOps, addcmul, addcdiv, ...lerpOps];
