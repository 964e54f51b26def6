/** @file `where` and `masked_fill`: choosing between two values by a condition. */
import { areStatic, complex, FakeTensor, float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { type DType, dtypeInfo } from "@sconce/tensor";
import { overflowMessage } from "../dtypes/scalar-range.js";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { convert } from "../rules/decompose.js";
import { broadcastOperands, broadcastShapes } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { fake } from "../rules/fake.js";
import { toContiguous } from "../rules/mask.js";
import { promoteOperands, scalarKind } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

const whereSelf = defineOp({
  schema: "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
  tags: ["core", "pointwise"],
  meta: ({ condition, self, other }, context) => {
    if (condition.dtype !== "bool" && condition.dtype !== "uint8") {
      throw dtypeMismatch(
        `where expected condition to be a boolean tensor, but got a tensor with dtype ${condition.dtype}`,
      );
    }
    return elementwise(context, [condition, self, other], { dtype: promoteOperands([self, other]) });
  },
});

/** Returns the number as a 0-d tensor beside `like`. */
const scalarTensor = (emit: Emit, value: ScalarArg, dtype: DType, like: FakeTensor): FakeTensor =>
  emit("aten.scalar_tensor.default", [value as EmitArg], { dtype, layout: like.layout, device: like.device });

const whereScalarOther = defineOp({
  schema: "aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { condition, self, other }) => {
    const dtype = promoteOperands([self, other]);
    const number = scalarTensor(emit, other, dtype, self);
    return emit("aten.where.self", [condition, convert(emit, self, dtype), number]);
  },
});

const whereScalarSelf = defineOp({
  schema: "aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { condition, self, other }) => {
    const dtype = promoteOperands([other, self]);
    const number = scalarTensor(emit, self, dtype, other);
    return emit("aten.where.self", [condition, number, convert(emit, other, dtype)]);
  },
});

const whereScalar = defineOp({
  schema: "aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { condition, self, other }) => {
    const dtype = promoteOperands([self, other]);
    const second = scalarTensor(emit, other, dtype, condition);
    const first = scalarTensor(emit, self, dtype, condition);
    return emit("aten.where.self", [condition, first, second]);
  },
});

/**
 * Returns the number as Python converts it to the type of a dtype: `int(2.5)`, `float(1)`,
 * `bool(3)`.
 */
function castScalar(value: ScalarArg, dtype: DType): ScalarArg {
  if (
    typeof value === "object" &&
    (value.kind === "SymInt" || value.kind === "SymFloat" || value.kind === "SymBool")
  ) {
    return value;
  }
  const { kind } = dtypeInfo(dtype);
  const literal: ScalarLiteral = value;
  if (kind === "complex")
    return typeof literal === "object" && literal.kind === "complex"
      ? literal
      : complex(toNumber(literal), 0);
  if (scalarKind(literal) === "complex")
    throw dtypeMismatch(`could not convert to type ${dtype} without overflow`);
  if (kind === "float") return float(toNumber(literal));
  if (kind === "bool") return toNumber(literal) !== 0;
  if (typeof literal === "bigint") return literal;
  const whole = Math.trunc(toNumber(literal));
  if (!Number.isFinite(whole)) throw invalidArgument(overflowMessage(dtype));
  return whole;
}

function checkMaskedFill(mask: FakeTensor, value: FakeTensor | null): void {
  if (mask.dtype !== "bool")
    throw dtypeMismatch(`masked_fill_ only supports boolean masks, but got mask with dtype ${mask.dtype}`);
  if (value !== null && value.ndim !== 0) {
    throw invalidArgument(
      `masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ${value.ndim} dimension(s).`,
    );
  }
}

/** Fresh row-major memory. */
const maskedFillMeta = (
  self: FakeTensor,
  mask: FakeTensor,
  { env, isInPlace = false }: MetaContext,
): FakeTensor => {
  const broadcast = isInPlace ? broadcastOperands : broadcastShapes;
  // C++ names the mask first where sizes do not fit.
  const isStatic = areStatic([...self.shape, ...mask.shape]);
  if (isStatic && !isInPlace) broadcastShapes(env, mask.shape, self.shape);
  return fake({ dtype: self.dtype, shape: broadcast(env, self.shape, mask.shape), like: self });
};

const maskedFillScalar = defineOp({
  schema: "aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self, mask, value }, context) => {
    checkMaskedFill(mask, null);
    castScalar(value, self.dtype);
    return maskedFillMeta(self, mask, context);
  },
  decompose: (emit, { self, mask, value }) => {
    checkMaskedFill(mask, null);
    const number = castScalar(value, self.dtype);
    return toContiguous(emit, emit("aten.where.ScalarSelf", [mask, number as EmitArg, self]));
  },
});

const maskedFillTensor = defineOp({
  schema: "aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
  meta: ({ self, mask, value }, context) => {
    checkMaskedFill(mask, value instanceof FakeTensor ? value : null);
    return maskedFillMeta(self, mask, context);
  },
  decompose: (emit, { self, mask, value }) => {
    checkMaskedFill(mask, value);
    return toContiguous(emit, emit("aten.where.self", [mask, convert(emit, value, self.dtype), self]));
  },
});

export const selectWhereOps: readonly OpDefinition[] = [
  whereSelf,
  whereScalarOther,
  whereScalarSelf,
  whereScalar,
  maskedFillScalar,
  maskedFillTensor,
];
