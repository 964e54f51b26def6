/** @file Matrix products of integers and in groups, and products with an activation. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, floorDiv, mul, type SymEnv } from "@sconce/symbolic";
import { type DType, dtypeInfo, isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake } from "../rules/fake.js";

const BYTES: ReadonlySet<DType> = new Set(["int8", "uint8"]);

const bytes = defineOp({
  schema: "aten::_int_mm(Tensor self, Tensor mat2) -> Tensor",
  doc: "The product of two matrices of bytes, in int32.",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, mat2 }) => {
    for (const [name, { dtype, ndim }] of [
      ["self", self],
      ["mat2", mat2],
    ] as const) {
      if (ndim !== 2)
        throw shapeMismatch(`int_mm_out_cpu: Expected ${name} to be of dimension 2 but got ${ndim}`);
      if (!BYTES.has(dtype))
        throw dtypeMismatch(
          `int_mm_out_cpu: Expected ${name} dtype to be int8 or uint8 but got ${dtype.replace(/32$/, "")}`,
        );
    }
    if (mat2.dtype !== "int8")
      throw dtypeMismatch("int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got unsigned char");
    const [inner, other] = [self.shape[1]!, mat2.shape[0]!];
    if (mayDiffer(emit.env, inner, other))
      throw shapeMismatch(
        `int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got ${describeSize(inner)} and ${describeSize(other)}`,
      );
    return emit("aten.mm.default", [convert(emit, self, "int32"), convert(emit, mat2, "int32")]);
  },
});

const HALVES: ReadonlySet<DType> = new Set(["float32", "float16", "bfloat16"]);

const weightOfBytes = defineOp({
  schema: "aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor",
  doc: "The product with a weight of bytes, of which each row has a scale.",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, mat2, scales }) => {
    const inner = self.shape[1]!;
    if (!HALVES.has(self.dtype))
      throw dtypeMismatch("_weight_int8pack_mm_cpu : expect A to be either 32-bit or 16-bit float tensor.");
    if (mat2.dtype !== "int8") throw dtypeMismatch(`_weight_int8pack_mm_cpu : expect B to be int8 tensor.`);
    if (mayDiffer(emit.env, mat2.shape[1]!, inner))
      throw shapeMismatch(`_weight_int8pack_mm_cpu : expect B.size(1) == ${describeSize(inner)}`);
    const [x, w] = [self, mat2].map((one) => convert(emit, one, "float32"));
    const product = emit("aten.mm.default", [x, emit("aten.t.default", [w])]);
    const scaled = emit("aten.mul.Tensor", [product, convert(emit, scales, "float32")]);
    return convert(emit, scaled, self.dtype);
  },
});

const activated = defineOp({
  schema:
    "aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, { self, mat1, mat2, beta, alpha, use_gelu: gelu }) => {
    const product = emit("aten.addmm.default", [self, mat1, mat2], { beta, alpha });
    return emit(gelu ? "aten.gelu.default" : "aten.relu.default", [product]);
  },
});

/** Products in float32 of halves: `mm(a, b, out_dtype=torch.float32)`. */
const inDType = (emit: Emit, dtype: DType, tensors: readonly FakeTensor[]): readonly FakeTensor[] => {
  for (const tensor of tensors)
    if (dtype !== tensor.dtype && (dtype !== "float32" || !/^b?float16$/.test(tensor.dtype)))
      throw dtypeMismatch("out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
  return tensors.map((tensor) => convert(emit, tensor, dtype));
};

const withDType: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, mat2, out_dtype }) =>
      emit("aten.mm.default", inDType(emit, out_dtype, [self, mat2])),
  }),
  defineOp({
    schema: "aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, mat2, out_dtype }) =>
      emit("aten.bmm.default", inDType(emit, out_dtype, [self, mat2])),
  }),
  defineOp({
    schema:
      "aten::addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, mat1, mat2, out_dtype, beta, alpha }) =>
      emit(
        "aten.addmm.default",
        [convert(emit, self, out_dtype), ...inDType(emit, out_dtype, [mat1, mat2])],
        { beta, alpha },
      ),
  }),
  defineOp({
    schema:
      "aten::baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    tags: ["not_in_default_table"],
    decompose: (emit, { self, batch1, batch2, out_dtype, beta, alpha }) =>
      emit(
        "aten.baddbmm.default",
        [convert(emit, self, out_dtype), ...inDType(emit, out_dtype, [batch1, batch2])],
        { beta, alpha },
      ),
  }),
];

interface Groups {
  readonly self: FakeTensor;
  readonly mat2: FakeTensor;
  readonly offs: FakeTensor | null;
}

/** Sizes of the product: matrices are divided at `offs`, stacks of matrices are not. */
function groupedShape({ self, mat2, offs }: Groups, env: SymEnv): readonly IntLike[] {
  const stacks = [self, mat2].filter(({ ndim }) => ndim === 3);
  if ((stacks.length === 2) === (offs !== null))
    throw invalidArgument(
      "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d",
    );
  const [rows, columns] = [self.shape.at(-2)!, mat2.shape.at(-1)!];
  if (stacks.length > 0 && mayDiffer(env, self.shape.at(-1)!, mat2.shape.at(-2)!))
    throw shapeMismatch("contraction dimension of mat_a and mat_b must match");
  const count = offs?.shape[0] ?? mat2.shape[0]!;
  if (stacks.some(({ shape }) => mayDiffer(env, shape[0]!, count)))
    throw shapeMismatch("matrix batch sizes have to match");
  return stacks.length === 1 ? [rows, columns] : [count, rows, columns];
}

/** Strides of rows that begin at multiples of 16 bytes. */
function alignedStrides(dtype: DType, shape: readonly IntLike[]): readonly IntLike[] {
  const step = 16 / dtypeInfo(dtype).itemSize;
  const row = mul(floorDiv(add(shape.at(-1)!, step - 1), step), step);
  return shape.length === 2 ? [row, 1] : [mul(shape[1]!, row), row, 1];
}

const GROUPED: ReadonlySet<DType> = new Set(["float32", "bfloat16", "float16"]);

const grouped = defineOp({
  schema:
    "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor",
  doc: "A product for each group of rows, or of columns, as layers of mixed experts have it.",
  meta: (args, { env }) => {
    const { self, bias, out_dtype: dtype } = args;
    if (!GROUPED.has(self.dtype))
      throw dtypeMismatch(
        `Expected mat_a to be Float32, BFloat16 or Float16 matrix, got ${scalarTypeName(self.dtype)}`,
      );
    const shape = groupedShape(args, env);
    if (bias !== null) throw invalidArgument("Bias not supported yet");
    if (dtype !== null && dtype !== self.dtype)
      throw dtypeMismatch("Grouped gemm output dtype must match `mat_a` dtype");
    return fake({ dtype: self.dtype, shape, strides: alignedStrides(self.dtype, shape), like: self });
  },
});

const combination = defineOp({
  schema: "aten::_compute_linear_combination(Tensor input, Tensor coefficients) -> Tensor",
  doc: "Sums of the tensors of a list by each row of coefficients, as the exponential of a matrix takes them.",
  tags: ["not_in_default_table"],
  decompose: (emit, { input, coefficients }) => {
    if (isComplexDType(input.dtype))
      throw dtypeMismatch(
        "_compute_linear_combination: PyTorch's kernel gives other sums for complex numbers",
      );
    const count = coefficients.shape[1]!;
    const used = emit("aten.narrow.default", [input, 0, 0, count]);
    const flat = emit("aten.reshape.default", [used, [count, -1]]);
    const sums = emit("aten.mm.default", [coefficients, flat]);
    return emit("aten.view.default", [sums, [coefficients.shape[0]!, ...input.shape.slice(1)]]);
  },
});

export const matmulMixedOps: readonly OpDefinition[] = [
  combination,
  bytes,
  weightOfBytes,
  activated,
  ...withDType,
  grouped,
];
