import { type Argument, float } from "@sconce/ir";
import { Skip, type Val } from "../step/draft.js";
import { exactly, type Facts, rounded } from "../step/facts.js";
import { computed, exact, floats, isFloat, type Maker, numbers, type Step } from "../step/step.js";

/** A function of one tensor, element by element. */
interface Unary {
  readonly target: string;
  readonly takes: (val: Val) => boolean;
  /** The largest result of arguments up to `b`. */
  readonly bound: (b: number) => number;
  /** The steepest slope on arguments up to `b`. */
  readonly slope: (b: number) => number;
  /** Computed without rounding, so that exact arguments give exact results. */
  readonly plain?: boolean;
  /** Jumps: for exact arguments only, which it keeps exact. */
  readonly jumps?: boolean;
  /** Arguments larger than this go through `tanh` first. */
  readonly limit?: number;
  /** For positive arguments only. */
  readonly positive?: boolean;
  readonly args?: readonly Argument[];
}

const any = (): boolean => true;
const one = (): number => 1;
const same = (b: number): number => b;

const smooth = (
  target: string,
  bound: Unary["bound"],
  slope: Unary["slope"],
  more: Partial<Unary> = {},
): Unary => ({
  target: `aten.${target}.default`,
  takes: any,
  bound,
  slope,
  ...more,
});

const ROWS: readonly Unary[] = [
  smooth("relu", same, one, { takes: numbers, plain: true }),
  smooth("neg", same, one, { takes: numbers, plain: true }),
  smooth("abs", same, one, { takes: numbers, plain: true }),
  smooth("sigmoid", one, one),
  smooth("tanh", one, one),
  smooth("sin", one, one),
  smooth("cos", one, one),
  smooth("erf", one, () => 1.2),
  smooth("exp", Math.exp, Math.exp, { limit: 4 }),
  smooth("expm1", Math.exp, Math.exp, { limit: 4 }),
  smooth(
    "square",
    (b) => b * b,
    (b) => 2 * b,
    { takes: numbers, limit: 50 },
  ),
  smooth("sqrt", (b) => b + 1, one, { positive: true }),
  smooth(
    "rsqrt",
    () => 1.5,
    () => 1.5,
    { positive: true },
  ),
  smooth(
    "log",
    (b) => b + 1,
    () => 2,
    { positive: true },
  ),
  smooth("log1p", (b) => b + 1, one, { positive: true }),
  smooth(
    "reciprocal",
    () => 2,
    () => 4,
    { positive: true },
  ),
  smooth("gelu", same, () => 1.2, { takes: floats }),
  smooth("silu", same, () => 1.1, { takes: floats }),
  smooth("softplus", (b) => b + 1, one, { takes: floats }),
  smooth("elu", (b) => b + 1, one, { takes: floats }),
  smooth("leaky_relu", same, one, { takes: floats, args: [0.125] }),
  smooth("hardtanh", one, one, { takes: floats, plain: true }),
  smooth("hardsigmoid", one, one, { takes: floats }),
  smooth("clamp", same, one, { takes: floats, plain: true, args: [float(-1), 0.5] }),
  smooth("clone", same, one, { plain: true }),
  smooth("floor", (b) => b + 1, one, { takes: numbers, jumps: true }),
  smooth("ceil", (b) => b + 1, one, { takes: numbers, jumps: true }),
  smooth("trunc", same, one, { takes: numbers, jumps: true }),
  smooth("round", (b) => b + 1, one, { takes: numbers, jumps: true }),
  smooth("sign", one, one, { jumps: true }),
  smooth("logical_not", one, one, { jumps: true }),
  smooth("bitwise_not", (b) => b + 1, one, { takes: (val) => !floats(val), jumps: true }),
];

function make(step: Step, row: Unary): void {
  let val = step.pick((item) => row.takes(item) && (row.jumps !== true || exact(item)));
  if (row.limit !== undefined) val = step.tamed(val, row.limit);
  if (row.positive === true) val = step.positive(val);
  step.draft.call(row.target, [val, ...(row.args ?? [])], factsOf(row, val));
}

function factsOf(row: Unary, val: Val): Facts {
  const { bound, noise } = val.facts;
  const dtype = val.fake.dtype;
  if (row.jumps === true) return exactly(row.bound(bound));
  if (row.plain === true) return { ...val.facts, bound: row.bound(bound), home: "fresh" };
  const result = isFloat(dtype) ? dtype : "float32";
  return rounded(row.bound(bound), noise * row.slope(bound), result);
}

/** Functions of one tensor. */
export const unary: readonly Maker[] = ROWS.map((row) => ({
  targets: [row.target],
  make: (step) => make(step, row),
}));

/** A tensor and a Python number. */
export const withNumber: readonly Maker[] = [
  {
    targets: ["aten.add.Scalar", "aten.sub.Scalar", "aten.mul.Scalar", "aten.rsub.Scalar", "aten.div.Scalar"],
    make(step, target) {
      const val = step.pick(numbers);
      const number = step.choose.of<Argument>([0.5, float(2), float(-1), 3]);
      const size = typeof number === "number" ? number : Math.abs((number as { value: number }).value);
      const { bound, noise } = val.facts;
      const grows = target.includes("mul")
        ? bound * size
        : target.includes("div")
          ? bound / size
          : bound + size;
      const dtype = isFloat(val.fake.dtype) ? val.fake.dtype : "float32";
      step.draft.call(target, [val, number], computed([val], grows, noise * Math.max(size, 2), dtype));
    },
  },
  {
    targets: ["aten.pow.Tensor_Scalar"],
    make(step, target) {
      const exponent = 2 + step.choose.below(2);
      const val = step.tamed(step.pick(floats), 20);
      const { bound, noise } = val.facts;
      const facts = rounded(bound ** exponent, noise * exponent * bound ** (exponent - 1), val.fake.dtype);
      step.draft.call(target, [val, exponent], facts);
    },
  },
  {
    targets: [
      "aten.gt.Scalar",
      "aten.lt.Scalar",
      "aten.ge.Scalar",
      "aten.le.Scalar",
      "aten.eq.Scalar",
      "aten.ne.Scalar",
    ],
    make(step, target) {
      const val = step.pick(exact);
      step.draft.call(target, [val, step.choose.of<Argument>([0, 0.5, float(1)])], exactly(1));
    },
  },
  {
    targets: ["aten.remainder.Scalar"],
    make(step, target) {
      const val = step.pick((item) => exact(item) && numbers(item));
      if (val.fake.dtype.endsWith("16")) throw new Skip();
      step.draft.call(target, [val, 3], exactly(3));
    },
  },
];
