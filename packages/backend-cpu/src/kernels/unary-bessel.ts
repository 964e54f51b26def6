/** @file Bessel and Airy functions of every element. */
import type { Tensor } from "@sconce/tensor";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { airyAi, besselK, besselKScaled, sphericalBesselJ0 } from "./bessel.js";
import { besselJ0, besselJ1, besselY0, besselY1 } from "./cephes.js";
import { elementwise, map1 } from "./pointwise-loop.js";
import { besselI0, besselI1, besselIn } from "./pointwise-special.js";

/** Returns a kernel for an argument that the schemas call `self` or `x`. */
const ofElements =
  (f: (x: number) => number): Kernel<{ self?: Tensor; x?: Tensor }> =>
  ({ self, x }, context) =>
    elementwise({ real: map1(f) }, emptyOutput(context), [(self ?? x)!]);

const ofModified =
  (f: (x: number) => number): Kernel<{ self: Tensor }> =>
  ({ self }, context) =>
    elementwise({ real: map1(besselIn(self.dtype, f)) }, emptyOutput(context), [self]);

export const unaryBesselKernels = defineKernels([
  kernel("aten::special_bessel_j0(Tensor self) -> Tensor", ofElements(besselJ0)),
  kernel("aten::special_bessel_j1(Tensor self) -> Tensor", ofElements(besselJ1)),
  kernel("aten::special_bessel_y0(Tensor self) -> Tensor", ofElements(besselY0)),
  kernel("aten::special_bessel_y1(Tensor self) -> Tensor", ofElements(besselY1)),
  kernel("aten::special_modified_bessel_i0(Tensor self) -> Tensor", ofModified(besselI0)),
  kernel("aten::special_modified_bessel_i1(Tensor self) -> Tensor", ofModified(besselI1)),
  kernel(
    "aten::special_modified_bessel_k0(Tensor self) -> Tensor",
    ofElements((x) => besselK(0, x)),
  ),
  kernel(
    "aten::special_modified_bessel_k1(Tensor self) -> Tensor",
    ofElements((x) => besselK(1, x)),
  ),
  kernel(
    "aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor",
    ofElements((x) => besselKScaled(0, x)),
  ),
  kernel(
    "aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor",
    ofElements((x) => besselKScaled(1, x)),
  ),
  kernel("aten::special_spherical_bessel_j0(Tensor x) -> Tensor", ofElements(sphericalBesselJ0)),
  kernel("aten::special_airy_ai(Tensor x) -> Tensor", ofElements(airyAi)),
]);
