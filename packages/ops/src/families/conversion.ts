/** @file Copies, and changes of dtype, device and memory format. */
import type { DeviceLiteral, FakeTensor, LayoutName, MemoryFormat } from "@sconce/ir";
import type { IntLike, SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { isEqual } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { broadcastShapes, sizeEquals, sizesEqual } from "../rules/dims.js";
import {
  aliasOf,
  fake,
  isChannelsLast,
  isChannelsLastNatively,
  isContiguousFake,
  isContiguousNatively,
  memoryFormatStrides,
} from "../rules/fake.js";
import { emptyLike, likeStrides, OPTIONS, type Options } from "../rules/options.js";
import { askStrideOrder } from "../rules/stride-order.js";
import { guardExpands } from "./view-expand.js";

/** Returns the format that a tensor's strides speak of. */
function suggestedFormat(self: FakeTensor, env: SymEnv): MemoryFormat {
  if (isContiguousFake(self, env) || !isChannelsLast(self, env)) return "contiguous_format";
  return self.ndim === 4 ? "channels_last" : "channels_last_3d";
}

/** Returns whether a conversion changes nothing, so that PyTorch hands the tensor back. */
function isNoConversion(
  self: FakeTensor,
  dtype: DType | null,
  layout: LayoutName | null,
  device: DeviceLiteral | null,
  copy: boolean,
  format: MemoryFormat | null,
  env: SymEnv,
): boolean {
  if (copy || (dtype !== null && dtype !== self.dtype)) return false;
  if (layout !== null && layout !== self.layout) return false;
  if (
    device !== null &&
    (device.type !== self.device.type || (device.index ?? 0) !== (self.device.index ?? 0))
  )
    return false;
  return format === null || format === "preserve_format" || suggestedFormat(self, env) === format;
}

/** Returns the strides of a copy: as those of `empty_like`. */
function copyStrides(self: FakeTensor, format: MemoryFormat | null, env: SymEnv): readonly IntLike[] {
  if (format === null || format === "preserve_format") askStrideOrder(self, env);
  return likeStrides(self, format, env);
}

const TO_COPY = `${OPTIONS}, bool non_blocking=False` as const;
const TO = `${TO_COPY}, bool copy=False, MemoryFormat? memory_format=None` as const;

/**
 * Returns what a conversion gives: the dtype, device and memory format asked for, else the tensor's
 * own.
 */
function converted(
  { self, dtype, layout, device, memory_format: format }: Omit<ToArgs, "copy" | "non_blocking">,
  env: SymEnv,
): FakeTensor {
  return fake({
    dtype: dtype ?? self.dtype,
    shape: self.shape,
    strides: copyStrides(self, format, env),
    like: self,
    layout,
    device,
  });
}

const toCopy = defineOp({
  schema:
    `aten::_to_copy(Tensor self, *, ${TO_COPY}, MemoryFormat? memory_format=None) -> Tensor` as `aten::_to_copy(Tensor self, *, ${Options}, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor`,
  tags: ["core"],
  meta: (args, { env }) => converted(args, env),
});

interface ToArgs {
  readonly self: FakeTensor;
  readonly dtype: DType | null;
  readonly layout?: LayoutName | null;
  readonly device?: DeviceLiteral | null;
  readonly pin_memory?: boolean | null;
  readonly non_blocking: boolean;
  readonly copy: boolean;
  readonly memory_format: MemoryFormat | null;
}

function to(emit: Emit, args: ToArgs): FakeTensor {
  const {
    self,
    dtype,
    layout = null,
    device = null,
    copy,
    memory_format: format,
    non_blocking,
    pin_memory: pin,
  } = args;
  if (isNoConversion(self, dtype, layout, device, copy, format, emit.env)) return self;
  return emit("aten._to_copy.default", [self], {
    dtype,
    layout,
    device,
    pin_memory: pin,
    non_blocking,
    memory_format: format,
  });
}

function toMeta(args: ToArgs, env: SymEnv): FakeTensor {
  const { self, dtype, layout = null, device = null, copy, memory_format: format } = args;
  if (isNoConversion(self, dtype, layout, device, copy, format, env)) return self;
  return converted(args, env);
}

const toOps = [
  defineOp({
    schema:
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    tags: ["composite"],
    meta: (args, { env }) => toMeta(args, env),
    decompose: to,
  }),
  defineOp({
    schema:
      "aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    tags: ["composite"],
    meta: (args, { env }) => toMeta(args, env),
    decompose: to,
  }),
  defineOp({
    schema: `aten::to.dtype_layout(Tensor(a) self, *, ${TO}) -> Tensor(a)`,
    tags: ["composite"],
    meta: (args, { env }) => toMeta(args, env),
    decompose: to,
  }),
  defineOp({
    schema:
      "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
    tags: ["composite"],
    meta: ({ other, ...args }, { env }) => toMeta({ ...args, ...placeOf(other) }, env),
    decompose: (emit, { other, ...args }) => to(emit, { ...args, ...placeOf(other), pin_memory: false }),
  }),
  defineOp({
    schema: "aten::type_as(Tensor self, Tensor other) -> Tensor",
    tags: ["composite"],
    meta: ({ self, other }, { env }) => toMeta({ self, ...placeOf(other), ...AS_IS }, env),
    decompose: (emit, { self, other }) => to(emit, { self, ...placeOf(other), ...AS_IS }),
  }),
];

const AS_IS = { non_blocking: false, copy: false, memory_format: null } as const;
const placeOf = ({ dtype, layout, device }: FakeTensor) => ({ dtype, layout, device });

const clone = defineOp({
  schema: "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
  tags: ["core", "pointwise"],
  meta: ({ self, memory_format: format }, { env }) => {
    if (format === null || format === "preserve_format") askStrideOrder(self, env);
    return fake({
      dtype: self.dtype,
      shape: self.shape,
      strides: likeStrides(self, format, env),
      like: self,
    });
  },
});

const contiguous = defineOp({
  schema: "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
  tags: ["composite"],
  meta: ({ self, memory_format: format }, { env }) =>
    isInFormat(self, format, env)
      ? self
      : fake({
          dtype: self.dtype,
          shape: self.shape,
          strides: memoryFormatStrides(self.shape, format),
          like: self,
        }),
  decompose: (emit, { self, memory_format: format }) =>
    isInFormat(self, format, emit.env) ? self : emit("aten.clone.default", [self], { memory_format: format }),
});

function isInFormat(self: FakeTensor, format: MemoryFormat, env: SymEnv): boolean {
  if (format === "preserve_format")
    throw invalidArgument("preserve memory format is unsupported by the contiguous operator");
  return format === "contiguous_format" ? isContiguousNatively(self, env) : isChannelsLastNatively(self, env);
}

type AliasSchema = "aten::alias(Tensor(a) self) -> Tensor(a)";
const aliasOps = [
  defineOp({
    schema: "aten::alias(Tensor(a) self) -> Tensor(a)",
    tags: ["core"],
    meta: ({ self }) => aliasOf(self),
  }),
  ...["detach", "lift_fresh"].map((name) =>
    defineOp({
      schema: `aten::${name}(Tensor(a) self) -> Tensor(a)` as AliasSchema,
      tags: name === "lift_fresh" ? ["not_in_default_table"] : [],
      meta: ({ self }) => aliasOf(self),
      decompose: (emit, { self }) => emit("aten.alias.default", [self]),
    }),
  ),
  defineOp({
    schema: "aten::detach_(Tensor(a!) self) -> Tensor(a!)",
    meta: ({ self }) => self,
  }),
  defineOp({
    schema: "aten::lift_fresh_copy(Tensor self) -> Tensor",
    tags: ["always_decomposed"],
    meta: ({ self }, { env }) => emptyLike(self, env),
    decompose: (emit, { self }) => emit("aten.clone.default", [self]),
  }),
];

/** Refuses a source that does not broadcast to the destination. */
function checkCopy(self: FakeTensor, src: FakeTensor, env: SymEnv): void {
  const added = self.ndim - src.ndim;
  const pairs = src.shape.flatMap((have, d) => {
    const asked = self.shape[d + added];
    return asked === undefined ? [] : [[have, asked] as const];
  });
  for (const [have, asked] of pairs) guardExpands(env, have, asked);
  for (const [have, asked] of pairs) if (!isEqual(env, have, 1)) sizeEquals(have, asked, env);
  if (sizesEqual(broadcastShapes(env, self.shape, src.shape), self.shape, env)) return;
  throw invalidArgument(
    `output with shape ${describeSizes(self.shape)} doesn't match the broadcast shape of ${describeSizes(src.shape)}`,
  );
}

const copyOps = [
  defineOp({
    schema: "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
    tags: ["core"],
    meta: ({ self, src }, { env }) => {
      checkCopy(self, src, env);
      const overlaps = self.strides.some((stride, d) => stride === 0 && self.shape[d] !== 1);
      return overlaps
        ? emptyLike(self, env)
        : fake({ dtype: self.dtype, shape: self.shape, strides: self.strides, like: self });
    },
  }),
  defineOp({
    schema: "aten::fill.Scalar(Tensor self, Scalar value) -> Tensor",
    tags: ["core"],
    meta: ({ self }, { env }) => emptyLike(self, env),
    decompose: (emit, { self, value }) =>
      emit("aten.full_like.default", [self, value], { pin_memory: false }),
  }),
  defineOp({
    schema: "aten::fill.Tensor(Tensor self, Tensor value) -> Tensor",
    meta: ({ self, value }, { env }) => {
      if (value.ndim > 0) {
        throw invalidArgument(
          `fill only supports 0-dimension value tensor but got tensor with ${value.ndim} dimensions`,
        );
      }
      return emptyLike(self, env);
    },
    decompose: (emit, { self, value }) => emit("aten.copy.default", [self, value]),
  }),
  defineOp({
    schema: "aten::zero(Tensor self) -> Tensor",
    meta: ({ self }, { env }) => emptyLike(self, env),
    decompose: (emit, { self }) => emit("aten.zeros_like.default", [self], { pin_memory: false }),
  }),
];

export const conversionOps: readonly OpDefinition[] = [
  toCopy,
  ...toOps,
  clone,
  contiguous,
  ...aliasOps,
  ...copyOps,
];
