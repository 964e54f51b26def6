/** @file Complex numbers, and which other lowerings take them. */
import { isComplexDType } from "@sconce/tensor";
import { ONE, ZERO } from "../../ir/index-expr.js";
import {
  apply,
  cast,
  complexOf,
  constantScalar,
  indexScalar,
  partsOfComplex,
  type Scalar,
  select,
} from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering, viewLowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { constantLike, EXPENSIVE, hypot, mul } from "../rules/elements.js";
import { pointwise } from "../rules/pointwise.js";

/** Packets that move elements, or compute with them as `complexCall` does. Views need no entry. */
const PACKETS: ReadonlySet<string> = new Set([
  ...["_conj_physical", "abs", "angle", "complex", "polar"],
  ...["add", "sub", "rsub", "mul", "div", "neg", "reciprocal", "eq", "ne"],
  ...["_to_copy", "clone", "contiguous", "convert_element_type", "copy", "lift_fresh_copy"],
  ...[
    "cat",
    "constant_pad_nd",
    "flip",
    "gather",
    "index",
    "index_select",
    "repeat",
    "roll",
    "stack",
    "where",
  ],
  ...["full", "full_like", "ones", "ones_like", "scalar_tensor", "zeros", "zeros_like"],
  ...["_fft_c2c", "_fft_c2r", "_fft_r2c"],
]);
/** Returns whether the lowering of an operator takes complex numbers, or gives some. */
export const takesComplex = (target: string): boolean => PACKETS.has(target.split(".")[1]!);

interface OneTensor {
  readonly self: LazyTensor;
}
type PartsBody = (re: Scalar, im: Scalar) => Scalar;
/** A function of the parts. */
const ofParts =
  (body: PartsBody, operations = 1) =>
  ({ self }: OneTensor, call: LoweringCall): LazyTensor =>
    pointwise(call, [self], ([z]) => body(...partsOfComplex(z!)), { operations, common: "own" });
/** The absolute value of complex numbers. */
export const modulus = ofParts(hypot, EXPENSIVE * 2);
const conjugate = ofParts((re, im) => complexOf(re, apply("neg", im)));
const argument = ofParts((re, im) => apply("atan2", im, re), EXPENSIVE);

/** Returns the angle of real numbers: of negative ones half a circle. */
function angle({ self }: OneTensor, call: LoweringCall): LazyTensor {
  if (isComplexDType(self.dtype)) return argument({ self }, call);
  return pointwise(call, [self], ([x]) => {
    const zero = constantLike(0, x!);
    const turned = select(apply("lt", x!, zero), constantLike(Math.PI, x!), zero);
    return select(apply("ne", x!, x!), x!, turned);
  });
}

const COMPLEX = "aten::complex(Tensor real, Tensor imag) -> Tensor";
const POLAR = "aten::polar(Tensor abs, Tensor angle) -> Tensor";

/** Returns a tensor that shows another one in another shape and dtype. */
const shown = ({ self }: OneTensor, call: LoweringCall, element: LazyTensor["element"]): LazyTensor => {
  const out = outOf(call);
  return new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs: [self],
    operations: 1,
    element,
  });
};

export const COMPLEX_NUMBERS = defineLowerings([
  lowering("aten::_conj_physical(Tensor self) -> Tensor", conjugate),
  lowering("aten::_conj(Tensor(a) self) -> Tensor(a)", conjugate),
  lowering("aten::angle(Tensor self) -> Tensor", angle),
  lowering(COMPLEX, ({ real, imag }, call) =>
    pointwise(call, [real, imag], ([re, im]) => complexOf(re!, im!), { common: real.dtype }),
  ),
  lowering(POLAR, ({ abs, angle }, call) =>
    pointwise(
      call,
      [abs, angle],
      ([size, arc]) => complexOf(mul(size!, apply("cos", arc!)), mul(size!, apply("sin", arc!))),
      { operations: EXPENSIVE * 2, common: abs.dtype },
    ),
  ),
  viewLowering("aten::view_as_real(Tensor(a) self) -> Tensor(a)", (args, call) =>
    shown(args, call, (at) => {
      const [re, im] = partsOfComplex(args.self.element(at.slice(0, -1)));
      const part = at.at(-1)!;
      if (part.terms.length === 0) return part.constant === 0 ? re : im;
      return select(apply("eq", indexScalar(part), constantScalar(0, "int64")), re, im);
    }),
  ),
  viewLowering("aten::view_as_complex(Tensor(a) self) -> Tensor(a)", (args, call) =>
    shown(args, call, (at) => {
      const [re, im] = [ZERO, ONE].map((part) =>
        cast(args.self.element([...at, part]), computeType(args.self.dtype)),
      );
      return complexOf(re!, im!);
    }),
  ),
]);
