/** @file Bessel and Airy functions of every element. */
import type { Tensor } from "@sconce/tensor";
import { type AnyKernel, defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import {
  airyAi,
  besselJ0,
  besselJ1,
  besselK,
  besselKScaled,
  besselY0,
  besselY1,
  sphericalBesselJ0,
} from "./bessel.js";
import { elementwise, map1 } from "./pointwise-loop.js";
import { besselI0, besselI1 } from "./pointwise-special.js";

/** The schemas call the argument `self` or `x`. */
const ofElements = (f: (x: number) => number): AnyKernel =>
  kernel<{ self?: Tensor; x?: Tensor }>(({ self, x }, context) =>
    elementwise({ real: map1(f) }, emptyOutput(context), [(self ?? x)!]),
  );

export const unaryBesselKernels = defineKernels({
  "aten.special_bessel_j0.default": ofElements(besselJ0),
  "aten.special_bessel_j1.default": ofElements(besselJ1),
  "aten.special_bessel_y0.default": ofElements(besselY0),
  "aten.special_bessel_y1.default": ofElements(besselY1),
  "aten.special_modified_bessel_i0.default": ofElements(besselI0),
  "aten.special_modified_bessel_i1.default": ofElements(besselI1),
  "aten.special_modified_bessel_k0.default": ofElements((x) => besselK(0, x)),
  "aten.special_modified_bessel_k1.default": ofElements((x) => besselK(1, x)),
  "aten.special_scaled_modified_bessel_k0.default": ofElements((x) => besselKScaled(0, x)),
  "aten.special_scaled_modified_bessel_k1.default": ofElements((x) => besselKScaled(1, x)),
  "aten.special_spherical_bessel_j0.default": ofElements(sphericalBesselJ0),
  "aten.special_airy_ai.default": ofElements(airyAi),
});
