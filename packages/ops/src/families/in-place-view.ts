/**
 * @file In-place operators that change the sizes of their tensor and whose functional form has
 * another name.
 */
import type { FakeTensor, IntLike, MemoryFormat } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { fake, memoryFormatStrides } from "../rules/fake.js";
import { suggestMemoryFormat } from "../rules/memory-format.js";
import { viewOf } from "../rules/view-geometry.js";
import { permuteMeta } from "./view-permute.js";

function exchange(self: FakeTensor, dim0: IntLike, dim1: IntLike, env: SymEnv): FakeTensor {
  const [first, second] = [wrapDim(dim0, self.ndim), wrapDim(dim1, self.ndim)];
  const order = self.shape.map((_, d) => (d === first ? second : d === second ? first : d));
  return permuteMeta(self, order, env);
}

const transposeInPlace = defineOp({
  schema: "aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
  meta: ({ self, dim0, dim1 }, { env }) => exchange(self, dim0, dim1, env),
});

const swapaxesInPlace = defineOp({
  schema: "aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)",
  tags: ["composite"],
  meta: ({ self, axis0, axis1 }, { env }) => exchange(self, axis0, axis1, env),
});

const swapdimsInPlace = defineOp({
  schema: "aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
  tags: ["composite"],
  meta: ({ self, dim0, dim1 }, { env }) => exchange(self, dim0, dim1, env),
});

/**
 * Returns the sizes asked for on the memory of `self`, laid out anew; the memory grows where it is
 * too small.
 */
function resized(self: FakeTensor, size: readonly IntLike[], format: MemoryFormat): FakeTensor {
  if (size.some((length) => typeof length === "number" && length < 0)) {
    throw invalidArgument(`Trying to create tensor with negative dimension: ${describeSizes(size)}`);
  }
  if (format === "preserve_format") throw invalidArgument("Unsupported memory format Preserve");
  const same = size.length === self.ndim && size.every((length, d) => length === self.shape[d]);
  if (same && format === "contiguous_format") return viewOf(self, self.shape, self.strides);
  return viewOf(self, size, memoryFormatStrides(size, format));
}

const resizeInPlace = defineOp({
  schema: "aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
  tags: ["core"],
  meta: ({ self, size, memory_format }) => resized(self, size, memory_format ?? "contiguous_format"),
});

const resizeAsInPlace = defineOp({
  schema:
    "aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
  meta: ({ self, the_template: like, memory_format }, { env }) => {
    const format = memory_format === "preserve_format" ? suggestMemoryFormat(like, env) : memory_format;
    return resized(self, like.shape, format ?? "contiguous_format");
  },
});

const resize = defineOp({
  schema: "aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor",
  doc: "A resized copy: what `resize_` becomes when it grows the memory.",
  meta: ({ self, size, memory_format }) => {
    const { shape, strides } = resized(self, size, memory_format ?? "contiguous_format");
    return fake({ dtype: self.dtype, shape, strides, like: self });
  },
});

const resizeAs = defineOp({
  schema: "aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
  doc: "What `resize_as_` becomes: a resized copy, whatever the sizes.",
  decompose: (emit, { self, the_template: like, memory_format }) => {
    const format = memory_format === "preserve_format" ? suggestMemoryFormat(like, emit.env) : memory_format;
    return emit("aten.resize.default", [self, like.shape], { memory_format: format ?? "contiguous_format" });
  },
});

export const inPlaceViewOps: readonly OpDefinition[] = [
  transposeInPlace,
  swapaxesInPlace,
  swapdimsInPlace,
  resizeInPlace,
  resizeAsInPlace,
  resize,
  resizeAs,
];
