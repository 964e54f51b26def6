/** @file Arithmetic, comparison, logic and activations. */
import { type DType, isFloatDType, type PromotionOperand, resultType } from "@sconce/tensor";
import {
  apply,
  type BinaryFn,
  type CompareFn,
  cast,
  constantScalar,
  FALSE,
  FLOAT_UNARY,
  type Scalar,
  select,
  type UnaryFn,
} from "../../ir/scalar.js";
import {
  cannot,
  checkedScalar,
  computeType,
  type Lowering,
  type LoweringCall,
  type LoweringRule,
  type LoweringTable,
  numberScalar,
  optionalTensor,
  outOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";
import { pointwise } from "../pointwise.js";

const rule = (call: LoweringRule): Lowering => ({ rule: call });
/** Functions that cost more than a few additions. */
const EXPENSIVE = 3;

const c = (value: number, dtype: DType): Scalar => constantScalar(value, dtype);
const add = (a: Scalar, b: Scalar): Scalar => apply("add", a, b);
const sub = (a: Scalar, b: Scalar): Scalar => apply("sub", a, b);
const mul = (a: Scalar, b: Scalar): Scalar => apply("mul", a, b);
const div = (a: Scalar, b: Scalar): Scalar => apply("div", a, b);

/** An operator of one tensor. */
const unary = (body: (x: Scalar, call: LoweringCall) => Scalar, operations = 1): Lowering =>
  rule((call) => pointwise(call, [tensorArg(call, "self")], ([x]) => body(x!, call), { operations }));
const direct = (fn: UnaryFn, operations = 1): Lowering => unary((x) => apply(fn, x), operations);
/**
 * A function of floats whose results for NaN and infinities are its own; integers stay as they are.
 */
const rounding = (fn: UnaryFn): Lowering => unary((x) => (isFloatDType(x.dtype) ? apply(fn, x) : x));

/** What an operand weighs in type promotion. */
function operandOf(value: unknown): PromotionOperand {
  if (value instanceof LazyTensor)
    return { dtype: value.dtype, rank: value.shape.length > 0 ? "dimensioned" : "zeroDim" };
  const tag = (value as { kind?: string } | null)?.kind;
  if (tag === "float" || tag === "SymFloat") return { dtype: "float64", rank: "wrappedNumber" };
  if (typeof value === "boolean" || tag === "SymBool") return { dtype: "bool", rank: "wrappedNumber" };
  if (typeof value === "number" && !Number.isInteger(value))
    return { dtype: "float64", rank: "wrappedNumber" };
  if (tag === "complex") return cannot("complex numbers are not lowered to loops");
  return { dtype: "int64", rank: "wrappedNumber" };
}
/** The dtype that two operands meet in. */
const commonType = (a: unknown, b: unknown): DType => resultType([operandOf(a), operandOf(b)]);

/** Both operands of a call as tensors and elements: numbers join as constants. */
function binaryOf(
  call: LoweringCall,
  names: readonly [string, string],
  compute: DType,
  body: (a: Scalar, b: Scalar) => Scalar,
  operations = 1,
): LazyTensor {
  const values = names.map((name) => call.args[name]);
  const tensors = values.filter((value): value is LazyTensor => value instanceof LazyTensor);
  return pointwise(
    call,
    tensors,
    (elements) => {
      let next = 0;
      const [a, b] = values.map((value) =>
        value instanceof LazyTensor ? elements[next++]! : numberScalar(value, compute),
      );
      return body(a!, b!);
    },
    { operations, compute },
  );
}

/** Arithmetic in the dtype of the result. */
const arithmetic = (body: (a: Scalar, b: Scalar, call: LoweringCall) => Scalar, operations = 1): Lowering =>
  rule((call) =>
    binaryOf(call, ["self", "other"], computeType(outOf(call).dtype), (a, b) => body(a, b, call), operations),
  );
const binary = (fn: BinaryFn, operations = 1): Lowering => arithmetic((a, b) => apply(fn, a, b), operations);
const compare = (fn: CompareFn): Lowering =>
  rule((call) =>
    binaryOf(
      call,
      ["self", "other"],
      computeType(commonType(call.args["self"], call.args["other"])),
      (a, b) => apply(fn, a, b),
    ),
  );
const logical = (fn: "and" | "or" | "xor"): Lowering =>
  rule((call) =>
    pointwise(
      call,
      [tensorArg(call, "self"), tensorArg(call, "other")],
      ([a, b]) => apply(fn, truth(a!), truth(b!)),
      {
        compute: commonType(call.args["self"], call.args["other"]),
      },
    ),
  );
export const truth = (x: Scalar): Scalar => cast(x, "bool");

/** `self + alpha * other`; bool addition is `or`. */
const scaled = (fn: "add" | "sub"): Lowering =>
  arithmetic((a, b, call) => {
    if (a.dtype === "bool") return apply("or", a, b);
    const alpha = call.args["alpha"] ?? 1;
    return apply(fn, a, alpha === 1 ? b : mul(checkedScalar(alpha, b.dtype), b));
  });
const multiply = arithmetic((a, b) => (a.dtype === "bool" ? apply("and", a, b) : mul(a, b)));

/** Division: true, or rounded as Python or C does. */
const dividing = rule((call) => {
  const mode = call.args["rounding_mode"] ?? null;
  const { dtype } = outOf(call);
  return binaryOf(call, ["self", "other"], computeType(dtype), (a, b) => {
    if (mode === null) return div(a, b);
    if (mode === "floor") return apply("floor_div", a, b);
    // Halves that are both tensors are rounded before they are cut.
    const isHalf = dtype !== a.dtype && call.args["other"] instanceof LazyTensor;
    return isHalf ? apply("trunc", cast(cast(div(a, b), dtype), a.dtype)) : apply("trunc_div", a, b);
  });
});

/** `min(max(x, low), high)`, NaN kept, as `clamp` computes it. */
function clamped(x: Scalar, low: Scalar | undefined, high: Scalar | undefined): Scalar {
  const floored = low === undefined ? x : apply("max", x, low);
  return high === undefined ? floored : apply("min", floored, high);
}
const clamp = unary((x, { args }) => {
  const bound = (name: string): Scalar | undefined =>
    args[name] === null || args[name] === undefined ? undefined : checkedScalar(args[name], x.dtype);
  return clamped(x, bound("min"), bound("max"));
});
const clampTensor = rule((call) => {
  const [low, high] = [optionalTensor(call, "min"), optionalTensor(call, "max")];
  const operands = [tensorArg(call, "self"), low, high].filter((tensor) => tensor !== undefined);
  return pointwise(call, operands, ([x, ...bounds]) => {
    const least = low === undefined ? undefined : bounds.shift();
    return clamped(x!, least, high === undefined ? undefined : bounds.shift());
  });
});

const isPositive = (x: Scalar): Scalar => apply("gt", x, c(0, x.dtype));
/** NaN stays NaN: it is not `<= 0`. */
const relu = unary((x) => apply("max", x, c(0, x.dtype)));
const sigmoid = (x: Scalar): Scalar => apply("sigmoid", x);

/** Both forms of PyTorch's `gelu` (`aten/src/ATen/native/cpu/Activation.cpp`). */
const gelu = unary((x, { args }) => {
  const half = mul(x, c(0.5, x.dtype));
  if (args["approximate"] === "tanh") {
    const inner = add(x, mul(c(0.044715, x.dtype), mul(mul(x, x), x)));
    const beta = c(Math.SQRT2 / Math.sqrt(Math.PI), x.dtype);
    return mul(half, add(c(1, x.dtype), apply("tanh", mul(beta, inner))));
  }
  const exact = mul(half, add(c(1, x.dtype), apply("erf", mul(x, c(Math.SQRT1_2, x.dtype)))));
  // For all but float64 PyTorch's recorded calls have NaN at infinity.
  return x.dtype === "float64" ? exact : select(apply("isinf", x), c(Number.NaN, x.dtype), exact);
}, EXPENSIVE * 2);

const elu = unary((x, { args }) => {
  const [alpha, scale, inputScale] = ["alpha", "scale", "input_scale"].map((name) =>
    numberScalar(args[name] ?? 1, x.dtype),
  );
  const negative = mul(mul(alpha!, scale!), apply("expm1", mul(x, inputScale!)));
  return select(apply("le", x, c(0, x.dtype)), negative, mul(x, scale!));
}, EXPENSIVE);
const leakyRelu = unary((x, { args }) =>
  select(isPositive(x), x, mul(x, numberScalar(args["negative_slope"], x.dtype))),
);
const hardtanh = unary((x, { args }) =>
  clamped(x, numberScalar(args["min_val"], x.dtype), numberScalar(args["max_val"], x.dtype)),
);
const sixth = (x: Scalar): Scalar => clamped(add(x, c(3, x.dtype)), c(0, x.dtype), c(6, x.dtype));
const softplus = unary((x, { args }) => {
  const beta = numberScalar(args["beta"], x.dtype);
  const steep = mul(x, beta);
  const soft = div(apply("log1p", apply("exp", steep)), beta);
  return select(apply("gt", steep, numberScalar(args["threshold"], x.dtype)), x, soft);
}, EXPENSIVE * 2);

const sign = unary((x) => (x.dtype === "bool" ? x : apply("sign", x)));
/** Integer and bool operands are converted by the result's dtype, which is a float. */
const power = rule((call) =>
  binaryOf(call, ["self", "exponent"], computeType(outOf(call).dtype), raised, EXPENSIVE),
);
function raised(x: Scalar, exponent: Scalar): Scalar {
  if (exponent.kind === "constant" && isFloatDType(x.dtype)) {
    if (exponent.value === 2) return mul(x, x);
    if (exponent.value === 3) return mul(mul(x, x), x);
    if (exponent.value === 1) return x;
    if (exponent.value === 0.5) return apply("sqrt", x);
    if (exponent.value === -0.5) return apply("rsqrt", x);
    if (exponent.value === -1) return apply("reciprocal", x);
  }
  return apply("pow", x, exponent);
}

const where = rule((call) => {
  const condition = tensorArg(call, "condition");
  const { dtype } = outOf(call);
  const values = ["self", "other"].map((name) => call.args[name]);
  const tensors = values.filter((value): value is LazyTensor => value instanceof LazyTensor);
  return pointwise(
    call,
    [condition, ...tensors],
    ([chosen, ...elements]) => {
      const [then, otherwise] = values.map((value) =>
        cast(value instanceof LazyTensor ? elements.shift()! : numberScalar(value, dtype), dtype),
      );
      return select(truth(chosen!), then!, otherwise!);
    },
    { compute: "own" },
  );
});

/** Tests that give a bool from the operand's own dtype. */
const test = (body: (x: Scalar) => Scalar): Lowering =>
  rule((call) => {
    const self = tensorArg(call, "self");
    return pointwise(call, [self], ([x]) => body(x!), { compute: computeType(self.dtype) });
  });
const never = (x: Scalar): boolean => !isFloatDType(x.dtype);

const bitwise = (fn: "bitwise_and" | "bitwise_or" | "bitwise_xor"): Lowering =>
  arithmetic((a, b) => apply(a.dtype === "bool" ? (fn.slice(8) as "and") : fn, a, b));

const conversion = rule((call) => {
  const self = tensorArg(call, "self");
  return pointwise(call, [self], ([x]) => cast(x!, outOf(call).dtype), { compute: "own" });
});
const copied = rule((call) =>
  pointwise(call, [tensorArg(call, "self")], ([x]) => x!, { operations: 0, compute: "own" }),
);

/** `self + value * t1 * t2`, `self + value * t1 / t2`. */
const addc = (fn: "mul" | "div"): Lowering =>
  rule((call) =>
    pointwise(
      call,
      ["self", "tensor1", "tensor2"].map((name) => tensorArg(call, name)),
      ([x, a, b]) => add(x!, apply(fn, mul(numberScalar(call.args["value"] ?? 1, x!.dtype), a!), b!)),
    ),
  );
const lerp = rule((call) => {
  const weight = call.args["weight"];
  const tensors = ["self", "end"].map((name) => tensorArg(call, name));
  if (weight instanceof LazyTensor) tensors.push(weight);
  return pointwise(call, tensors, ([a, b, w = numberScalar(weight, a!.dtype)]) => {
    // `aten/src/ATen/native/Lerp.h`: the nearer end is the one that is added to.
    const step = sub(b!, a!);
    const near = add(a!, mul(w, step));
    const far = sub(b!, mul(step, sub(c(1, w.dtype), w)));
    return select(apply("lt", apply("abs", w), c(0.5, w.dtype)), near, far);
  });
});

const CHEAP_FUNCTIONS: ReadonlySet<UnaryFn> = new Set<UnaryFn>(["reciprocal", "sqrt", "rsqrt"]);

const both = (name: string, lowering: Lowering): LoweringTable => ({
  [`aten.${name}.Tensor`]: lowering,
  [`aten.${name}.Scalar`]: lowering,
});

/** `fmax`, `fmin`: the other one when one is NaN. */
const ignoringNaN = (fn: "max" | "min"): Lowering =>
  arithmetic((a, b) => {
    if (never(a)) return apply(fn, a, b);
    return select(apply("isnan", a), b, select(apply("isnan", b), a, apply(fn, a, b)));
  });
/** Scaled by the greater of the two, so that squares do not overflow. */
const hypot = arithmetic((a, b) => {
  const [x, y] = [apply("abs", a), apply("abs", b)];
  const [most, least] = [apply("max", x, y), apply("min", x, y)];
  const ratio = div(least, most);
  const length = mul(most, apply("sqrt", add(c(1, x.dtype), mul(ratio, ratio))));
  const isInfinite = apply("or", apply("isinf", x), apply("isinf", y));
  const plain = select(apply("eq", most, c(0, x.dtype)), most, length);
  return select(isInfinite, c(Number.POSITIVE_INFINITY, x.dtype), plain);
}, EXPENSIVE * 2);
const roundDecimals = unary((x, { args }) => {
  const decimals = Number(args["decimals"]);
  if (never(x)) return decimals >= 0 ? x : cannot("rounding integers to tens");
  if (decimals === 0) return apply("round", x);
  const ten = c(10 ** Math.abs(decimals), x.dtype);
  return decimals > 0 ? div(apply("round", mul(x, ten)), ten) : mul(apply("round", div(x, ten)), ten);
}, EXPENSIVE);
/** Floats are multiplied by powers of two (`__lshift__`). */
const shift = (fn: "shift_left" | "shift_right"): Lowering =>
  arithmetic((a, b) => {
    if (never(a)) return apply(fn, a, b);
    return apply(fn === "shift_left" ? "mul" : "div", a, apply("exp2", b));
  });
const shifts = (name: string, fn: "shift_left" | "shift_right"): LoweringTable =>
  Object.fromEntries(
    ["Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor"].map((overload) => [
      `aten.${name}.${overload}`,
      shift(fn),
    ]),
  );
/** The gradient where `self` is outside of the middle, zero in it (`hardshrink`, `softshrink`). */
const shrinkBackward = (gradient: string): Lowering =>
  rule((call) =>
    pointwise(call, [tensorArg(call, gradient), tensorArg(call, "self")], ([grad, x]) => {
      const border = numberScalar(call.args["lambd"], x!.dtype);
      const isInside = apply("and", apply("ge", x!, apply("neg", border)), apply("le", x!, border));
      return select(isInside, c(0, x!.dtype), grad!);
    }),
  );

export const ELEMENTWISE: LoweringTable = {
  ...Object.fromEntries(
    FLOAT_UNARY.map((fn) => [`aten.${fn}.default`, direct(fn, CHEAP_FUNCTIONS.has(fn) ? 1 : EXPENSIVE)]),
  ),
  "aten.neg.default": direct("neg"),
  "aten.abs.default": unary((x) => (x.dtype === "bool" ? x : apply("abs", x))),
  "aten.sign.default": sign,
  "aten.floor.default": rounding("floor"),
  "aten.ceil.default": rounding("ceil"),
  "aten.round.default": rounding("round"),
  "aten.trunc.default": rounding("trunc"),
  "aten.square.default": unary((x) => mul(x, x)),
  ...both("add", scaled("add")),
  ...both("sub", scaled("sub")),
  "aten.rsub.Scalar": arithmetic((a, b, { args }) =>
    sub(b, args["alpha"] === 1 ? a : mul(checkedScalar(args["alpha"] ?? 1, a.dtype), a)),
  ),
  ...both("mul", multiply),
  ...both("div", dividing),
  "aten.div.Tensor_mode": dividing,
  "aten.div.Scalar_mode": dividing,
  ...both("remainder", binary("remainder", EXPENSIVE)),
  ...both("fmod", binary("fmod", EXPENSIVE)),
  "aten.remainder.Scalar_Tensor": binary("remainder", EXPENSIVE),
  ...shifts("__lshift__", "shift_left"),
  ...shifts("__rshift__", "shift_right"),
  ...shifts("bitwise_left_shift", "shift_left"),
  ...shifts("bitwise_right_shift", "shift_right"),
  "aten.fmax.default": ignoringNaN("max"),
  "aten.fmin.default": ignoringNaN("min"),
  "aten.hypot.default": hypot,
  "aten.round.decimals": roundDecimals,
  "aten.hardshrink_backward.default": shrinkBackward("grad_out"),
  "aten.softshrink_backward.default": shrinkBackward("grad_output"),
  "aten.maximum.default": binary("max"),
  "aten.minimum.default": binary("min"),
  "aten.atan2.default": binary("atan2", EXPENSIVE),
  "aten.pow.Tensor_Scalar": power,
  "aten.pow.Tensor_Tensor": power,
  "aten.pow.Scalar": power,
  ...both("eq", compare("eq")),
  ...both("ne", compare("ne")),
  ...both("lt", compare("lt")),
  ...both("le", compare("le")),
  ...both("gt", compare("gt")),
  ...both("ge", compare("ge")),
  ...both("bitwise_and", bitwise("bitwise_and")),
  ...both("bitwise_or", bitwise("bitwise_or")),
  ...both("bitwise_xor", bitwise("bitwise_xor")),
  "aten.bitwise_not.default": unary((x) => apply(x.dtype === "bool" ? "not" : "bitwise_not", x)),
  "aten.logical_and.default": logical("and"),
  "aten.logical_or.default": logical("or"),
  "aten.logical_xor.default": logical("xor"),
  "aten.logical_not.default": test((x) => apply("not", truth(x))),
  "aten.isnan.default": test((x) => (never(x) ? FALSE : apply("isnan", x))),
  "aten.isinf.default": test((x) => (never(x) ? FALSE : apply("isinf", x))),
  "aten.isfinite.default": test((x) =>
    never(x) ? constantScalar(true, "bool") : apply("not", apply("or", apply("isnan", x), apply("isinf", x))),
  ),
  "aten.clamp.default": clamp,
  "aten.clamp.Tensor": clampTensor,
  "aten.relu.default": relu,
  "aten.gelu.default": gelu,
  "aten.silu.default": unary((x) => mul(x, sigmoid(x)), EXPENSIVE),
  "aten.elu.default": elu,
  "aten.leaky_relu.default": leakyRelu,
  "aten.hardtanh.default": hardtanh,
  "aten.hardsigmoid.default": unary((x) => div(sixth(x), c(6, x.dtype))),
  "aten.hardswish.default": unary((x) => div(mul(x, sixth(x)), c(6, x.dtype))),
  "aten.softplus.default": softplus,
  "aten.where.self": where,
  "aten.where.ScalarSelf": where,
  "aten.where.ScalarOther": where,
  "aten.where.Scalar": where,
  "aten.addcmul.default": addc("mul"),
  "aten.addcdiv.default": addc("div"),
  "aten.lerp.Scalar": lerp,
  "aten.lerp.Tensor": lerp,
  "aten._to_copy.default": conversion,
  "prims.convert_element_type.default": conversion,
  "aten.clone.default": copied,
  "aten.lift_fresh_copy.default": copied,
  "aten.contiguous.default": copied,
};
