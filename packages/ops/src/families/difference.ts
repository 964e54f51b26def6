/** @file Differences and integrals along a dimension. */

import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { gt } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isBelow } from "../rules/comparison.js";
import { numberOf } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { sizeMath } from "../rules/size-math.js";
import type { ScalarArg } from "../schema/schema-types.js";

const slice = (emit: Emit, self: FakeTensor, dim: IntLike, start: number, end?: number): FakeTensor =>
  emit("aten.slice.Tensor", [self, dim, start, end]);

const diff = defineOp({
  schema: "aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, n, dim, prepend, append }) => {
    if (self.ndim === 0) throw invalidArgument("diff expects input to be at least one-dimensional");
    if (Number(n) < 0) throw invalidArgument(`order must be non-negative but got ${describeSize(n)}`);
    if (n === 0) {
      const result = emit("aten.zeros_like.default", [self]);
      return emit("aten.copy_.default", [result, self]);
    }
    const parts = [prepend, self, append].filter((part): part is FakeTensor => part !== null);
    const whole = parts.length === 1 ? self : emit("aten.cat.default", [parts, dim]);
    return emitDiff(emit, whole, Number(n), dim);
  },
});

function emitDiff(emit: Emit, self: FakeTensor, n: number, dim: IntLike): FakeTensor {
  const size = self.shape[wrapDim(dim, self.ndim)]!;
  const times = emit.env.guard(gt(n, size)) ? emit.env.guardInt(size) : n;
  const difference = self.dtype === "bool" ? "aten.logical_xor.default" : "aten.sub.Tensor";
  let result = self;
  let length = sizeMath(emit, "sub", size, 1);
  for (let i = 0; i < times; i++) {
    const earlier = emit("aten.narrow.default", [result, dim, 0, length]);
    const later = emit("aten.narrow.default", [result, dim, 1, length]);
    result = emit(difference, [later, earlier]);
    length = sizeMath(emit, "sub", length, 1);
  }
  return result;
}

function requireReal(dx: ScalarArg, name: string): void {
  if (typeof dx === "boolean") throw dtypeMismatch(`${name}: received a bool input for \`dx\``);
  if (typeof dx === "object" && dx.kind === "complex") {
    throw dtypeMismatch(`${name}: Currently, we only support dx as a real number.`);
  }
}

const trapezoidDx = defineOp({
  schema: "aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, dx, dim }) => {
    requireReal(dx, "trapezoid");
    if (y.dtype === "bool")
      throw dtypeMismatch("trapezoid: received a bool input for `y`, but bool is not supported");
    const at = wrapDim(dim, y.ndim);
    if (y.shape[at] === 0)
      return emit("aten.zeros.default", [y.shape.toSpliced(at, 1)], { dtype: y.dtype, device: y.device });
    const last = emit("aten.select.int", [y, dim, -1]);
    const first = emit("aten.select.int", [y, dim, 0]);
    const ends = emit("aten.mul.Scalar", [emit("aten.add.Tensor", [first, last]), 0.5]);
    const total = emit("aten.sum.dim_IntList", [y, [dim]]);
    return emit("aten.mul.Scalar", [emit("aten.sub.Tensor", [total, ends]), float(numberOf(dx)) as EmitArg]);
  },
});

/** Sample points beside `y`: a vector lies along the dimension. */
function alongDim(emit: Emit, x: FakeTensor, y: FakeTensor, dim: number): FakeTensor {
  if (x.ndim === 1) {
    if (isBelow(emit.env, x.shape[0]!, y.shape[dim]!) || isBelow(emit.env, y.shape[dim]!, x.shape[0]!)) {
      throw shapeMismatch("trapezoid: There must be one `x` value for each sample point");
    }
    return emit("aten.view.default", [x, y.shape.map((_, d) => (d === dim ? x.shape[0]! : 1))]);
  }
  const lead = y.ndim - x.ndim;
  return lead > 0 ? emit("aten.view.default", [x, [...new Array<IntLike>(lead).fill(1), ...x.shape]]) : x;
}

const trapezoidX = defineOp({
  schema: "aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, x, dim }) => {
    if (y.dtype === "bool" || x.dtype === "bool")
      throw dtypeMismatch("trapezoid: received a bool input, which is not supported");
    const at = wrapDim(dim, y.ndim);
    if (y.shape[at] === 0)
      return emit("aten.zeros.default", [y.shape.toSpliced(at, 1)], { dtype: y.dtype, device: y.device });
    const points = alongDim(emit, x, y, at);
    const [low, high] = [slice(emit, points, at, 0, -1), slice(emit, points, at, 1)];
    const steps = emit("aten.sub.Tensor", [high, low]);
    const [left, right] = [slice(emit, y, at, 0, -1), slice(emit, y, at, 1)];
    const areas = emit("aten.mul.Tensor", [emit("aten.add.Tensor", [left, right]), steps]);
    return emit("aten.div.Scalar", [emit("aten.sum.dim_IntList", [areas, [at]]), float(2) as EmitArg]);
  },
});

const cumulativeTrapezoidDx = defineOp({
  schema: "aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, dx, dim }) => {
    requireReal(dx, "cumulative_trapezoid");
    const [left, right] = [slice(emit, y, dim, 0, -1), slice(emit, y, dim, 1)];
    const areas = emit("aten.mul.Scalar", [
      emit("aten.add.Tensor", [left, right]),
      float(numberOf(dx) / 2) as EmitArg,
    ]);
    return emit("aten.cumsum.default", [areas, dim]);
  },
});

const cumulativeTrapezoidX = defineOp({
  schema: "aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, x, dim }) => {
    const at = wrapDim(dim, y.ndim);
    const points = alongDim(emit, x, y, at);
    const [low, high] = [slice(emit, points, at, 0, -1), slice(emit, points, at, 1)];
    const steps = emit("aten.sub.Tensor", [high, low]);
    const [left, right] = [slice(emit, y, at, 0, -1), slice(emit, y, at, 1)];
    const areas = emit("aten.mul.Tensor", [emit("aten.add.Tensor", [left, right]), steps]);
    return emit("aten.div.Scalar", [emit("aten.cumsum.default", [areas, at]), float(2) as EmitArg]);
  },
});

const trapzX = defineOp({
  schema: "aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, x, dim }) => emit("aten.trapezoid.x", [y, x], { dim }),
});

const trapzDx = defineOp({
  schema: "aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { y, dx, dim }) => emit("aten.trapezoid.dx", [y], { dx: float(dx) as EmitArg, dim }),
});

export const differenceOps: readonly OpDefinition[] = [
  diff,
  trapezoidDx,
  trapezoidX,
  cumulativeTrapezoidDx,
  cumulativeTrapezoidX,
  trapzX,
  trapzDx,
];
