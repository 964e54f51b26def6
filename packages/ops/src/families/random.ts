/** @file Operators that draw random numbers. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { type DType, isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { knownNumber } from "../rules/decompose.js";
import { elementwise } from "../rules/elementwise.js";
import { fake, numelOf, rowMajorLike } from "../rules/fake.js";
import { drawnNoise, plainNoise } from "../rules/noise.js";
import { created, createdLike, OPTIONS, type Options } from "../rules/options.js";
import { fillOps } from "./random-fill.js";

const SEEDED: readonly OpTag[] = ["nondeterministic_seeded"];
const CORE: readonly OpTag[] = ["core", "nondeterministic_seeded"];
const DROPOUT: readonly OpTag[] = ["composite", "maybe_aliasing_or_mutating", "nondeterministic_seeded"];
const DEFAULT: DType = "float32";
const INT_OPTIONS = OPTIONS.replace("dtype=None", "dtype=4");

type SizesSchema = `aten::rand(SymInt[] size, *, ${Options}) -> Tensor`;
type LikeSchema = `aten::rand_like(Tensor self, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`;

const factoryOps = [
  ...["rand", "randn"].flatMap((name) => [
    defineOp({
      schema: `aten::${name}(SymInt[] size, *, ${OPTIONS}) -> Tensor` as SizesSchema,
      tags: CORE,
      meta: ({ size, ...options }, { env }) => {
        const dtype = options.dtype ?? DEFAULT;
        if (!isFloatDType(dtype) && !isComplexDType(dtype))
          throw dtypeMismatch(`"${name}" not implemented for '${dtype}'`);
        return created(size, dtype, options, env);
      },
    }),
    defineOp({
      schema:
        `aten::${name}_like(Tensor self, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as LikeSchema,
      tags: SEEDED,
      meta: ({ self, memory_format: format, ...options }, { env }) => createdLike(self, options, format, env),
    }),
  ]),
  defineOp({
    schema:
      `aten::randint(SymInt high, SymInt[] size, *, ${INT_OPTIONS}) -> Tensor` as `aten::randint(SymInt high, SymInt[] size, *, ${Options}) -> Tensor`,
    tags: SEEDED,
    meta: ({ high, size, ...options }, { env }) => {
      checkInterval(0, high);
      return created(size, options.dtype ?? "int64", options, env);
    },
  }),
  defineOp({
    schema:
      `aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ${INT_OPTIONS}) -> Tensor` as `aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ${Options}) -> Tensor`,
    tags: SEEDED,
    meta: ({ low, high, size, ...options }, { env }) => {
      checkInterval(low, high);
      return created(size, options.dtype ?? "int64", options, env);
    },
  }),
  defineOp({
    schema:
      `aten::randint_like(Tensor self, SymInt high, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::randint_like(Tensor self, SymInt high, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
    tags: SEEDED,
    meta: ({ self, memory_format: format, ...options }, { env }) => createdLike(self, options, format, env),
  }),
  defineOp({
    schema:
      `aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
    tags: SEEDED,
    meta: ({ self, memory_format: format, ...options }, { env }) => createdLike(self, options, format, env),
  }),
  defineOp({
    schema:
      `aten::randperm(SymInt n, *, ${INT_OPTIONS}) -> Tensor` as `aten::randperm(SymInt n, *, ${Options}) -> Tensor`,
    tags: CORE,
    meta: ({ n, ...options }) => {
      if (typeof n === "number" && n < 0) throw invalidArgument(`n must be non-negative, got${n}`);
      return created([n], options.dtype ?? "int64", options);
    },
  }),
];

function checkInterval(low: IntLike, high: IntLike): void {
  if (typeof low === "number" && typeof high === "number" && low >= high) {
    throw invalidArgument(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  }
}

/** A probability. */
function checkProbability(p: number, what: string): void {
  if (!(p >= 0 && p <= 1)) throw invalidArgument(`${what} has to be between 0 and 1, but got ${p}`);
}

const same = (context: MetaContext, self: FakeTensor): FakeTensor =>
  elementwise(context, [self], { dtype: self.dtype });

const bernoulliOps = [
  defineOp({
    schema: "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ self }) => rowMajorLike(self),
    decompose: (emit, { self }) => {
      const drawn = emit("aten.rand.default", [self.shape], {
        dtype: "float32",
        device: self.device,
        pin_memory: false,
      });
      return emit("aten._to_copy.default", [emit("aten.lt.Tensor", [drawn, self])], { dtype: self.dtype });
    },
  }),
  defineOp({
    schema: "aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ self, p }) => {
      if (!(p >= 0 && p <= 1)) throw invalidArgument(`bernoulli_ expects p to be in [0, 1], but got p=${p}`);
      return rowMajorLike(self);
    },
  }),
  defineOp({
    schema: "aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ self }, context) => same(context, self),
  }),
];

/** A bound as a tensor of one number is read when the numbers are drawn. */
const randintLikeTensor = defineOp({
  schema:
    `aten::randint_like.Tensor(Tensor self, Tensor high, *, ${OPTIONS}, MemoryFormat? memory_format=None) -> Tensor` as `aten::randint_like.Tensor(Tensor self, Tensor high, *, ${Options}, MemoryFormat? memory_format=None) -> Tensor`,
  tags: SEEDED,
  meta: ({ self, high, memory_format: format, ...options }, { env }) => {
    if (high.ndim !== 0) throw invalidArgument("high must be a scalar tensor and on CPU");
    return createdLike(self, options, format, env);
  },
});

const normalOps = [
  defineOp({
    schema: "aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ mean, std }, context) => elementwise(context, [mean, std], { dtype: mean.dtype }),
  }),
  defineOp({
    schema: "aten::normal.Tensor_float(Tensor mean, float std=1., *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ mean, std }) => {
      if (std < 0) throw invalidArgument(`normal expects std >= 0.0, but found std ${std}`);
      return rowMajorLike(mean);
    },
  }),
  defineOp({
    schema: "aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
    tags: SEEDED,
    meta: ({ std }, context) => same(context, std),
  }),
  defineOp({
    schema:
      `aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ${OPTIONS}) -> Tensor` as `aten::normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ${Options}) -> Tensor`,
    tags: SEEDED,
    meta: ({ mean: _mean, std: _std, generator: _, size, ...options }, { env }) =>
      created(size, options.dtype ?? DEFAULT, options, env),
  }),
];

const multinomial = defineOp({
  schema:
    "aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor",
  tags: SEEDED,
  meta: ({ self, num_samples: samples, replacement }) => {
    if (self.ndim !== 1 && self.ndim !== 2) throw invalidArgument("prob_dist must be 1 or 2 dim");
    const categories = self.shape[self.ndim - 1]!;
    if (typeof samples === "number" && samples <= 0)
      throw invalidArgument("cannot sample n_sample <= 0 samples");
    if (
      !replacement &&
      typeof samples === "number" &&
      typeof categories === "number" &&
      samples > categories
    ) {
      throw invalidArgument("cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    }
    return fake({ dtype: "int64", shape: [...self.shape.slice(0, -1), samples], like: self });
  },
});

const nativeDropout = defineOp({
  schema: "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
  tags: CORE,
  meta: ({ input, p, train }, context) => {
    checkProbability(p, "dropout probability");
    if (train !== false && p !== 0 && p !== 1 && !isFloatDType(input.dtype) && !isComplexDType(input.dtype)) {
      throw dtypeMismatch("result type Float can't be cast to the desired output type Long");
    }
    // Without elements the kernel hands the input back, and a mask of its dtype.
    if (numelOf(input.shape) === 0) return [input, same(context, input)];
    return [same(context, input), elementwise(context, [input], { dtype: "bool" })];
  },
});

const dropout = defineOp({
  schema: "aten::dropout(Tensor input, float p, bool train) -> Tensor",
  tags: DROPOUT,
  meta: ({ input, p, train }, context) => {
    checkProbability(p, "dropout probability");
    return train && p !== 0 ? same(context, input) : input;
  },
  decompose: (emit, { input, p, train }) =>
    train && p !== 0 ? emit.many("aten.native_dropout.default", [input, p, train])[0]! : input,
});

interface NoiseOptions {
  readonly feature: boolean;
  readonly alpha: boolean;
}

/** `input * noise (+ shift)`, with one draw a channel for the feature forms. */
function noisy(emit: Emit, input: FakeTensor, p: number, { feature, alpha }: NoiseOptions): FakeTensor {
  if (p === 1 || !alpha) return emit("aten.mul.Tensor", [input, plainNoise(emit, input, p, feature)]);
  const drawn = drawnNoise(emit, input, p, feature);
  const slope = 1.7580993408473766;
  const scale = 1 / Math.sqrt((slope * slope * p + 1) * (1 - p));
  const shifted = emit("aten.mul.Scalar", [emit("aten.add.Scalar", [drawn, -1]), slope * scale]);
  const shift = emit("aten.add.Scalar", [shifted, slope * scale * p]);
  const noise = emit("aten.mul.Scalar", [drawn, scale]);
  return emit("aten.add.Tensor", [emit("aten.mul.Tensor", [input, noise]), shift]);
}

type DropoutSchema = "aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor";
const noiseOps = (
  [
    ["alpha_dropout", false, true],
    ["feature_dropout", true, false],
    ["feature_alpha_dropout", true, true],
  ] as const
).map(([name, feature, alpha]) =>
  defineOp({
    schema: `aten::${name}(Tensor input, float p, bool train) -> Tensor` as DropoutSchema,
    tags: DROPOUT,
    meta: ({ input, p, train }, context) => {
      checkProbability(p, "dropout probability");
      return train && p !== 0 ? same(context, input) : input;
    },
    decompose: (emit, { input, p, train }) =>
      !train || p === 0 || numelOf(input.shape) === 0 ? input : noisy(emit, input, p, { feature, alpha }),
  }),
);

const RRELU =
  "Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None";
type Rrelu =
  "Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None";

const rreluOps = [
  defineOp({
    schema: `aten::rrelu(Tensor self, ${RRELU}) -> Tensor` as `aten::rrelu(Tensor self, ${Rrelu}) -> Tensor`,
    tags: ["composite", "nondeterministic_seeded", "pointwise"],
    meta: ({ self, lower, upper }, context) => {
      const [low, high] = [knownNumber(lower), knownNumber(upper)];
      if (low !== undefined && high !== undefined && low > high) {
        throw invalidArgument("Lower bound should be less than or equal to the upper bound");
      }
      return same(context, self);
    },
    decompose: (emit, { self, lower, upper, training }) => {
      const noise = emit("aten.empty_like.default", [self], { memory_format: "contiguous_format" });
      // Nothing else uses the noise, so the functional form represents the one that writes to it.
      return emit.many("aten.rrelu_with_noise_functional.default", [self, noise, lower, upper, training])[0]!;
    },
  }),
  defineOp({
    schema:
      `aten::rrelu_with_noise_functional(Tensor self, Tensor noise, ${RRELU}) -> (Tensor, Tensor noise_out)` as `aten::rrelu_with_noise_functional(Tensor self, Tensor noise, ${Rrelu}) -> (Tensor, Tensor noise_out)`,
    tags: SEEDED,
    meta: ({ self, noise }, context) => [same(context, self), rowMajorLike(noise)],
  }),
];

export const randomOps: readonly OpDefinition[] = [
  ...factoryOps,
  ...bernoulliOps,
  ...fillOps,
  randintLikeTensor,
  ...normalOps,
  multinomial,
  nativeDropout,
  dropout,
  ...noiseOps,
  ...rreluOps,
];
