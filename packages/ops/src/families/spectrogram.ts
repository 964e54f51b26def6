/** @file Short-time Fourier transforms (`torch/_refs`, `SpectralOps.cpp`). */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, floorDiv, ge, mul, sub } from "@sconce/symbolic";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { check, isAtMost, isEqual, mayDiffer } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { numelOf } from "../rules/fake.js";
import { toRealDType } from "../rules/promote.js";

interface SpectrogramArgs {
  readonly self: FakeTensor;
  readonly n_fft: IntLike;
  readonly hop_length: IntLike | null;
  readonly win_length: IntLike | null;
  readonly window: FakeTensor | null;
  readonly normalized: boolean;
  readonly onesided: boolean | null;
  readonly return_complex: boolean | null;
  readonly align_to_window: boolean | null;
}

/** The sizes that default to those of the transform. */
const lengthsOf = (args: Pick<SpectrogramArgs, "n_fft" | "hop_length" | "win_length">) => ({
  size: Number(args.n_fft),
  hop: Number(args.hop_length ?? floorDiv(args.n_fft, 4)),
  width: Number(args.win_length ?? args.n_fft),
});

const isComplex = (tensor: FakeTensor | null): boolean => tensor !== null && isComplexDType(tensor.dtype);

/** Returns whether the result is complex. PyTorch requires `return_complex` for real inputs. */
function complexResult({ self, window, return_complex }: SpectrogramArgs): boolean {
  if (return_complex !== null) return return_complex;
  if (isComplex(self) || isComplex(window)) return true;
  throw invalidArgument(
    "stft requires the return_complex parameter be given for real inputs, and will further require that " +
      "return_complex=True in a future PyTorch release.",
  );
}

function checkInput({ self }: SpectrogramArgs): void {
  if (!isFloatDType(self.dtype) && !isComplexDType(self.dtype)) {
    throw dtypeMismatch("stft expected a tensor of floating point or complex values");
  }
  if (self.ndim < 1 || self.ndim > 2) throw shapeMismatch("stft expected a 1D or 2D tensor");
}

function checkLengths(emit: Emit, args: SpectrogramArgs, length: IntLike): void {
  const { size, hop, width } = lengthsOf(args);
  const isLongEnough = size > 0 && ge(length, size);
  check(emit.env, isLongEnough, () =>
    invalidArgument(`stft expected 0 < n_fft <= ${String(length)}, but got n_fft=${size}`),
  );
  if (hop <= 0) throw invalidArgument(`stft expected hop_length > 0 but got hop_length=${hop}`);
  if (width <= 0 || width > size) {
    throw invalidArgument(`stft expected 0 < win_length <= n_fft but got win_length=${width}`);
  }
  const { window } = args;
  if (window !== null && (window.ndim !== 1 || mayDiffer(emit.env, window.shape[0]!, width))) {
    throw shapeMismatch(
      `expected a 1D window tensor of size equal to win_length=${width}, but got window with size ${describeSizes(window.shape)}`,
    );
  }
}

/** Returns the window in the middle of `size` zeros; null when there is none and none is needed. */
function widened(
  emit: Emit,
  window: FakeTensor | null,
  width: number,
  size: number,
  like: FakeTensor,
): FakeTensor | null {
  if (width === size) return window;
  const { dtype, device } = like;
  const narrow = window ?? emit("aten.ones.default", [[width]], { dtype, device, pin_memory: false });
  const left = Math.floor((size - width) / 2);
  return emit("aten.constant_pad_nd.default", [narrow, [left, size - width - left]]);
}

function spectrogram(emit: Emit, args: SpectrogramArgs): FakeTensor {
  const complex = complexResult(args);
  checkInput(args);
  const { size, hop, width } = lengthsOf(args);
  let input = args.self.ndim === 1 ? emit("aten.unsqueeze.default", [args.self, 0]) : args.self;
  checkLengths(emit, args, input.shape[1]!);
  const window = widened(emit, args.window, width, size, input);
  if (args.align_to_window === true && width < size) {
    const by = Math.floor((size - width) / 2);
    input = emit("aten.pad.default", [input, [by, by]]);
  }
  input = emit("aten.unfold.default", [input, -1, size, hop]);
  if (window !== null) input = emit("aten.mul.Tensor", [input, window]);
  const onesided = args.onesided ?? !isComplex(input);
  if (onesided && isComplex(input)) {
    throw invalidArgument("Cannot have onesided output if window or input is complex");
  }
  const norm = args.normalized ? "ortho" : null;
  const transform = onesided ? "aten.fft_rfft.default" : "aten.fft_fft.default";
  const spectrum = emit(transform, [input, null, -1, norm]);
  let out = emit("aten.transpose.int", [spectrum, 1, 2]);
  if (args.self.ndim === 1) out = emit("aten.squeeze.dim", [out, 0]);
  return complex ? out : emit("aten.view_as_real.default", [out]);
}

/** Pads both ends, so that each frame is around its time. */
function centered(emit: Emit, args: SpectrogramArgs & { readonly pad_mode: string }): FakeTensor {
  const { self, n_fft, pad_mode } = args;
  const lead = new Array<IntLike>(Math.max(3 - self.ndim, 0)).fill(1);
  const by = floorDiv(n_fft, 2);
  const deep = emit("aten.view.default", [self, [...lead, ...self.shape]]);
  const padded = emit("aten.pad.default", [deep, [by, by], pad_mode]);
  return emit("aten.view.default", [padded, padded.shape.slice(lead.length)]);
}

const stft = defineOp({
  schema:
    "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
  tags: ["composite"],
  decompose: spectrogram,
});

const stftCenter = defineOp({
  schema:
    'aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor',
  tags: ["composite"],
  decompose: (emit, args) => {
    if (args.center && args.align_to_window !== null) {
      throw invalidArgument("stft only supports align_to_window for center = False.");
    }
    complexResult(args);
    checkInput(args);
    return spectrogram(emit, args.center ? { ...args, self: centered(emit, args) } : args);
  },
});

interface InverseArgs extends Omit<SpectrogramArgs, "return_complex" | "align_to_window"> {
  readonly center: boolean;
  readonly length: IntLike | null;
  readonly return_complex: boolean;
}

/** Returns whether the spectrum has the non-negative frequencies only. */
function checkInverse(emit: Emit, args: InverseArgs): boolean {
  const { self, n_fft, window } = args;
  if (!isComplex(self)) {
    throw dtypeMismatch(
      "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
    );
  }
  if (isEqual(emit.env, numelOf(self.shape), 0)) throw shapeMismatch("istft input tensor cannot be empty");
  if (self.ndim !== 2 && self.ndim !== 3) {
    throw shapeMismatch(`istft expected a tensor with 2 or 3 dimensions, but got ${self.ndim}`);
  }
  const frequencies = self.shape.at(-2)!;
  const onesided = args.onesided ?? mayDiffer(emit.env, frequencies, n_fft);
  const wanted = onesided ? add(floorDiv(n_fft, 2), 1) : n_fft;
  if (mayDiffer(emit.env, frequencies, wanted)) {
    throw shapeMismatch(
      "istft expected the frequency dimension (3rd to the last) of the input tensor to match " +
        `${onesided ? "n_fft / 2 + 1 when onesided=True" : "n_fft when onesided=False"}, but got ${String(frequencies)}`,
    );
  }
  const { size, hop, width } = lengthsOf(args);
  if (hop <= 0 || hop > width) throw invalidArgument("istft expected 0 < hop_length <= win_length");
  if (width <= 0 || width > size) throw invalidArgument("istft expected 0 < win_length <= n_fft");
  if (window !== null && (window.ndim !== 1 || mayDiffer(emit.env, window.shape[0]!, width))) {
    throw shapeMismatch("Invalid window shape. window has to be 1D and length of `win_length`");
  }
  if (args.return_complex && onesided) {
    throw invalidArgument("cannot have onesided output if window or input is complex");
  }
  if (!args.return_complex && isComplex(window)) {
    throw invalidArgument("Complex windows are incompatible with return_complex=False");
  }
  return onesided;
}

/** Returns the frames in time. */
function framesOf(emit: Emit, args: InverseArgs, onesided: boolean, size: number): FakeTensor {
  const { self } = args;
  const batched = self.ndim === 2 ? emit("aten.unsqueeze.default", [self, 0]) : self;
  const spectra = emit("aten.transpose.int", [batched, 1, 2]);
  const norm = args.normalized ? "ortho" : null;
  if (args.return_complex) return emit("aten.fft_ifft.default", [spectra, null, -1, norm]);
  const half = onesided ? spectra : emit("aten.slice.Tensor", [spectra, -1, 0, Math.floor(size / 2) + 1]);
  return emit("aten._fft_c2r.default", [half, [2], args.normalized ? 1 : 2, size]);
}

function inverse(emit: Emit, args: InverseArgs): FakeTensor {
  const onesided = checkInverse(emit, args);
  const { size, hop, width } = lengthsOf(args);
  const { dtype, device } = args.self;
  const given =
    args.window ??
    emit("aten.ones.default", [[width]], { dtype: toRealDType(dtype), device, pin_memory: false });
  const window = widened(emit, given, width, size, given)!;
  const frames = framesOf(emit, args, onesided, size);
  const count = args.self.shape.at(-1)!;
  const total = add(size, mul(hop, sub(count, 1)));
  const weighted = emit("aten.mul.Tensor", [frames, emit("aten.view.default", [window, [1, 1, size]])]);
  const places = [[weighted.shape[0]!, total], 1, size, hop] as const;
  const overlapped = emit("aten.unfold_backward.default", [weighted, ...places]);
  const power = emit("aten.pow.Tensor_Scalar", [window, 2]);
  const spread = emit("aten.expand.default", [power, [1, count, size]]);
  const envelope = emit("aten.unfold_backward.default", [spread, ...places]);
  return cut(emit, args, overlapped, envelope, total);
}

/** Leaves out what was padded before the transform, and pads up to the length asked for. */
function cut(
  emit: Emit,
  args: InverseArgs,
  signal: FakeTensor,
  envelope: FakeTensor,
  total: IntLike,
): FakeTensor {
  const half = args.center ? floorDiv(args.n_fft, 2) : 0;
  const end = args.length === null ? sub(total, half) : add(half, args.length);
  const stop = isAtMost(emit.env, end, total) ? end : total;
  const slice = (tensor: FakeTensor): FakeTensor => emit("aten.slice.Tensor", [tensor, 1, half, stop]);
  const kept = slice(signal);
  let result = emit("aten.div.Tensor", [kept, slice(envelope)]);
  if (args.self.ndim === 2) result = emit("aten.squeeze.dim", [result, 0]);
  return stop === end ? result : emit("aten.constant_pad_nd.default", [result, [0, sub(end, total)]]);
}

const istft = defineOp({
  schema:
    "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
  tags: ["composite"],
  decompose: inverse,
});

export const spectrogramOps: readonly OpDefinition[] = [stft, stftCenter, istft];
