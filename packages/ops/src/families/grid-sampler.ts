/** @file Sampling an image at the points of a grid, and grids of affine maps. */
import { type FakeTensor, float, type IntLike } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSizes } from "../rules/describe.js";
import { scalarTypeName } from "../rules/dtype-names.js";
import { fake } from "../rules/fake.js";
import { areOther, requireSizes, unrecorded } from "../rules/operand-sizes.js";
import { castForMath } from "../rules/opmath.js";

function sampled(
  input: FakeTensor,
  grid: FakeTensor,
  spatial: number,
  { env }: Pick<MetaContext, "env">,
): FakeTensor {
  if (input.ndim !== spatial + 2 || grid.ndim !== spatial + 2) {
    throw shapeMismatch(
      `grid_sampler(): expected ${spatial + 2}D input and grid with same number of dimensions, but got input with ` +
        `sizes ${describeSizes(input.shape)} and grid with sizes ${describeSizes(grid.shape)}`,
    );
  }
  if (mayDiffer(env, input.shape[0]!, grid.shape[0]!)) {
    throw shapeMismatch(
      "grid_sampler(): expected grid and input to have same batch size, but got input with sizes " +
        `${describeSizes(input.shape)} and grid with sizes ${describeSizes(grid.shape)}`,
    );
  }
  if (mayDiffer(env, grid.shape.at(-1)!, spatial)) {
    throw shapeMismatch(
      `grid_sampler(): expected grid to have size ${spatial} in last dimension, but got grid with sizes ` +
        describeSizes(grid.shape),
    );
  }
  if (input.shape.slice(2).some((size) => isEqual(env, size, 0))) {
    throw shapeMismatch("grid_sampler(): expected input to have non-empty spatial dimensions");
  }
  const shape = [input.shape[0]!, input.shape[1]!, ...grid.shape.slice(1, -1)];
  return fake({ dtype: input.dtype, shape, like: input });
}

const gridSampler2d = defineOp({
  schema:
    "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  tags: ["core"],
  meta: ({ input, grid }, context) => sampled(input, grid, 2, context),
});

const gridSampler3d = defineOp({
  schema:
    "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  meta: ({ input, grid, interpolation_mode }, context) => {
    if (interpolation_mode === 2) {
      throw invalidArgument("grid_sampler(): bicubic interpolation only supports 4D input");
    }
    return sampled(input, grid, 3, context);
  },
});

const gridSampler = defineOp({
  schema:
    "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { input, grid, interpolation_mode, padding_mode, align_corners }) => {
    const target = input.ndim === 5 ? "aten.grid_sampler_3d.default" : "aten.grid_sampler_2d.default";
    return emit(target, [input, grid, interpolation_mode, padding_mode, align_corners]);
  },
});

const affineGrid = defineOp({
  schema: "aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor",
  meta: ({ theta, size }, { env }) => {
    checkGridSize(size);
    checkTheta(theta, size, env);
    const [batch, , ...spatial] = size;
    return fake({ dtype: theta.dtype, shape: [batch!, ...spatial, spatial.length], like: theta });
  },
  decompose: (emit, args) => {
    checkGridSize(args.size);
    checkTheta(args.theta, args.size, emit.env);
    const {
      operands: [theta],
      result,
    } = castForMath(emit, [args.theta]);
    const [batch, , ...spatial] = args.size;
    const base = baseGrid(emit, theta, spatial, args.align_corners);
    const coordinates = spatial.length + 1;
    const points = emit("aten.view.default", [base, [-1, coordinates, 1]]);
    const turned = emit("aten.unsqueeze.default", [emit("aten.transpose.int", [theta, -2, -1]), 1]);
    const sums = emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [points, turned]), [-2]]);
    return convert(emit, emit("aten.view.default", [sums, [batch!, ...spatial, spatial.length]]), result);
  },
  kernelCalls: (emit, { theta, size, align_corners }) => {
    checkGridSize(size);
    checkTheta(theta, size, emit.env);
    const [batch, , ...spatial] = size;
    const rank = spatial.length;
    const base = emit("aten.view.default", [
      baseGrid(emit, theta, spatial, align_corners),
      [1, -1, rank + 1],
    ]);
    const points = emit("aten.expand.default", [base, [batch!, -1, -1]]);
    const turned = emit("aten.transpose.int", [theta, 1, 2]);
    const grid = emit("aten.bmm.default", [points, turned]);
    return emit("aten.view.default", [grid, [batch!, ...spatial, rank]]);
  },
});

const affineGridBackward = defineOp({
  schema: "aten::affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { grad, size, align_corners }) => {
    checkGridSize(size);
    const [batch, , ...spatial] = size;
    const rank = spatial.length;
    requireSizes(emit.env, "grad_grid", grad.shape, [batch!, ...spatial, rank]);
    const base = emit("aten.view.default", [baseGrid(emit, grad, spatial, align_corners), [1, -1, rank + 1]]);
    const points = emit("aten.expand.default", [base, [batch!, -1, -1]]);
    const gradients = emit("aten.reshape.default", [grad, [batch!, -1, rank]]);
    const turned = emit("aten.transpose.int", [points, 1, 2]);
    return emit("aten.transpose.int", [emit("aten.bmm.default", [turned, gradients]), 1, 2]);
  },
});

function checkGridSize(size: readonly IntLike[]): void {
  if (size.length !== 4 && size.length !== 5) {
    throw invalidArgument("affine_grid_generator needs 4d (spatial) or 5d (volumetric) inputs.");
  }
}

/** One matrix for each element of the batch, and no halves for a single point. */
function checkTheta(theta: FakeTensor, [batch, , ...spatial]: readonly IntLike[], env: SymEnv): void {
  const rank = spatial.length;
  requireSizes(env, "theta", theta.shape, [batch!, rank, rank + 1]);
  if (theta.dtype.endsWith("float16") && spatial.some((size) => size === 0 || size === 1))
    throw dtypeMismatch(`"tensor_cpu" not implemented for '${scalarTypeName(theta.dtype)}'`);
}

/**
 * Homogeneous coordinates of every point, x first: each is padded with zeros, and the sum puts them
 * together.
 */
function baseGrid(emit: Emit, theta: FakeTensor, spatial: readonly IntLike[], align: boolean): FakeTensor {
  const { dtype, device } = theta;
  const rank = spatial.length;
  const ones = new Array<IntLike>(rank + 1).fill(1);
  const axes = spatial.map((_, d) => rank - 1 - d);
  const parts = axes.map((d) => {
    const line = fromMinusOne(emit, spatial[d]!, align, dtype, device);
    return emit("aten.view.default", [line, ones.map((one, i) => (i === d ? spatial[d]! : one))]);
  });
  parts.push(emit("aten.ones.default", [ones], { dtype, device, pin_memory: false }));
  const padded = parts.map((part, i) =>
    emit("aten.pad.default", [part, [i, rank - i], "constant", float(0)]),
  );
  return padded.reduce((sum, part) => emit("aten.add.Tensor", [sum, part]));
}

function fromMinusOne(
  emit: Emit,
  steps: IntLike,
  align: boolean,
  dtype: DType,
  device: FakeTensor["device"],
): FakeTensor {
  const count = Number(steps);
  if (count <= 1) return emit("aten.scalar_tensor.default", [0], { dtype, device });
  const end = align ? 1 : float((count - 1) / count);
  const start = align ? -1 : float(-(count - 1) / count);
  return emit("aten.linspace.default", [start, end, steps], { dtype, device, pin_memory: false });
}

type BackwardSchema =
  "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)";

const backward = (spatial: 2 | 3): OpDefinition =>
  defineOp({
    schema:
      `aten::grid_sampler_${spatial}d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)` as BackwardSchema,
    meta: ({ grad_output: grad, input, grid, output_mask: mask }, context) => {
      const { shape } = sampled(input, grid, spatial, { env: unrecorded(context.env) });
      if (areOther(context.env, grad.shape, shape))
        throw shapeMismatch(
          `grid_sampler(): expected grad_output to have sizes ${describeSizes(shape)} but got grad_output with ` +
            `sizes ${describeSizes(grad.shape)}`,
        );
      const freshLike = ({ dtype, shape }: FakeTensor): FakeTensor => fake({ dtype, shape, like: input });
      return [mask[0] ? freshLike(input) : null, freshLike(grid)];
    },
  });

/** Grids and sampling. */
export const gridSamplerOps: readonly OpDefinition[] = [
  gridSampler,
  gridSampler2d,
  gridSampler3d,
  affineGrid,
  affineGridBackward,
  backward(2),
  backward(3),
];
