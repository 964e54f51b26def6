/** @file Tensors from sizes. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { addAll, mul, type SymEnv, sub } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { memoryOrder } from "../rules/elementwise.js";
import {
  contiguousStridesOf,
  fake,
  isChannelsLast,
  isContiguousFake,
  memoryFormatStrides,
  stridesInOrder,
} from "../rules/fake.js";
import {
  created,
  createdLike,
  type FactoryOptions,
  factoryKwargs,
  likeKwargs,
  newKwargs,
  OPTIONS,
  type Options,
} from "../rules/options.js";
import { scalarKind } from "../rules/promote.js";
import type { ScalarArg } from "../schema/schema-types.js";

const DEFAULT: DType = "float32";

/** Returns the dtype of a Python number on its own. */
function numberDType(value: ScalarArg): DType {
  const kind = scalarKind(value);
  if (kind === "int") return "int64";
  if (kind === "complex") return "complex64";
  return kind === "bool" ? "bool" : DEFAULT;
}

/** Returns what fills `zeros` and `ones`: False and True where the dtype is bool. */
const filling = (value: 0 | 1, dtype: DType): number | boolean => (dtype === "bool" ? value === 1 : value);

const full = defineOp({
  schema:
    `aten::full(SymInt[] size, Scalar fill_value, *, ${OPTIONS}) -> Tensor` as `aten::full(SymInt[] size, Scalar fill_value, *, ${Options}) -> Tensor`,
  tags: ["core"],
  meta: ({ size, fill_value: value, ...options }, { env }) =>
    created(size, options.dtype ?? numberDType(value), options, env),
});

const scalarTensor = defineOp({
  schema:
    `aten::scalar_tensor(Scalar s, *, ${OPTIONS}) -> Tensor` as `aten::scalar_tensor(Scalar s, *, ${Options}) -> Tensor`,
  tags: ["core"],
  meta: ({ s: _, ...options }) => created([], options.dtype ?? DEFAULT, options),
});

const zeroTensor = defineOp({
  schema:
    `aten::_efficientzerotensor(SymInt[] size, *, ${OPTIONS}) -> Tensor` as `aten::_efficientzerotensor(SymInt[] size, *, ${Options}) -> Tensor`,
  doc: "Zeros that PyTorch keeps without memory, as gradients of what does not depend on an input.",
  tags: ["not_in_default_table"],
  decompose: (emit, { size, ...options }) => emit("aten.zeros.default", [size], factoryKwargs(options)),
});

const sameFeatures = defineOp({
  schema:
    "aten::_new_zeros_with_same_feature_meta(Tensor self, Tensor other, *, int self_num_batch_dims=0) -> Tensor",
  doc: "Zeros laid out as `other`, for each place of the first dimensions of `self`.",
  meta: ({ self, other, self_num_batch_dims: count }) => {
    const batch = self.shape.slice(0, Number(count));
    const places = other.shape.map((size, d) => mul(sub(size, 1), other.strides[d]!));
    const span = addAll([1, ...places]);
    const outer = contiguousStridesOf([...batch, span]).slice(0, -1);
    return fake({
      dtype: other.dtype,
      shape: [...batch, ...other.shape],
      strides: [...outer, ...other.strides],
      like: other,
    });
  },
});

type SizesSchema = `aten::zeros(SymInt[] size, *, ${Options}) -> Tensor`;
type LikeSchema = `aten::zeros_like(Tensor self, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`;
type NewSchema = `aten::new_zeros(Tensor self, SymInt[] size, *, ${Options}) -> Tensor`;

const filledOps = (
  [
    ["zeros", 0],
    ["ones", 1],
  ] as const
).flatMap(([name, value]) => [
  defineOp({
    schema: `aten::${name}(SymInt[] size, *, ${OPTIONS}) -> Tensor` as SizesSchema,
    meta: ({ size, ...options }, { env }) => created(size, options.dtype ?? DEFAULT, options, env),
    decompose: (emit, { size, ...options }) => {
      const dtype = options.dtype ?? DEFAULT;
      return emit("aten.full.default", [size, filling(value, dtype)], factoryKwargs({ ...options, dtype }));
    },
  }),
  defineOp({
    schema:
      `aten::${name}_like(Tensor self, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as LikeSchema,
    meta: ({ self, memory_format: format, ...options }, { env }) => createdLike(self, options, format, env),
    decompose: (emit, { self, memory_format: format, ...options }) =>
      emit("aten.full_like.default", [self, filling(value, options.dtype ?? self.dtype)], {
        ...likeKwargs(options),
        memory_format: format ?? "preserve_format",
      }),
  }),
  defineOp({
    schema: `aten::new_${name}(Tensor self, SymInt[] size, *, ${OPTIONS}) -> Tensor` as NewSchema,
    meta: ({ self, size, ...options }, { env }) => createdFrom(self, size, options, env),
    decompose: (emit, { self, size, ...options }) =>
      emit(
        "aten.full.default",
        [size, filling(value, options.dtype ?? self.dtype)],
        newKwargs(self, options),
      ),
  }),
]);

function createdFrom(
  self: FakeTensor,
  size: readonly IntLike[],
  options: FactoryOptions,
  env: SymEnv,
): FakeTensor {
  const layout = options.layout ?? self.layout;
  const device = options.device ?? self.device;
  return created(size, options.dtype ?? self.dtype, { ...options, layout, device }, env);
}

const newFull = defineOp({
  schema:
    `aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ${OPTIONS}) -> Tensor` as `aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ${Options}) -> Tensor`,
  meta: ({ self, size, fill_value: _, ...options }, { env }) => createdFrom(self, size, options, env),
  decompose: (emit, { self, size, fill_value: value, ...options }) =>
    emit("aten.full.default", [size, value], newKwargs(self, options)),
});

const fullLike = defineOp({
  schema:
    `aten::full_like(Tensor self, Scalar fill_value, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::full_like(Tensor self, Scalar fill_value, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
  tags: ["core"],
  meta: ({ self, fill_value: _, memory_format: format, ...options }, { env }) =>
    createdLike(self, options, format, env),
});

const empty = defineOp({
  schema:
    `aten::empty.memory_format(SymInt[] size, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::empty.memory_format(SymInt[] size, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
  tags: ["core"],
  meta: ({ size, memory_format: format, ...options }, { env }) => {
    const result = created(size, options.dtype ?? DEFAULT, options, env);
    if (format === null || format === "contiguous_format") return result;
    return fake({
      dtype: result.dtype,
      shape: size,
      strides: memoryFormatStrides(size, format),
      like: result,
    });
  },
});

const emptyStrided = defineOp({
  schema:
    `aten::empty_strided(SymInt[] size, SymInt[] stride, *, ${OPTIONS}) -> Tensor` as `aten::empty_strided(SymInt[] size, SymInt[] stride, *, ${Options}) -> Tensor`,
  tags: ["core"],
  meta: ({ size, stride, ...options }) => {
    checkRanks(size, stride);
    return fake({ dtype: options.dtype ?? DEFAULT, shape: size, strides: stride, device: options.device });
  },
});

const newEmptyStrided = defineOp({
  schema:
    `aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ${OPTIONS}) -> Tensor` as `aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ${Options}) -> Tensor`,
  meta: ({ self, size, stride, dtype, device }) => {
    checkRanks(size, stride);
    return fake({ dtype: dtype ?? self.dtype, shape: size, strides: stride, like: self, device });
  },
});

function checkRanks(size: readonly IntLike[], stride: readonly IntLike[]): void {
  if (stride.some((step) => typeof step === "number" && step < 0)) {
    throw invalidArgument(`Storage size calculation overflowed with sizes=[${size}] and strides=[${stride}]`);
  }
  if (size.length === stride.length) return;
  throw invalidArgument(
    `mismatch in length of strides and shape: ${size.length} sizes and ${stride.length} strides`,
  );
}

const newEmpty = defineOp({
  schema:
    `aten::new_empty(Tensor self, SymInt[] size, *, ${OPTIONS}) -> Tensor` as `aten::new_empty(Tensor self, SymInt[] size, *, ${Options}) -> Tensor`,
  meta: ({ self, size, ...options }, { env }) => createdFrom(self, size, options, env),
  decompose: (emit, { self, size, ...options }) =>
    emit("aten.empty.memory_format", [size], newKwargs(self, options)),
});

const emptyPermuted = defineOp({
  schema:
    `aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ${OPTIONS}) -> Tensor` as `aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ${Options}) -> Tensor`,
  meta: ({ size, physical_layout: order, ...options }) => {
    const dims = order.map(Number);
    if (dims.length !== size.length || [...dims].sort((a, b) => a - b).some((dim, d) => dim !== d)) {
      throw invalidArgument(
        "Number of dimensions in size does not match the length of the physical_layout; " +
          `i.e. len(size) = ${size.length} is not equal to len(physical_layout) = ${dims.length}`,
      );
    }
    return fake({
      dtype: options.dtype ?? DEFAULT,
      shape: size,
      strides: stridesInOrder(size, dims),
      device: options.device,
    });
  },
});

const emptyLike = defineOp({
  schema:
    `aten::empty_like(Tensor self, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::empty_like(Tensor self, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
  meta: ({ self, memory_format: format, ...options }, { env }) => createdLike(self, options, format, env),
  decompose: (emit, { self, memory_format: format, ...options }) => {
    if (format !== null && format !== "preserve_format") {
      return emit("aten.empty.memory_format", [self.shape], {
        ...newKwargs(self, options),
        memory_format: format,
      });
    }
    return emit(
      "aten.empty_permuted.default",
      [self.shape, physicalOrder(emit, self)],
      newKwargs(self, options),
    );
  },
});

/**
 * Returns the order of dimensions in memory, with PyTorch's short cuts for the two usual formats.
 */
function physicalOrder(emit: Emit, self: FakeTensor): number[] {
  const dims = self.shape.map((_, d) => d);
  if (dims.length < 2) return dims;
  const contiguous = isContiguousFake(self, emit.env);
  const channelsLast = isChannelsLast(self, emit.env);
  if (contiguous && !channelsLast) return dims;
  if (channelsLast && !contiguous) return [0, ...dims.slice(2), 1];
  return memoryOrder(emit.env, self.shape, [self]);
}

export const creationOps: readonly OpDefinition[] = [
  zeroTensor,
  sameFeatures,
  full,
  scalarTensor,
  ...filledOps,
  newFull,
  fullLike,
  empty,
  emptyStrided,
  newEmptyStrided,
  newEmpty,
  emptyPermuted,
  emptyLike,
];
