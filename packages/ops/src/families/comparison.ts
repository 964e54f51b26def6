/** @file Comparisons, logical and bitwise operators. */
import { FakeTensor, float as pythonFloat } from "@sconce/ir";
import { type DType, isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { elementwise } from "../rules/elementwise.js";
import { type Operand, promoteOperands } from "../rules/promote.js";

const CORE: readonly OpTag[] = ["core", "pointwise"];
type TensorSchema = "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor";

/** Defines `name.overload(self, other)`; the second operand is a Scalar in overloads named so. */
function binary(
  name: string,
  overload: string,
  tags: readonly OpTag[],
  dtype: (operands: readonly Operand[]) => DType,
  decompose?: (emit: Emit, self: FakeTensor, other: FakeTensor) => FakeTensor,
): OpDefinition {
  const other = overload.endsWith("Scalar") ? "Scalar other" : "Tensor other";
  const self = overload === "Scalar_Tensor" ? "Scalar self" : "Tensor self";
  const suffix = overload === "default" ? "" : `.${overload}`;
  return defineOp({
    schema: `aten::${name}${suffix}(${self}, ${other}) -> Tensor` as TensorSchema,
    tags,
    meta: (bound, context) => {
      const operands: readonly Operand[] = [bound.self, bound.other];
      return elementwise(context, operands, { dtype: dtype(operands) });
    },
    ...(decompose && {
      decompose: (emit: Emit, bound: { readonly self: FakeTensor; readonly other: FakeTensor }) =>
        decompose(emit, bound.self, bound.other),
    }),
  });
}

const UNSIGNED: ReadonlySet<DType> = new Set(["uint16", "uint32", "uint64"]);

/** Comparisons promote only to compare, which wide unsigned integers do not. */
function truth(operands: readonly Operand[]): DType {
  if (operands.some((one) => one instanceof FakeTensor && UNSIGNED.has(one.dtype))) promoteOperands(operands);
  return "bool";
}
const alias = (
  name: string,
  target: string,
  dtype: (operands: readonly Operand[]) => DType,
  tags: readonly OpTag[] = ["composite"],
): readonly OpDefinition[] =>
  ["Tensor", "Scalar"].map((overload) =>
    binary(name, overload, tags, dtype, (emit, self, other) =>
      emit(`aten.${target}.${overload}`, [self, other]),
    ),
  );

const COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"];
const LONG_NAMES = [
  ["not_equal", "ne"],
  ["less", "lt"],
  ["less_equal", "le"],
  ["greater", "gt"],
  ["greater_equal", "ge"],
] as const;

const isclose = defineOp({
  schema:
    "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
  tags: ["composite"],
  meta: ({ self, other, rtol, atol }, context) => {
    for (const [name, value] of Object.entries({ rtol, atol })) {
      if (value < 0) throw invalidArgument(`${name} must be greater than or equal to zero, but got ${value}`);
    }
    if (self.dtype !== other.dtype) throw dtypeMismatch(`${self.dtype} did not match ${other.dtype}`);
    return elementwise(context, [self, other], { dtype: "bool" });
  },
  decompose: (emit, { self, other, rtol, atol, equal_nan: equalNan }) => {
    const float = isFloatDType(self.dtype) || isComplexDType(self.dtype);
    let close = emit("aten.eq.Tensor", [self, other]);
    if (equalNan && float) {
      const nans = [self, other].map((x) => emit("aten.isnan.default", [x]));
      close = emit("aten.bitwise_or.Tensor", [close, emit("aten.bitwise_and.Tensor", nans)]);
    }
    if (rtol === 0 && atol === 0) return close;
    const cast = (x: FakeTensor): FakeTensor => emit("aten._to_copy.default", [x], { dtype: "float32" });
    const a = self.dtype === "bool" ? cast(self) : self;
    const b = float ? other : cast(other);
    const scaled = emit("aten.abs.default", [emit("aten.mul.Scalar", [b, pythonFloat(rtol)])]);
    const allowed = emit("aten.add.Scalar", [scaled, pythonFloat(atol)]);
    const error = emit("aten.abs.default", [emit("aten.sub.Tensor", [a, b])]);
    const finite = emit("aten.isfinite.default", [error]);
    const within = emit("aten.bitwise_and.Tensor", [finite, emit("aten.le.Tensor", [error, allowed])]);
    return emit("aten.bitwise_or.Tensor", [close, within]);
  },
});

export const comparisonOps: readonly OpDefinition[] = [
  ...COMPARISONS.flatMap((name) =>
    ["Tensor", "Scalar"].map((overload) => binary(name, overload, CORE, truth)),
  ),
  ...LONG_NAMES.flatMap(([name, target]) => alias(name, target, truth)),
  ...["logical_and", "logical_or", "logical_xor"].map((name) => binary(name, "default", CORE, truth)),
  ...["and", "or", "xor"].flatMap((name) => [
    binary(`bitwise_${name}`, "Tensor", CORE, promoteOperands),
    binary(`bitwise_${name}`, "Scalar", CORE, promoteOperands),
    binary(`bitwise_${name}`, "Scalar_Tensor", ["pointwise"], promoteOperands),
    ...alias(
      `__${name}__`,
      `bitwise_${name}`,
      promoteOperands,
      name === "xor" ? ["composite", "pointwise"] : ["composite"],
    ),
  ]),
  ...["left", "right"].flatMap((side) => {
    const name = `bitwise_${side}_shift`;
    return ["Tensor", "Tensor_Scalar", "Scalar_Tensor"].map((overload) =>
      binary(name, overload, ["pointwise"], promoteOperands),
    );
  }),
  ...["__lshift__", "__rshift__"].flatMap((name) =>
    ["Tensor", "Scalar"].map((overload) => binary(name, overload, ["pointwise"], promoteOperands)),
  ),
  isclose,
];
