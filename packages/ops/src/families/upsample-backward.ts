/** @file Gradients of resizing: of the input's size, from a gradient of the output's. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { fake } from "../rules/fake.js";
import { fakeInFormatOf } from "../rules/memory-format.js";

interface ResizeArgs {
  readonly grad_output: FakeTensor;
  readonly output_size: readonly IntLike[];
  readonly input_size: readonly IntLike[];
}

function resized(
  { grad_output: grad, output_size: size, input_size: input }: ResizeArgs,
  { env }: { env: SymEnv },
  isInRows: boolean,
): FakeTensor {
  const rank = size.length;
  if (input.length !== rank + 2) {
    throw shapeMismatch(`It is expected input_size equals to ${rank + 2}, but got size ${input.length}`);
  }
  const whole = [...input.slice(0, 2), ...size];
  if (grad.ndim !== rank + 2 || grad.shape.some((length, d) => mayDiffer(env, length, whole[d]!))) {
    throw shapeMismatch(
      `Expected grad_output to have the same shape as output; output.size() = ${describeSizes(whole)} but got ` +
        `grad_output.size() = ${describeSizes(grad.shape)}`,
    );
  }
  return isInRows ? fake({ dtype: grad.dtype, shape: input, like: grad }) : fakeInFormatOf(grad, input, env);
}

const SCALES = {
  1: "float? scales=None",
  2: "float? scales_h=None, float? scales_w=None",
  3: "float? scales_d=None, float? scales_h=None, float? scales_w=None",
} as const;

type Schema =
  "aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor";

interface Options {
  /** Whether there is an argument `align_corners`. */
  readonly aligns?: boolean;
  /** Whether the result is in rows whatever the gradient; others keep channels last. */
  readonly isInRows?: boolean;
}

const backward = (
  name: string,
  rank: 1 | 2 | 3,
  { aligns = false, isInRows = false }: Options = {},
): OpDefinition => {
  const sizes = `SymInt[${rank}] output_size, SymInt[${rank + 2}] input_size`;
  const rest = `${aligns ? "bool align_corners, " : ""}${SCALES[rank]}`;
  const schema = `aten::${name}${rank}d_backward(Tensor grad_output, ${sizes}, ${rest}) -> Tensor`;
  return defineOp({
    schema: schema as Schema,
    meta: (args, context) => resized(args, context, isInRows),
  });
};

const antialiased = (mode: string): OpDefinition =>
  defineOp({
    schema:
      `aten::_upsample_${mode}2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, ${SCALES[2]}) -> Tensor` as Schema,
    meta: (args, context) => resized(args, context, mode === "bicubic"),
  });

const RANKS = [1, 2, 3] as const;

export const upsampleBackwardOps: readonly OpDefinition[] = [
  ...RANKS.map((rank) => backward("upsample_nearest", rank, { isInRows: rank === 3 })),
  ...RANKS.map((rank) => backward("_upsample_nearest_exact", rank, { isInRows: rank === 3 })),
  backward("upsample_linear", 1, { aligns: true }),
  backward("upsample_bilinear", 2, { aligns: true }),
  backward("upsample_trilinear", 3, { aligns: true }),
  backward("upsample_bicubic", 2, { aligns: true, isInRows: true }),
  ...["bilinear", "bicubic", "lanczos"].map((name) => antialiased(name)),
];
