/** @file Resizing, sampling and folding of `nn.functional` (`torch/nn/functional.py`). */
import type { Tensor } from "@sconce/tensor";
import { invalidArgument, requireChoice } from "../functions/errors.js";
import { callNn, callTorch } from "../functions/function-tables.js";
import { named, type PythonArguments } from "../functions/python-function.js";
import { sizeOf } from "../functions/sizes.js";
import { type SymNumber, sym } from "../functions/sym.js";
import type { Size } from "../trace/sym-int.js";
import type { Body } from "./functional-activation.js";
import { spread } from "./functional-pool.js";

const MODES = ["nearest", "nearest-exact", "area", "linear", "bilinear", "trilinear", "bicubic", "lanczos"];

interface Resize {
  readonly input: Tensor;
  readonly size: readonly Size[] | null;
  readonly scales: readonly SymNumber[] | null;
  readonly alignCorners: boolean | null;
  readonly antialias: boolean;
}

/** Functions that resize, by mode and the number of dimensions of the input. */
const RESIZE: Readonly<Record<string, string>> = {
  "nearest 3": "upsample_nearest1d",
  "nearest 4": "upsample_nearest2d",
  "nearest 5": "upsample_nearest3d",
  "nearest-exact 3": "_upsample_nearest_exact1d",
  "nearest-exact 4": "_upsample_nearest_exact2d",
  "nearest-exact 5": "_upsample_nearest_exact3d",
  "area 3": "adaptive_avg_pool1d",
  "area 4": "adaptive_avg_pool2d",
  "area 5": "adaptive_avg_pool3d",
  "linear 3": "upsample_linear1d",
  "bilinear 4": "upsample_bilinear2d",
  "trilinear 5": "upsample_trilinear3d",
  "bicubic 4": "upsample_bicubic2d",
  "lanczos 4": "_upsample_lanczos2d_aa",
};

function resize(mode: string, { input, size, scales, alignCorners, antialias }: Resize): unknown {
  const name = RESIZE[`${mode} ${input.ndim}`];
  if (name === undefined)
    throw invalidArgument(
      "functional.interpolate",
      `the mode ${mode} does not take an input of ${input.ndim} dimensions`,
      "use a mode for the number of dimensions: linear for 3, bilinear for 4, trilinear for 5",
    );
  if (mode === "area") return input.ndim === 3 ? callTorch(name, [input, size]) : callNn(name, [input, size]);
  if (mode.startsWith("nearest")) return callNn(name, [input, size, scales]);
  const own = antialias && mode !== "lanczos" ? `_${name}_aa` : name;
  return callNn(own, [input, size, alignCorners, scales]);
}

function checkOptions({
  input,
  mode,
  size,
  scaleFactor,
  alignCorners,
  antialias,
  recomputeScaleFactor,
}: PythonArguments): void {
  const refuse = (problem: string, fix: string): never => {
    throw invalidArgument("functional.interpolate", problem, fix);
  };
  requireChoice("functional.interpolate", "mode", mode, MODES);
  const isPlain = mode.startsWith("nearest") || mode === "area";
  if (isPlain && alignCorners !== null)
    refuse(`the mode ${mode} does not align corners`, "leave out alignCorners");
  if ((size === null) === (scaleFactor === null))
    refuse("size and scaleFactor are both given, or none", "give one of them");
  if (recomputeScaleFactor === true && size !== null)
    refuse("recomputeScaleFactor needs scaleFactor", "give scaleFactor");
  const takesAntialias = ["bilinear", "bicubic", "lanczos"].includes(mode) && input.ndim === 4;
  if (antialias && !takesAntialias)
    refuse(`the mode ${mode} has no antialiasing`, "use bilinear, bicubic or lanczos");
  if (mode === "lanczos" && (!antialias || alignCorners === true))
    refuse("the mode lanczos needs antialias, and does not align corners", "use `antialias: true`");
  for (const given of [size, scaleFactor])
    if (Array.isArray(given) && given.length !== input.ndim - 2)
      refuse(
        `${given.length} values are given for ${input.ndim - 2} dimensions`,
        "give one for each dimension",
      );
}

function interpolate(args: PythonArguments): unknown {
  checkOptions(args);
  const { input, mode, size, scaleFactor, antialias } = args;
  const isPlain = mode.startsWith("nearest") || mode === "area";
  const alignCorners = args["alignCorners"] ?? (isPlain ? null : false);
  const dims = input.ndim - 2;
  let sizes = size === null ? null : spread<Size>(size, dims);
  let scales = scaleFactor === null ? null : spread<SymNumber>(scaleFactor, dims);
  if (scales !== null && (mode === "area" || args["recomputeScaleFactor"] === true)) {
    sizes = scales.map((scale, i) => sym.int(sym.mul(sizeOf(input, i + 2), scale)));
    scales = null;
  }
  return resize(mode, { input, size: sizes, scales, alignCorners, antialias });
}

const upsample =
  (mode: string, alignCorners: boolean | null): Body =>
  ({ input, size, scaleFactor }) =>
    named("interpolate", "function", () =>
      interpolate({
        input,
        size,
        scaleFactor,
        mode,
        alignCorners,
        recomputeScaleFactor: null,
        antialias: false,
      }),
    );

const SAMPLE_MODES = ["bilinear", "nearest", "bicubic"];
const SAMPLE_PADDING = ["zeros", "border", "reflection"];

function gridSample({ input, grid, mode, paddingMode, alignCorners }: PythonArguments): unknown {
  const [kind, padding] = [SAMPLE_MODES.indexOf(mode), SAMPLE_PADDING.indexOf(paddingMode)];
  requireChoice("functional.gridSample", "mode", mode, SAMPLE_MODES);
  requireChoice("functional.gridSample", "paddingMode", paddingMode, SAMPLE_PADDING);
  return callTorch("grid_sampler", [input, grid, kind, padding, alignCorners ?? false]);
}

function affineGrid({ theta, size, alignCorners }: PythonArguments): unknown {
  if (size.length !== 4 && size.length !== 5)
    throw invalidArgument(
      "functional.affineGrid",
      `the size has ${size.length} dimensions`,
      "use 4 or 5 dimensions",
    );
  return callTorch("affine_grid_generator", [theta, size, alignCorners ?? false]);
}

const pair = (value: unknown): unknown => spread(value, 2);

/** The functions by PyTorch's name. */
export const VISION: Readonly<Record<string, Body>> = {
  affine_grid: affineGrid,
  fold: ({ input, outputSize, kernelSize, dilation, padding, stride }) =>
    callNn("col2im", [
      input,
      pair(outputSize),
      pair(kernelSize),
      pair(dilation),
      pair(padding),
      pair(stride),
    ]),
  grid_sample: gridSample,
  grouped_mm: ({ matA, matB, offs, bias, outDtype }) =>
    callTorch("_grouped_mm", [matA, matB], { offs, bias, outDtype }),
  interpolate,
  unfold: ({ input, kernelSize, dilation, padding, stride }) =>
    callNn("im2col", [input, pair(kernelSize), pair(dilation), pair(padding), pair(stride)]),
  upsample: ({ input, size, scaleFactor, mode, alignCorners }) =>
    upsample(mode, alignCorners)({ input, size, scaleFactor }),
  upsample_bilinear: upsample("bilinear", true),
  upsample_nearest: upsample("nearest", null),
};
