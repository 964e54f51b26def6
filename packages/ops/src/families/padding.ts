/** @file Padding in all modes. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import { add, addAll, and, ge, le, neg, type SymEnv, symMax } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { check, isBelow, pythonLt } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { fake, isChannelsLast, isContiguousFake } from "../rules/fake.js";
import { fakeInFormatOf, suggestMemoryFormat } from "../rules/memory-format.js";
import { emptyLike } from "../rules/options.js";
import { computationDType } from "../rules/promote.js";
import { sizeMath } from "../rules/size-math.js";

/**
 * Pads name the last dimension first: what lies before and after dimension `d` of a tensor of this
 * rank.
 */
function around(
  pad: readonly IntLike[],
  ndim: number,
  d: number,
): readonly [before: IntLike, after: IntLike] {
  const at = 2 * (ndim - 1 - d);
  return [pad[at] ?? 0, pad[at + 1] ?? 0];
}

function paddedShape(self: FakeTensor, pad: readonly IntLike[]): readonly IntLike[] {
  return self.shape.map((size, d) => {
    const [before, after] = around(pad, self.ndim, d);
    return before === 0 && after === 0 ? size : addAll([size, before, after]);
  });
}

const constantPadNd = defineOp({
  schema: "aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
  tags: ["core"],
  meta: ({ self, pad }, { env }) => {
    if (pad.length % 2 !== 0) {
      throw invalidArgument(`Length of pad must be even but instead it equals ${pad.length}`);
    }
    if (pad.length > 2 * self.ndim) {
      throw invalidArgument(
        "Length of pad should be no more than twice the number of dimensions of the input. Pad length is " +
          `${pad.length} while the input has ${self.ndim} dimensions.`,
      );
    }
    const shape = paddedShape(self, pad);
    shape.forEach((size, d) => {
      if (!isBelow(env, size, 0)) return;
      const [before, after] = around(pad, self.ndim, d);
      throw shapeMismatch(
        `The input size ${describeSize(self.shape[d]!)}, plus negative padding ${describeSize(before)} and ${describeSize(after)} resulted in ` +
          "a negative output size, which is invalid. Check dimension " +
          `${d} of your input.`,
      );
    });
    checkCuts(env, self, pad);
    // A result that is only cut is a copy of a view.
    const isCut = pad.every((width) => typeof width === "number" && width <= 0);
    if (isCut) return emptyLike(fake({ dtype: self.dtype, shape, strides: self.strides, like: self }), env);
    return fakeInFormatOf(self, shape, env);
  },
});

/** What negative pads cut off must exist, even where the other end is padded by more. */
function checkCuts(env: SymEnv, self: FakeTensor, pad: readonly IntLike[]): void {
  self.shape.forEach((size, d) => {
    const cuts = around(pad, self.ndim, d).filter((width) => isBelow(env, width, 0));
    if (cuts.length > 0 && isBelow(env, addAll([size, ...cuts]), 0))
      throw invalidArgument("narrow(): length must be non-negative.");
  });
}

type Mode = "reflection" | "replication";

/** Where each element of a padded dimension comes from. */
const SOURCES: Readonly<Record<Mode, (emit: Emit, range: FakeTensor, size: IntLike) => FakeTensor>> = {
  reflection: (emit, range, size) => {
    const last = sizeMath(emit, "sub", size, 1);
    const inside = sizeMath(emit, "sub", size, 1);
    const fromEnd = emit("aten.rsub.Scalar", [emit("aten.abs.default", [range]), inside]);
    return emit("aten.rsub.Scalar", [emit("aten.abs.default", [fromEnd]), last]);
  },
  replication: (emit, range, size) => emit("aten.clamp.default", [range, 0, sizeMath(emit, "sub", size, 1)]),
};

function checkEdgePad(
  env: SymEnv,
  self: FakeTensor,
  pad: readonly IntLike[],
  dims: number,
  mode: Mode,
): void {
  const name = `${mode}_pad${dims}d`;
  // Only the batch may be empty.
  const first = self.ndim === dims + 2 ? 1 : 0;
  const hollow = self.shape.some((size, d) => d >= first && size === 0);
  if ((self.ndim !== dims + 1 && self.ndim !== dims + 2) || hollow) {
    throw invalidArgument(
      `${name}: Expected ${dims + 1}D or ${dims + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero ` +
        `dimensions for input, but got: ${describeSizes(self.shape)}`,
    );
  }
  if (pad.length !== 2 * dims)
    throw invalidArgument(`padding size is expected to be ${2 * dims}, but got: ${pad.length}`);
  for (let d = self.ndim - dims; d < self.ndim; d++) {
    const size = self.shape[d]!;
    const [before, after] = around(pad, self.ndim, d);
    if (mode === "reflection") {
      check(env, and(pythonLt(before, size), pythonLt(after, size)), () =>
        shapeMismatch(
          "Padding size should be less than the corresponding input dimension, but got: padding " +
            `(${describeSize(before)}, ${describeSize(after)}) at dimension ${d} of input ${describeSizes(self.shape)}`,
        ),
      );
    }
    check(env, ge(addAll([size, before, after]), 1), () =>
      shapeMismatch(
        `input (size: ${describeSize(size)}) is too small. Calculated output size ${describeSize(addAll([size, before, after]))} at ` +
          `dimension ${d}`,
      ),
    );
  }
}

const edgePad = (mode: Mode, dims: 1 | 2 | 3, core: boolean): OpDefinition =>
  defineOp({
    schema: `aten::${mode}_pad${dims}d(Tensor self, SymInt[${(2 * dims) as 2 | 4 | 6}] padding) -> Tensor`,
    tags: core ? ["core"] : [],
    meta: ({ self, padding }, { env }) => {
      checkEdgePad(env, self, padding, dims, mode);
      return fakeInFormatOf(self, paddedShape(self, padding), env);
    },
    decompose: (emit, { self, padding }) => {
      checkEdgePad(emit.env, self, padding, dims, mode);
      const source = convert(emit, self, computationDType(self.dtype));
      return convert(emit, emitEdgePad(emit, source, padding, dims, mode), self.dtype);
    },
  });

function emitEdgePad(
  emit: Emit,
  self: FakeTensor,
  pad: readonly IntLike[],
  dims: number,
  mode: Mode,
): FakeTensor {
  let result = self;
  for (let d = self.ndim - dims; d < self.ndim; d++) {
    const size = self.shape[d]!;
    const [before, after] = around(pad, self.ndim, d);
    const end = sizeMath(emit, "add", size, after);
    const range = emit("aten.arange.start", [neg(before), end], { device: self.device, pin_memory: false });
    const places = SOURCES[mode](emit, range, size);
    result = emit("aten._unsafe_index.Tensor", [result, self.shape.map((_, i) => (i === d ? places : null))]);
  }
  return inFormat(emit, result, suggestMemoryFormat(self, emit.env));
}

/** `x.contiguous(memory_format=...)`. */
function inFormat(
  emit: Emit,
  tensor: FakeTensor,
  format: ReturnType<typeof suggestMemoryFormat>,
): FakeTensor {
  const there =
    format === "contiguous_format" ? isContiguousFake(tensor, emit.env) : isChannelsLast(tensor, emit.env);
  return there ? tensor : emit("aten.clone.default", [tensor], { memory_format: format });
}

const padCircular = defineOp({
  schema: "aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, pad }) => emitPadCircular(emit, self, pad),
});

/** Copies the middle, then both ends of each dimension from the padded tensor itself. */
function emitPadCircular(emit: Emit, self: FakeTensor, pad: readonly IntLike[]): FakeTensor {
  const dims = pad.length / 2;
  checkCircular(emit.env, self, pad);
  const shape = self.shape.map((size, d) => {
    const [before, after] = around(pad, self.ndim, d);
    return d < self.ndim - dims ? size : sizeMath(emit, "add", sizeMath(emit, "add", size, before), after);
  });
  const { dtype, layout, device } = self;
  const out = emit("aten.new_empty.default", [self, shape], { dtype, layout, device, pin_memory: false });
  copyMiddle(emit, out, self, pad);
  for (let d = self.ndim - 1; d >= self.ndim - dims; d--) wrapEnds(emit, out, around(pad, self.ndim, d), d);
  return out;
}

function copyMiddle(emit: Emit, out: FakeTensor, self: FakeTensor, pad: readonly IntLike[]): void {
  let [target, source] = [out, self];
  for (let d = self.ndim - 1; d >= self.ndim - pad.length / 2; d--) {
    const [before, after] = around(pad, self.ndim, d);
    const trimmed = (size: IntLike, cut: IntLike): IntLike =>
      cut === 0 ? size : sizeMath(emit, "sub", size, cut);
    target = emit("aten.slice.Tensor", [
      target,
      d,
      symMax(before, 0),
      trimmed(out.shape[d]!, symMax(after, 0)),
    ]);
    source = emit("aten.slice.Tensor", [
      source,
      d,
      symMax(neg(before), 0),
      trimmed(self.shape[d]!, symMax(neg(after), 0)),
    ]);
  }
  emit("aten.copy_.default", [target, source]);
}

function wrapEnds(
  emit: Emit,
  out: FakeTensor,
  [before, after]: readonly [IntLike, IntLike],
  d: number,
): void {
  const size = out.shape[d]!;
  const move = (to: readonly [IntLike, IntLike], from: readonly [IntLike, IntLike]): void => {
    const target = emit("aten.slice.Tensor", [out, d, ...to]);
    emit("aten.copy_.default", [target, emit("aten.slice.Tensor", [out, d, ...from])]);
  };
  const tail = symMax(after, 0);
  const head = symMax(before, 0);
  const minus = (a: IntLike, b: IntLike): IntLike => (b === 0 ? a : sizeMath(emit, "sub", a, b));
  if (isBelow(emit.env, 0, before)) move([0, before], [minus(minus(size, before), tail), minus(size, tail)]);
  if (isBelow(emit.env, 0, after)) move([minus(size, after), size], [head, add(head, after)]);
}

function checkCircular(env: SymEnv, self: FakeTensor, pad: readonly IntLike[]): void {
  const dims = pad.length / 2;
  if (self.ndim !== dims + 1 && self.ndim !== dims + 2) {
    throw invalidArgument(
      `Invalid padding size, expected 1 or 2 dimensions more than the ${dims} that are padded, got ${self.ndim}`,
    );
  }
  for (let d = self.ndim - dims; d < self.ndim; d++) {
    const [before, after] = around(pad, self.ndim, d);
    const size = self.shape[d]!;
    check(env, and(le(before, size), le(after, size)), () =>
      shapeMismatch("Padding value causes wrapping around more than once."),
    );
    check(env, ge(addAll([size, before, after]), 0), () =>
      shapeMismatch("Negative padding value is resulting in an empty dimension"),
    );
  }
}

const MODES = ["reflect", "replicate", "circular", "constant"] as const;
type PadMode = (typeof MODES)[number];

function emitPad(
  emit: Emit,
  self: FakeTensor,
  pad: readonly IntLike[],
  mode: PadMode,
  value: number | null,
): FakeTensor {
  if (pad.length % 2 !== 0) throw invalidArgument("Padding length must be divisible by 2");
  if (pad.length > 2 * self.ndim) {
    throw invalidArgument(
      `Padding length should be less than or equal to two times the input dimension but got padding length ${pad.length} and ` +
        `input of dimension ${self.ndim}`,
    );
  }
  if (mode === "constant")
    return emit("aten.constant_pad_nd.default", [self, pad, float(value ?? 0) as EmitArg]);
  if (value !== null && value !== 0)
    throw invalidArgument(`Padding mode "${mode}" doesn't take in value argument`);
  const dims = pad.length / 2;
  const fits = dims >= 1 && dims <= 3 && (self.ndim === dims + 1 || self.ndim === dims + 2);
  if (!fits) {
    throw invalidArgument(
      "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now; " +
        `got ${self.ndim}D input and a padding of length ${pad.length}`,
    );
  }
  if (mode === "circular") return emit("aten._pad_circular.default", [self, pad]);
  return emit(`aten.${mode === "reflect" ? "reflection" : "replication"}_pad${dims}d.default`, [self, pad]);
}

const pad = defineOp({
  schema: 'aten::pad(Tensor self, SymInt[] pad, str mode="constant", float? value=None) -> Tensor',
  tags: ["composite"],
  decompose: (emit, { self, pad: sizes, mode, value }) => {
    requireWord(mode, MODES, `Unrecognised padding mode ${mode}`);
    return emitPad(emit, self, sizes, mode as PadMode, value);
  },
});

const padEnum = defineOp({
  schema: "aten::_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, pad: sizes, mode, value }) => {
    const name = MODES[Number(mode)];
    if (name === undefined) throw invalidArgument(`Unrecognised padding mode ${describeSize(mode)}`);
    return emitPad(emit, self, sizes, name, value);
  },
});

const padSequence = defineOp({
  schema:
    'aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., str padding_side="right") -> Tensor',
  doc: "Sequences of different lengths side by side, padded to the longest.",
  tags: ["composite"],
  decompose: (emit, { sequences, batch_first: batchFirst, padding_value: value, padding_side: side }) => {
    const [first] = sequences as readonly FakeTensor[];
    if (first === undefined) throw invalidArgument("received an empty list of sequences");
    if (side !== "right" && side !== "left")
      throw invalidArgument(`Expected padding_side to be one of left or right, but got ${side}.`);
    const longest = sequences.map(({ shape }) => shape[0]!).reduce((a, b) => symMax(a, b));
    const trailing = first.shape.slice(1);
    const shape = batchFirst
      ? [sequences.length, longest, ...trailing]
      : [longest, sequences.length, ...trailing];
    let out = emit("aten.new_full.default", [first, shape, float(value)]);
    sequences.forEach((sequence, i) => {
      const missing = sizeMath(emit, "sub", longest, sequence.shape[0]!);
      const pads = [...trailing.flatMap(() => [0, 0]), ...(side === "right" ? [0, missing] : [missing, 0])];
      const row = emit("aten.constant_pad_nd.default", [
        convert(emit, sequence, first.dtype),
        pads,
        float(value),
      ]);
      out = emit("aten.select_scatter.default", [out, row, batchFirst ? 0 : 1, i]);
    });
    return out;
  },
});

export const paddingOps: readonly OpDefinition[] = [
  constantPadNd,
  edgePad("reflection", 1, true),
  edgePad("reflection", 2, true),
  edgePad("reflection", 3, true),
  edgePad("replication", 1, false),
  edgePad("replication", 2, true),
  edgePad("replication", 3, true),
  padCircular,
  pad,
  padEnum,
  padSequence,
];
