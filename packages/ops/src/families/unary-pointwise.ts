/** @file One tensor in, one of the same shape out. */
import { type FakeTensor, float as pythonFloat } from "@sconce/ir";
import { type DType, isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch } from "../rows/errors.js";
import { convert, promoted } from "../rules/decompose.js";
import { elementwise } from "../rules/elementwise.js";
import { largestFinite } from "../rules/limits.js";
import { computationDType, toFloatDType, toRealDType } from "../rules/promote.js";

type UnarySchema = "aten::sin(Tensor self) -> Tensor";

interface UnaryOptions {
  /** The name of the argument in the schema, `self` when left out. */
  readonly argument?: string;
  readonly tags?: readonly OpTag[];
  /** The result's dtype; that of the input when left out. Refuses dtypes by throwing. */
  readonly dtype?: (input: DType) => DType;
  readonly decompose?: (emit: Emit, self: FakeTensor) => FakeTensor;
}

/** Defines a unary elementwise operator of the default overload. */
function unary(name: string, options: UnaryOptions = {}): OpDefinition {
  const { tags = ["pointwise"], argument = "self", dtype, decompose } = options;
  const inputOf = (args: object): FakeTensor => (args as Readonly<Record<string, FakeTensor>>)[argument]!;
  return defineOp({
    schema: `aten::${name}(Tensor ${argument}) -> Tensor` as UnarySchema,
    tags,
    meta: (args, context) => {
      const input = inputOf(args);
      return elementwise(context, [input], { dtype: dtype === undefined ? input.dtype : dtype(input.dtype) });
    },
    ...(decompose && { decompose: (emit: Emit, args: object) => decompose(emit, inputOf(args)) }),
  });
}

const CORE: readonly OpTag[] = ["core", "pointwise"];
const bool = (): DType => "bool";
const same = (dtype: DType): DType => dtype;

const refuse =
  (name: string, test: (dtype: DType) => boolean, reason: string) =>
  (dtype: DType): DType => {
    if (test(dtype)) throw dtypeMismatch(`${name} ${reason}`);
    return dtype;
  };
const realOnly = (name: string) => refuse(name, isComplexDType, "is not supported for complex inputs");
/** Integers and bool give float32. */
const FLOAT_CORE = [
  "acos",
  "acosh",
  "asin",
  "asinh",
  "atan",
  "atanh",
  "cos",
  "cosh",
  "erf",
  "exp",
  "expm1",
  "log",
  "log10",
  "log1p",
  "log2",
  "reciprocal",
  "rsqrt",
  "sigmoid",
  "sin",
  "sinh",
  "sqrt",
  "tan",
  "tanh",
];
const FLOAT = ["digamma", "erfc", "erfinv", "exp2", "i0", "lgamma"];
const FLOAT_SPECIAL = [
  "bessel_j0",
  "bessel_j1",
  "bessel_y0",
  "bessel_y1",
  "erfcx",
  "i0e",
  "i1",
  "i1e",
  "modified_bessel_i0",
  "modified_bessel_i1",
  "modified_bessel_k0",
  "modified_bessel_k1",
  "ndtri",
];
/** Their schemas call the argument `x`. */
const FLOAT_SPECIAL_OF_X = [
  "airy_ai",
  "scaled_modified_bessel_k0",
  "scaled_modified_bessel_k1",
  "spherical_bessel_j0",
];

const times =
  (factor: number) =>
  (emit: Emit, self: FakeTensor): FakeTensor =>
    promoted(emit, "int-to-float", [self], (x) => emit("aten.mul.Tensor", [x, factor]));

/** `special_expit` and the like: another name of an operator. */
const alias = (name: string, target: string, dtype = toFloatDType): OpDefinition =>
  unary(name, {
    tags: ["composite"],
    dtype,
    decompose: (emit, self) => emit(`aten.${target}.default`, [self]),
  });

function isInfinity(sign: 1 | -1) {
  return (emit: Emit, self: FakeTensor): FakeTensor =>
    isFloatDType(self.dtype)
      ? emit("aten.eq.Scalar", [
          convert(emit, self, computationDType(self.dtype)),
          sign * Number.POSITIVE_INFINITY,
        ])
      : emit("aten.zeros_like.default", [self], { dtype: "bool", pin_memory: false });
}

/** In the order in which the C++ expression `(self == self) * (self.abs() != inf)` is evaluated. */
function finite(emit: Emit, self: FakeTensor): FakeTensor {
  if (!isFloatDType(self.dtype) && !isComplexDType(self.dtype)) {
    return emit("aten.ones_like.default", [self], { dtype: "bool", memory_format: "preserve_format" });
  }
  if (isComplexDType(self.dtype)) {
    const parts = ["aten.real.default", "aten.imag.default"].map((part) => finite(emit, emit(part, [self])));
    return emit("aten.bitwise_and.Tensor", parts);
  }
  const bounded = emit("aten.ne.Scalar", [emit("aten.abs.default", [self]), Number.POSITIVE_INFINITY]);
  return emit("aten.mul.Tensor", [emit("aten.eq.Tensor", [self, self]), bounded]);
}

function sinc(emit: Emit, self: FakeTensor): FakeTensor {
  return promoted(emit, "int-to-float", [self], (x) => {
    const scaled = emit("aten.mul.Tensor", [x, Math.PI]);
    const zero = emit("aten.eq.Scalar", [scaled, 0]);
    const ratio = emit("aten.div.Tensor", [emit("aten.sin.default", [scaled]), scaled]);
    return emit("aten.where.ScalarSelf", [zero, 1, ratio]);
  });
}

function signOf(emit: Emit, self: FakeTensor): FakeTensor {
  if (!isComplexDType(self.dtype))
    return promoted(emit, "default", [self], (x) => emit("aten.sign.default", [x]));
  const size = emit("aten.abs.default", [self]);
  const zero = emit("aten.eq.Scalar", [size, 0]);
  return emit("aten.where.ScalarSelf", [zero, 0, emit("aten.div.Tensor", [self, size])]);
}

function entropy(emit: Emit, self: FakeTensor): FakeTensor {
  return promoted(emit, "int-to-float", [self], (x) => {
    const nan = emit("aten.isnan.default", [x]);
    const positive = emit("aten.gt.Scalar", [x, 0]);
    const negated = emit("aten.neg.default", [x]);
    const inside = emit("aten.mul.Tensor", [negated, emit("aten.log.default", [x])]);
    const zero = emit("aten.eq.Scalar", [x, 0]);
    const outside = emit("aten.where.Scalar", [zero, 0, Number.NEGATIVE_INFINITY]);
    return emit("aten.where.self", [nan, x, emit("aten.where.self", [positive, inside, outside])]);
  });
}

function logNormalCdf(emit: Emit, self: FakeTensor): FakeTensor {
  return promoted(emit, "int-to-float", [self], (x) => {
    const scaled = emit("aten.mul.Tensor", [x, Math.SQRT1_2]);
    const small = emit("aten.lt.Scalar", [x, pythonFloat(1)]);
    const tail = emit("aten.special_erfcx.default", [emit("aten.neg.default", [scaled])]);
    const log = emit("aten.log.default", [emit("aten.div.Tensor", [tail, 2])]);
    const below = emit("aten.sub.Tensor", [log, emit("aten.mul.Tensor", [scaled, scaled])]);
    const upper = emit("aten.neg.default", [emit("aten.erfc.default", [scaled])]);
    const above = emit("aten.log1p.default", [emit("aten.div.Tensor", [upper, 2])]);
    return emit("aten.where.self", [small, below, above]);
  });
}

const roundDecimals = defineOp({
  schema: "aten::round.decimals(Tensor self, *, int decimals) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => elementwise(context, [self]),
});

const frexp = defineOp({
  schema: "aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)",
  tags: ["pointwise"],
  meta: ({ self }, context) => {
    if (!isFloatDType(self.dtype)) {
      throw dtypeMismatch("torch.frexp() only supports floating-point dtypes");
    }
    return [elementwise(context, [self]), elementwise(context, [self], { dtype: "int32" })];
  },
});

const polygamma = defineOp({
  schema: "aten::polygamma(int n, Tensor self) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => elementwise(context, [self], { dtype: toFloatDType(self.dtype) }),
});

const logit = defineOp({
  schema: "aten::logit(Tensor self, float? eps=None) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => elementwise(context, [self], { dtype: toFloatDType(self.dtype) }),
  decompose: (emit, { self, eps }) =>
    promoted(emit, "int-to-float", [self], (x) => {
      const low = eps ?? -1;
      const high = 1 - low;
      const below = emit("aten.lt.Scalar", [x, pythonFloat(low)]);
      const above = emit("aten.gt.Scalar", [x, pythonFloat(high)]);
      const capped = emit("aten.where.ScalarSelf", [above, pythonFloat(high), x]);
      const inside = emit("aten.where.ScalarSelf", [below, pythonFloat(low), capped]);
      const rest = emit("aten.sub.Tensor", [1, inside]);
      return emit("aten.log.default", [emit("aten.true_divide.Tensor", [inside, rest])]);
    }),
});

const nanToNum = defineOp({
  schema: "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
  tags: ["pointwise"],
  meta: ({ self }, context) => elementwise(context, [self]),
  decompose: (emit, { self, nan, posinf, neginf }) => {
    // The kernel replaces the parts of complex numbers; PyTorch's decomposition refuses these.
    if (isComplexDType(self.dtype))
      throw dtypeMismatch(`Complex dtype is not supported for isneginf, got dtype torch.${self.dtype}`);
    if (!isFloatDType(self.dtype)) return emit("aten.clone.default", [self]);
    const limit = largestFinite(self.dtype);
    const replace = (mask: FakeTensor, value: number, rest: FakeTensor): FakeTensor =>
      emit("aten.where.ScalarSelf", [mask, pythonFloat(value), rest]);
    const first = replace(emit("aten.isnan.default", [self]), nan ?? 0, self);
    const second = replace(emit("aten.isneginf.default", [self]), neginf ?? -limit, first);
    return replace(emit("aten.isposinf.default", [self]), posinf ?? limit, second);
  },
});

const positive = defineOp({
  schema: "aten::positive(Tensor(a) self) -> Tensor(a)",
  tags: ["composite", "pointwise"],
  meta: ({ self }) => notBool(self),
  decompose: (_emit, { self }) => notBool(self),
});

function notBool(self: FakeTensor): FakeTensor {
  if (self.dtype === "bool") throw dtypeMismatch("The `+` operator, on a bool tensor is not supported.");
  return self;
}

const negative = (dtype: DType): DType => {
  if (dtype === "bool") {
    throw dtypeMismatch(
      "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` " +
        "or `logical_not()` operator instead.",
    );
  }
  return dtype;
};

export const unaryPointwiseOps: readonly OpDefinition[] = [
  ...FLOAT_CORE.map((name) => unary(name, { tags: CORE, dtype: toFloatDType })),
  ...FLOAT.map((name) => unary(name, { dtype: toFloatDType })),
  ...FLOAT_SPECIAL.map((name) => unary(`special_${name}`, { dtype: toFloatDType })),
  ...FLOAT_SPECIAL_OF_X.map((name) => unary(`special_${name}`, { argument: "x", dtype: toFloatDType })),
  unary("special_log_ndtr", { dtype: toFloatDType, decompose: logNormalCdf }),
  unary("abs", { tags: CORE, dtype: toRealDType }),
  ...["ceil", "floor", "trunc"].map((name) => unary(name, { tags: CORE, dtype: same })),
  unary("round", { tags: CORE, dtype: same }),
  unary("neg", { tags: CORE, dtype: negative }),
  unary("sign", { tags: CORE, dtype: realOnly("sign") }),
  unary("bitwise_not", { tags: CORE, dtype: same }),
  ...["isinf", "isnan", "logical_not"].map((name) => unary(name, { tags: CORE, dtype: bool })),
  unary("signbit", { dtype: bool }),
  unary("isposinf", { dtype: bool, decompose: isInfinity(1) }),
  unary("isneginf", { dtype: bool, decompose: isInfinity(-1) }),
  unary("isfinite", { tags: ["composite", "pointwise"], dtype: bool, decompose: finite }),
  unary("frac", {
    dtype: same,
    decompose: (emit, self) =>
      promoted(emit, "default", [self], (x) => emit("aten.sub.Tensor", [x, emit("aten.trunc.default", [x])])),
  }),
  unary("sgn", { decompose: signOf }),
  unary("sinc", { dtype: toFloatDType, decompose: sinc }),
  unary("deg2rad", { dtype: toFloatDType, decompose: times(0.017453292519943295) }),
  unary("rad2deg", { dtype: toFloatDType, decompose: times(57.29577951308232) }),
  unary("special_entr", { dtype: toFloatDType, decompose: entropy }),
  unary("angle", { dtype: (dtype) => toFloatDType(toRealDType(dtype)) }),
  unary("conj_physical", {
    tags: ["composite", "maybe_aliasing_or_mutating", "pointwise"],
    decompose: (emit, self) =>
      isComplexDType(self.dtype) ? emit("aten._conj_physical.default", [self]) : self,
  }),
  unary("square", {
    tags: ["composite", "pointwise"],
    dtype: (dtype) => (dtype === "bool" ? "int64" : dtype),
    decompose: (emit, self) => emit("aten.pow.Tensor_Scalar", [self, 2]),
  }),
  ...["erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "sinc"].map((name) =>
    alias(`special_${name}`, name),
  ),
  alias("special_expit", "sigmoid"),
  alias("special_gammaln", "lgamma"),
  alias("special_psi", "digamma"),
  alias("special_digamma", "digamma"),
  ...["arccos:acos", "arccosh:acosh", "arcsin:asin", "arcsinh:asinh", "arctan:atan", "arctanh:atanh"].map(
    (pair) => alias(pair.split(":")[0]!, pair.split(":")[1]!),
  ),
  alias("absolute", "abs", toRealDType),
  alias("negative", "neg", negative),
  alias("fix", "trunc", same),
  roundDecimals,
  frexp,
  polygamma,
  logit,
  nanToNum,
  positive,
];
