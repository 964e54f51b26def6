/**
 * @file Functions that are made of others: normal distribution, multivariate gamma, powers of a
 * vector.
 */
import { type FakeTensor, float } from "@sconce/ir";
import { ge, sub } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { check } from "../rules/comparison.js";
import { promoted } from "../rules/decompose.js";
import { fake } from "../rules/fake.js";
import { toFloatDType } from "../rules/promote.js";

const isReal = defineOp({
  schema: "aten::isreal(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) =>
    isComplexDType(self.dtype)
      ? emit("aten.eq.Scalar", [emit("aten.imag.default", [self]), 0])
      : emit("aten.ones_like.default", [self], { dtype: "bool", memory_format: "preserve_format" }),
});

const multivariateGamma = defineOp({
  schema: "aten::mvlgamma(Tensor self, int p) -> Tensor",
  tags: ["pointwise"],
  // The sum over a last dimension is row-major, whatever the strides of the argument.
  meta: ({ self }) => fake({ dtype: toFloatDType(self.dtype), shape: self.shape, like: self }),
  decompose: (emit, { self, p }) => {
    const count = Number(p);
    if (count < 1) throw invalidArgument("p has to be greater than or equal to 1");
    return promoted(emit, "int-to-float", [self], (input) => {
      const { dtype, device } = input;
      const steps = emit("aten.arange.start_step", [1 - count, 1], { dtype, device, pin_memory: false });
      const halves = emit("aten.mul.Tensor", [steps, 0.5]);
      const sums = emit("aten.add.Tensor", [emit("aten.unsqueeze.default", [input, -1]), halves]);
      const total = emit("aten.sum.dim_IntList", [emit("aten.lgamma.default", [sums]), [-1]]);
      return emit("aten.add.Tensor", [total, float((count * (count - 1) * Math.log(Math.PI)) / 4)]);
    });
  },
});

const normalCdf = defineOp({
  schema: "aten::special_ndtr(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => {
    const scaled = emit("aten.mul.Scalar", [self, Math.SQRT1_2]);
    const shifted = emit("aten.add.Scalar", [emit("aten.erf.default", [scaled]), 1]);
    return emit("aten.mul.Scalar", [shifted, 0.5]);
  },
});

const polygamma = defineOp({
  schema: "aten::special_polygamma(int n, Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { n, self }) => emit("aten.polygamma.default", [n, self]),
});

const vander = defineOp({
  schema: "aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, args) => {
    const { N } = args;
    const x = args.x.ndim === 0 ? emit("aten.unsqueeze.default", [args.x, -1]) : args.x;
    const columns = N ?? x.shape.at(-1)!;
    check(emit.env, ge(columns, 2), () => invalidArgument("N must be greater than 1."));
    const repeated = emit("aten.expand.default", [
      emit("aten.unsqueeze.default", [x, -1]),
      [...x.shape, sub(columns, 1)],
    ]);
    const powers: FakeTensor = emit("aten.cumprod.default", [repeated, -1]);
    const { dtype, layout, device } = powers;
    const ones = emit("aten.ones.default", [[...x.shape, 1]], { dtype, layout, device });
    return emit("aten.cat.default", [[ones, powers], -1]);
  },
});

/** Functions made of others. */
export const specialCompositeOps: readonly OpDefinition[] = [
  isReal,
  multivariateGamma,
  normalCdf,
  polygamma,
  vander,
];
