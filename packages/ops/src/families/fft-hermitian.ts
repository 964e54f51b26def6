/** @file Transforms of signals that are Hermitian in some dimensions (`SpectralOps.cpp`). */
import type { FakeTensor } from "@sconce/ir";
import { add, floorDiv, mul, sub } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { checkPoints, normalization, promote, resize, type SpaceArgs, space } from "./fft.js";

/** Half of a Hermitian signal in, real values out: the last dimension is done last. */
function hermitianToReal(emit: Emit, args: SpaceArgs): FakeTensor {
  const { dims, sizes } = space(emit, args);
  if (dims.length === 0) throw invalidArgument("hfftn must transform at least one axis");
  const promoted = promote(emit, args.self, true);
  const last = dims.at(-1)!;
  const asked = sizes.at(-1) ?? null;
  const size = asked ?? mul(2, sub(promoted.shape[last]!, 1));
  checkPoints(emit, size);
  const halves = sizes.with(-1, asked === null ? null : add(floorDiv(size, 2), 1));
  const norm = normalization(args.norm, true);
  let half = resize(emit, promoted, dims, halves);
  const others = dims.slice(0, -1);
  if (others.length > 0) half = emit("aten._fft_c2c.default", [half, others, norm, true]);
  const conjugate = emit("aten.conj.default", [half]);
  return emit("aten._fft_c2r.default", [conjugate, [last], norm, size]);
}

/** Real values in, half of a Hermitian signal out: the inverse of {@link hermitianToReal}. */
function realToHermitian(emit: Emit, args: SpaceArgs): FakeTensor {
  if (isComplexDType(args.self.dtype)) {
    throw dtypeMismatch(
      `ihfftn expects a real-valued input tensor, but got ${scalarTypeName(args.self.dtype)}`,
    );
  }
  const { dims, sizes } = space(emit, args);
  if (dims.length === 0) throw invalidArgument("ihfftn must transform at least one axis");
  const input = resize(emit, promote(emit, args.self, false), dims, sizes);
  const norm = normalization(args.norm, false);
  const half = emit("aten._fft_r2c.default", [input, [dims.at(-1)!], norm, true]);
  const others = dims.slice(0, -1);
  if (others.length === 0) return emit("aten.conj.default", [half]);
  const conjugate = emit("aten.conj_physical.default", [half]);
  return emit("aten._fft_c2c.default", [conjugate, others, norm, false]);
}

const tags = ["composite"] as const;

export const fftHermitianOps: readonly OpDefinition[] = [
  defineOp({
    schema: "aten::fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: hermitianToReal,
  }),
  defineOp({
    schema: "aten::fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: hermitianToReal,
  }),
  defineOp({
    schema: "aten::fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor",
    tags,
    decompose: realToHermitian,
  }),
  defineOp({
    schema: "aten::fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor",
    tags,
    decompose: realToHermitian,
  }),
];
