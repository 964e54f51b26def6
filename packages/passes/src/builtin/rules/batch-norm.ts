/**
 * @file Batch norm with fixed statistics multiplies each channel by a number and adds another.
 * Behind a convolution or a linear layer both go into its weights: `W' = W * s` and
 * `b' = (b - mean) * s + beta` with `s = gamma / sqrt(var + eps)`. The rules emit that as calls,
 * which the pass `fold-batch-norm` computes. `s` and `b'` are computed in float64.
 */
import type { FakeTensor } from "@sconce/ir";
import type { Emit, EmitArg } from "@sconce/ops";
import { type Captures, defineRule, type Match, type Rule } from "../../rewrite/rule.js";
import { type KnownValue, outOfRange } from "./batch-norm-range.js";

/** What stands before the batch norm. */
interface Layer {
  readonly name: string;
  readonly doc: string;
  /** A call with `$w`, and `$b` unless it has no bias. */
  readonly pattern: string;
  /** Why this layer cannot take the numbers in. */
  readonly refuse?: (captures: Captures, match: Match) => string | undefined;
  /** The layer with new weights and bias; `scale` has one number a channel. */
  readonly replace: (emit: Emit, captures: Captures, scaled: Scaled) => FakeTensor;
}

interface Scaled {
  /** The weights times the scale, which first gets this shape. */
  readonly weights: (shape: (scale: FakeTensor) => FakeTensor) => FakeTensor;
  readonly bias: FakeTensor;
}

const PARAMETERS = ["w", "b", "gamma", "beta", "mean", "var"] as const;

const ruleOf = ({ name, doc, pattern, refuse, replace }: Layer, known: KnownValue): Rule =>
  defineRule({
    name: `fold-batch-norm-${name}`,
    doc,
    match: `operator.getitem(aten._native_batch_norm_legit_no_training.default(${pattern}, $gamma, $beta, $mean, $var, _, $eps), 0)`,
    where: (captures: Captures, match) =>
      notConstant(captures, match) ?? refuse?.(captures, match) ?? outOfRange(captures, match, known) ?? true,
    replace: (emit, captures: Captures) => {
      const scale = scaleOf(emit, captures);
      const { dtype } = captures["w"] as FakeTensor;
      return replace(emit, captures, {
        weights: (shape) => scaled(emit, captures["w"] as FakeTensor, shape(factorsOf(emit, scale, dtype))),
        bias: cast(emit, biasOf(emit, captures, scale), dtype),
      });
    },
  });

function notConstant(captures: Captures, match: Match): string | undefined {
  for (const name of PARAMETERS) {
    const value = captures[name];
    if (value === undefined || value === null || match.isConstant(name)) continue;
    const source = match.source(name);
    return source === undefined ? `$${name} is not a tensor` : `%${source.name} is not constant`;
  }
  return undefined;
}

const cast = (emit: Emit, x: FakeTensor, dtype: FakeTensor["dtype"]): FakeTensor =>
  x.dtype === dtype ? x : emit("aten._to_copy.default", [x], { dtype });

/**
 * Weights of float32 are multiplied in float32: copies of them in float64 take twice the memory.
 */
const factorsOf = (emit: Emit, scale: FakeTensor, dtype: FakeTensor["dtype"]): FakeTensor =>
  dtype === "float32" ? cast(emit, scale, dtype) : scale;
const scaled = (emit: Emit, weights: FakeTensor, factors: FakeTensor): FakeTensor =>
  cast(emit, emit("aten.mul.Tensor", [weights, factors]), weights.dtype);

const double = (emit: Emit, value: EmitArg): FakeTensor => cast(emit, value as FakeTensor, "float64");

const scaleOf = (emit: Emit, { gamma, var: variance, eps }: Captures): FakeTensor => {
  const sum = emit("aten.add.Tensor", [double(emit, variance), eps]);
  const scale = emit("aten.reciprocal.default", [emit("aten.sqrt.default", [sum])]);
  return gamma === null ? scale : emit("aten.mul.Tensor", [scale, gamma]);
};

function biasOf(emit: Emit, { b = null, mean, beta }: Captures, scale: FakeTensor): FakeTensor {
  const shift =
    b === null
      ? emit("aten.neg.default", [double(emit, mean)])
      : emit("aten.sub.Tensor", [double(emit, b), mean]);
  const product = emit("aten.mul.Tensor", [shift, scale]);
  return beta === null ? product : emit("aten.add.Tensor", [product, beta]);
}

/** One number for each row of a matrix, or for each filter of a convolution. */
const alongRows =
  (emit: Emit, { ndim }: FakeTensor) =>
  (scale: FakeTensor): FakeTensor =>
    emit("aten.view.default", [scale, [-1, ...new Array<number>(ndim - 1).fill(1)]]);

/**
 * Filters of a transposed convolution lie the other way round: channel `g * n + j` of the result,
 * in group `g`, is column `j` of the rows of that group.
 */
const alongColumns =
  (emit: Emit, { ndim, shape }: FakeTensor, groups: number) =>
  (scale: FakeTensor): FakeTensor => {
    const [rows, columns] = shape as readonly number[];
    const ones = new Array<number>(ndim - 2).fill(1);
    if (groups === 1) return emit("aten.view.default", [scale, [1, columns!, ...ones]]);
    const grouped = emit("aten.view.default", [scale, [groups, 1, columns!]]);
    const repeated = emit("aten.expand.default", [grouped, [groups, rows! / groups, columns!]]);
    const copy = emit("aten.clone.default", [repeated], { memory_format: "contiguous_format" });
    return emit("aten.view.default", [copy, [rows!, columns!, ...ones]]);
  };

const CONVOLUTION = "$x, $w, $b, $stride, $padding, $dilation";

/** Without a batch dimension, dimension 1 is not that of the channels. */
const isUnbatched = ({ x, w }: Captures): string | undefined =>
  (x as FakeTensor).ndim === (w as FakeTensor).ndim ? undefined : "the convolution has no batch dimension";

const convolution: Layer = {
  name: "convolution",
  doc: "Batch norm with fixed statistics behind a convolution goes into its weights and bias.",
  pattern: `aten.convolution.default(${CONVOLUTION}, $transposed, $outputPadding, $groups)`,
  refuse: isUnbatched,
  replace: (emit, captures, { weights, bias }) => {
    const { x, w, stride, padding, dilation, transposed, outputPadding, groups } = captures;
    const shape =
      transposed === true
        ? alongColumns(emit, w as FakeTensor, Number(groups))
        : alongRows(emit, w as FakeTensor);
    const settings = [stride, padding, dilation, transposed, outputPadding, groups];
    return emit("aten.convolution.default", [x, weights(shape), bias, ...settings]);
  },
};

/** `conv1d` and so on, which lowered programs have when they were asked to keep them. */
const kept = [1, 2, 3].map((n): Layer => {
  const target = `aten.conv${n}d.default`;
  return {
    name: `conv${n}d`,
    doc: `Batch norm with fixed statistics behind a conv${n}d goes into its weights and bias.`,
    pattern: `${target}(${CONVOLUTION}, $groups)`,
    refuse: isUnbatched,
    replace: (emit, { x, w, stride, padding, dilation, groups }, { weights, bias }) => {
      const shape = alongRows(emit, w as FakeTensor);
      return emit(target, [x, weights(shape), bias, stride, padding, dilation, groups]);
    },
  };
});

/** `x @ w` has a channel for each column. */
const matrix = (name: string, call: (w: string) => string): Layer[] => [
  {
    name,
    doc: "Batch norm with fixed statistics behind a matrix product goes into the matrix and a bias.",
    pattern: call("$w"),
    replace: (emit, { x }, { weights, bias }) =>
      emit("aten.addmm.default", [bias, x, weights((scale) => scale)]),
  },
  {
    name: `${name}-transposed`,
    doc: "Batch norm with fixed statistics behind a linear layer goes into its weights and bias.",
    pattern: call("aten.permute.default($w, [1, 0])"),
    replace: (emit, { x, w }, { weights, bias }) => {
      const scaled = weights(alongRows(emit, w as FakeTensor));
      return emit("aten.addmm.default", [bias, x, emit("aten.permute.default", [scaled, [1, 0]])]);
    },
  },
];

const linear: Layer = {
  name: "linear",
  doc: "Batch norm with fixed statistics behind a linear layer goes into its weights and bias.",
  pattern: "aten.linear.default($x, $w, $b)",
  refuse: ({ x }) => ((x as FakeTensor).ndim === 2 ? undefined : "the channels are not the features"),
  replace: (emit, { x, w }, { weights, bias }) =>
    emit("aten.linear.default", [x, weights(alongRows(emit, w as FakeTensor)), bias]),
};

/** `b` of `addmm` may be a whole matrix, which is not a bias. */
const vectorBias = (layer: Layer): Layer => ({
  ...layer,
  refuse: ({ b }) =>
    (b as FakeTensor).ndim === 1 ? undefined : `the bias has ${(b as FakeTensor).ndim} dimensions`,
});

const LAYERS: readonly Layer[] = [
  convolution,
  ...kept,
  ...matrix("addmm", (w) => `aten.addmm.default($b, $x, ${w})`).map(vectorBias),
  ...matrix("mm", (w) => `aten.mm.default($x, ${w})`),
  linear,
];

/** Returns the rules for a program whose values are known. */
export const batchNormRulesFor = (known: KnownValue): readonly Rule[] =>
  LAYERS.map((layer) => ruleOf(layer, known));

/** The rules for any program; they do not look at values. */
export const batchNormRules = batchNormRulesFor(() => undefined);
