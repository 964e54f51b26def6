/** @file Moving elements: flips, rolls, repeats, shuffles of pixels and channels. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq, floorDiv, ge, mod, mul, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dimOutOfRange, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isEqual } from "../rules/comparison.js";
import { freshSize } from "../rules/data-dependent.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim, wrapDims } from "../rules/dims.js";
import { elementwise } from "../rules/elementwise.js";
import { askEmpty, fake, hasNoElements, numelOf, rowMajorLike } from "../rules/fake.js";
import { emitRange } from "../rules/mask.js";
import { fakeInFormatOf, suggestMemoryFormat } from "../rules/memory-format.js";
import { isOther } from "../rules/operand-sizes.js";
import { sizeMath } from "../rules/size-math.js";

const flip = defineOp({
  schema: "aten::flip(Tensor self, int[] dims) -> Tensor",
  tags: ["core"],
  meta: ({ self, dims }, context) => {
    wrapDims(dims, self.ndim);
    return elementwise(context, [self]);
  },
});

const flipAlong = (name: "fliplr" | "flipud", least: number, dim: number): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor self) -> Tensor`,
    tags: ["composite"],
    decompose: (emit, { self }) => {
      if (self.ndim < least) throw invalidArgument(`Input must be >= ${least}-d.`);
      return emit("aten.flip.default", [self, [dim]]);
    },
  });

const rot90 = defineOp({
  schema: "aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
  decompose: (emit, { self, k, dims }) => {
    if (dims.length !== 2) {
      throw invalidArgument(`expected total rotation dims == 2, but got dims = ${dims.length}`);
    }
    if (self.ndim < 2) throw invalidArgument(`expected total dims >= 2, but got total dims = ${self.ndim}`);
    const [first, second] = dims.map((dim) => wrapDim(dim, self.ndim)) as [number, number];
    if (first === second) {
      throw invalidArgument(
        `expected rotation dims to be different, but got dim0 = ${describeSize(dims[0])} and dim1 = ${describeSize(dims[1])}`,
      );
    }
    if (typeof k === "number" && !Number.isSafeInteger(k))
      throw invalidArgument(`rot90: k of 2^53 or more, ${String(k)}, is not exact as a number`);
    const quarters = ((Number(k) % 4) + 4) % 4;
    if (quarters === 0) return emit("aten.clone.default", [self], { memory_format: "contiguous_format" });
    if (quarters === 2) return emit("aten.flip.default", [self, [first, second]]);
    const flipped = emit("aten.flip.default", [self, [quarters === 1 ? second : first]]);
    return emit("aten.transpose.int", [flipped, first, second]);
  },
});

const roll = defineOp({
  schema: "aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
  decompose: (emit, { self, shifts, dims }) => {
    checkRoll(shifts, dims);
    // Dimensions of a tensor without elements are not looked at.
    if (emit.env.guard(eq(numelOf(self.shape), 0))) return emit("aten.clone.default", [self]);
    const axes = dims.map((dim) => wrapDim(dim, self.ndim));
    if (self.ndim === 0 && axes.length > 0) throw dimOutOfRange(Number(dims[0]), 0);
    if (axes.length === 0) {
      const rolled = emit("aten.roll.default", [emit("aten.flatten.using_ints", [self]), shifts, [0]]);
      return emit("aten.view.default", [rolled, self.shape]);
    }
    return axes.reduce((result, dim, i) => rollOne(emit, result, shifts[i]!, dim), self);
  },
});

function checkRoll(shifts: readonly IntLike[], dims: readonly IntLike[]): void {
  // The place of an element is the rest of a division, of which a rounded shift has another one.
  const inexact = shifts.find((shift) => typeof shift === "number" && !Number.isSafeInteger(shift));
  if (inexact !== undefined)
    throw invalidArgument(`roll: a shift of 2^53 or more, ${String(inexact)}, is not exact as a number`);
  if (shifts.length === 0) throw invalidArgument("`shifts` required");
  if (shifts.length === dims.length || (shifts.length === 1 && dims.length === 0)) return;
  throw invalidArgument(`shifts and dimensions must align. shifts: ${shifts.length}, dims: ${dims.length}`);
}

function rollOne(emit: Emit, self: FakeTensor, shift: IntLike, dim: number): FakeTensor {
  const size = self.shape[dim]!;
  const start = sizeMath(emit, "mod", sizeMath(emit, "sub", size, shift), size);
  const range = emitRange(emit, size, self);
  const places = emit("aten.fmod.Scalar", [emit("aten.add.Tensor", [range, start]), size]);
  return emit("aten.index_select.default", [self, dim, places]);
}

const repeat = defineOp({
  schema: "aten::repeat(Tensor self, SymInt[] repeats) -> Tensor",
  tags: ["core"],
  meta: ({ self, repeats }, { env }) => {
    if (repeats.length < self.ndim) {
      throw shapeMismatch(
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
      );
    }
    const lead = repeats.length - self.ndim;
    const shape = repeats.map((count, d) => {
      check(env, ge(count, 0), () =>
        invalidArgument(`Repeats cannot be negative, found ${describeSize(count)} at index ${d}`),
      );
      return d < lead ? count : mul(self.shape[d - lead]!, count);
    });
    return fake({ dtype: self.dtype, shape, like: self });
  },
});

const tile = defineOp({
  schema: "aten::tile(Tensor self, SymInt[] dims) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, dims }) => {
    const missing = Math.max(self.ndim - dims.length, 0);
    return emit("aten.repeat.default", [self, [...new Array<IntLike>(missing).fill(1), ...dims]]);
  },
});

const repeatInterleaveTensor = defineOp({
  schema: "aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor",
  tags: ["dynamic_output_shape"],
  meta: ({ repeats, output_size }, { env }) => {
    if (repeats.ndim !== 1) throw invalidArgument("repeat_interleave only accept 1D vector as repeat");
    return fake({ dtype: repeats.dtype, shape: [output_size ?? freshSize(env)], like: repeats });
  },
});

const repeatInterleaveByTensor = defineOp({
  schema:
    "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, repeats, dim, output_size }) => {
    const source = dim === null ? emit("aten.flatten.using_ints", [self]) : self;
    const axis = dim ?? 0;
    const size = source.ndim === 0 ? 1 : source.shape[wrapDim(axis, source.ndim)]!;
    const counts = repeatCounts(emit, repeats, size);
    const places = emit(
      "aten.repeat_interleave.Tensor",
      [counts],
      output_size === null ? {} : { output_size },
    );
    return emit("aten.index_select.default", [source, axis, places]);
  },
});

/** One count serves all elements; several must be as many as there are. */
function repeatCounts(emit: Emit, repeats: FakeTensor, size: IntLike): FakeTensor {
  if (repeats.ndim === 0 || (repeats.ndim === 1 && isEqual(emit.env, repeats.shape[0]!, 1))) {
    return emit("aten.expand.default", [emit("aten.reshape.default", [repeats, [1]]), [size]]);
  }
  if (repeats.ndim !== 1) throw invalidArgument("repeats must be 0-dim or 1-dim tensor");
  check(emit.env, eq(repeats.shape[0]!, size), () =>
    shapeMismatch(
      `repeats must have the same size as input along dim, but got repeats.size(0) = ${describeSize(repeats.shape[0]!)} and ` +
        `input.size(dim) = ${describeSize(size)}`,
    ),
  );
  return repeats;
}

const repeatInterleaveByInt = defineOp({
  schema:
    "aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, repeats, dim, output_size }) => {
    const source = dim === null ? emit("aten.flatten.using_ints", [self]) : self;
    const axis = wrapDim(dim ?? 0, source.ndim);
    check(emit.env, ge(repeats, 0), () => invalidArgument("repeats must be non-negative"));
    const size = mul(source.shape[axis] ?? 1, repeats);
    if (output_size !== null && isOther(emit.env, output_size, size))
      throw invalidArgument(
        `repeat_interleave: Invalid output_size, expected ${describeSize(size)} but got ${describeSize(output_size)}`,
      );
    const wide = emit("aten.unsqueeze.default", [source, axis + 1]);
    const repeated = emit("aten.expand.default", [wide, wide.shape.with(axis + 1, repeats)]);
    const copy = emit("aten.clone.default", [repeated], { memory_format: "contiguous_format" });
    return emit("aten.flatten.using_ints", [copy, axis, axis + 1]);
  },
});

function checkPixels(self: FakeTensor, factor: number, name: string, what: string): void {
  if (self.ndim < 3) {
    throw invalidArgument(
      `${name} expects input to have at least 3 dimensions, but got input with ${self.ndim} dimension(s)`,
    );
  }
  if (factor <= 0) throw invalidArgument(`${name} expects a positive ${what}, but got ${factor}`);
}

function requireDivisible(env: SymEnv, size: IntLike, factor: number, message: () => string): void {
  check(env, eq(mod(size, factor), 0), () => shapeMismatch(message()));
}

/** Returns the upscale factor and the last three sizes. */
function checkShuffle(
  env: SymEnv,
  self: FakeTensor,
  factor: IntLike,
): readonly [r: number, channels: IntLike, height: IntLike, width: IntLike] {
  const r = Number(factor);
  checkPixels(self, r, "pixel_shuffle", "upscale_factor");
  const [channels, height, width] = self.shape.slice(-3) as [IntLike, IntLike, IntLike];
  requireDivisible(
    env,
    channels,
    r * r,
    () =>
      "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but " +
      `input.size(-3)=${describeSize(channels)} is not divisible by ${r * r}`,
  );
  return [r, channels, height, width];
}

const pixelShuffle = defineOp({
  schema: "aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
  meta: ({ self, upscale_factor }, { env }) => {
    const [r, channels, height, width] = checkShuffle(env, self, upscale_factor);
    const shape = [...self.shape.slice(0, -3), floorDiv(channels, r * r), mul(height, r), mul(width, r)];
    const shuffled = fakeInFormatOf(self, shape, env);
    askEmpty(env, shape);
    return shuffled;
  },
  decompose: (emit, { self, upscale_factor }) => {
    const [r, channels, height, width] = checkShuffle(emit.env, self, upscale_factor);
    const batch = self.shape.slice(0, -3);
    const n = batch.length;
    const out = sizeMath(emit, "floordiv", channels, r * r);
    const [tall, wide] = [sizeMath(emit, "mul", height, r), sizeMath(emit, "mul", width, r)];
    const split = emit("aten.view.default", [self, [...batch, out, r, r, height, width]]);
    const lead = batch.map((_, d) => d);
    const woven = emit("aten.permute.default", [split, [...lead, n, n + 3, n + 1, n + 4, n + 2]]);
    const whole = emit("aten.reshape.default", [woven, [...batch, out, tall, wide]]);
    return emit("aten.clone.default", [whole], { memory_format: suggestMemoryFormat(self, emit.env) });
  },
});

/** The view of a dynamic size refuses what does not fit; PyTorch asks nothing before it. */
function requireWholePixels(name: "height" | "width", dim: number, size: IntLike, factor: number): void {
  if (typeof size !== "number" || size % factor === 0) return;
  throw shapeMismatch(
    `pixel_unshuffle expects ${name} to be divisible by downscale_factor, but input.size(${dim})=${size} is not divisible by ${factor}`,
  );
}

const pixelUnshuffle = defineOp({
  schema: "aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
  decompose: (emit, { self, downscale_factor }) => {
    const r = Number(downscale_factor);
    checkPixels(self, r, "pixel_unshuffle", "downscale_factor");
    const [channels, height, width] = self.shape.slice(-3) as [IntLike, IntLike, IntLike];
    requireWholePixels("height", -2, height, r);
    requireWholePixels("width", -1, width, r);
    const batch = self.shape.slice(0, -3);
    const n = batch.length;
    const [low, narrow] = [sizeMath(emit, "floordiv", height, r), sizeMath(emit, "floordiv", width, r)];
    const out = sizeMath(emit, "mul", channels, r * r);
    const split = emit("aten.view.default", [self, [...batch, channels, low, r, narrow, r]]);
    const lead = batch.map((_, d) => d);
    const sorted = emit("aten.permute.default", [split, [...lead, n, n + 2, n + 4, n + 1, n + 3]]);
    const whole = emit("aten.reshape.default", [sorted, [...batch, out, low, narrow]]);
    return emit("aten.clone.default", [whole], { memory_format: suggestMemoryFormat(self, emit.env) });
  },
});

function checkGroups(env: SymEnv, self: FakeTensor, groups: IntLike): void {
  if (self.ndim < 3) {
    throw invalidArgument(
      `channel_shuffle expects input with > 2 dims, but got input with sizes ${describeSizes(self.shape)}`,
    );
  }
  if (typeof groups === "number" && groups <= 0) {
    throw invalidArgument(
      `Number of groups to divide channels in must be positive. Value of groups:${groups}`,
    );
  }
  check(env, eq(mod(self.shape[1]!, groups), 0), () =>
    shapeMismatch(
      `Number of channels must be divisible by groups. Got ${describeSize(self.shape[1]!)} channels and ${describeSize(groups)} groups.`,
    ),
  );
}

const channelShuffle = defineOp({
  schema: "aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor",
  decompose: (emit, { self, groups }) => {
    checkGroups(emit.env, self, groups);
    hasNoElements(emit.env, self);
    const [batch, channels, ...rest] = self.shape as readonly [IntLike, IntLike, ...IntLike[]];
    const each = sizeMath(emit, "floordiv", channels, groups);
    const split = emit("aten.view.default", [self, [batch, groups, each, ...rest]]);
    const woven = emit("aten.permute.default", [split, [0, 2, 1, ...rest.map((_, d) => d + 3)]]);
    return emit("aten.reshape.default", [woven, self.shape]);
  },
});

const nativeChannelShuffle = defineOp({
  schema: "aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor",
  tags: ["composite"],
  meta: ({ self, groups }, { env }) => {
    checkGroups(env, self, groups);
    return rowMajorLike(self);
  },
  decompose: (emit, { self, groups }) => {
    checkGroups(emit.env, self, groups);
    const [batch, channels] = self.shape as readonly [IntLike, IntLike];
    const each = sizeMath(emit, "floordiv", channels, groups);
    const split = emit("aten.view.default", [self, [batch, groups, each, -1]]);
    const woven = emit("aten.permute.default", [split, [0, 2, 1, 3]]);
    return emit("aten.reshape.default", [emit("aten.contiguous.default", [woven]), self.shape]);
  },
});

export const rearrangeOps: readonly OpDefinition[] = [
  flip,
  flipAlong("fliplr", 2, 1),
  flipAlong("flipud", 1, 0),
  rot90,
  roll,
  repeat,
  tile,
  repeatInterleaveTensor,
  repeatInterleaveByTensor,
  repeatInterleaveByInt,
  pixelShuffle,
  pixelUnshuffle,
  channelShuffle,
  nativeChannelShuffle,
];
