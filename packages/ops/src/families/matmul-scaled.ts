/** @file Products of matrices of 8-bit floats, each with its scales. */
import type { FakeTensor } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { numelOf } from "../rules/fake.js";

interface Scaled {
  readonly self: FakeTensor;
  readonly mat2: FakeTensor;
  readonly bias: FakeTensor | null;
  readonly out_dtype: DType | null;
}

/** Returns whether there is one scale, or one for each row or column. */
function fits(emit: Emit, scale: FakeTensor, dim: 0 | 1, matrix: FakeTensor): boolean {
  if (isEqual(emit.env, numelOf(scale.shape), 1)) return true;
  const { shape } = scale;
  return (
    shape.length === 2 &&
    isEqual(emit.env, shape[dim]!, matrix.shape[dim]!) &&
    isEqual(emit.env, shape[1 - dim]!, 1)
  );
}

function checkScaled(emit: Emit, { self, mat2 }: Scaled, a: FakeTensor, b: FakeTensor): void {
  if (self.ndim !== 2 || mat2.ndim !== 2)
    throw shapeMismatch(`Inputs must be 2D but got self.dim()=${self.ndim} and mat2.dim()=${mat2.ndim}`);
  if (mayDiffer(emit.env, self.shape[1]!, mat2.shape[0]!))
    throw shapeMismatch(
      `mat1 and mat2 shapes cannot be multiplied (${describeSizes(self.shape)} and ${describeSizes(mat2.shape)})`,
    );
  const isRowWise = !isEqual(emit.env, numelOf(a.shape), 1);
  const isOne = isEqual(emit.env, numelOf(b.shape), 1);
  const areFloat8 = self.dtype.startsWith("float8") && mat2.dtype.startsWith("float8");
  if (!areFloat8 || isRowWise === isOne || !fits(emit, a, 0, self) || !fits(emit, b, 1, mat2))
    throw dtypeMismatch(
      "Invalid scaling configuration: a and b should be float8, and the scales single floats, or of shape " +
        `(${describeSize(self.shape[0])}, 1) and (1, ${describeSize(mat2.shape[1])})`,
    );
}

/**
 * Returns the product of the scaled matrices in float32; a result of 8 bits is divided by its own
 * scale.
 */
function scaled(
  emit: Emit,
  args: Scaled,
  a: FakeTensor,
  b: FakeTensor,
  result: FakeTensor | null,
): FakeTensor {
  checkScaled(emit, args, a, b);
  const flat = (scale: FakeTensor): FakeTensor =>
    isEqual(emit.env, numelOf(scale.shape), 1) ? emit("aten.reshape.default", [scale, []]) : scale;
  const [x, y] = [
    [args.self, a],
    [args.mat2, b],
  ].map(([matrix, scale]) => emit("aten.mul.Tensor", [convert(emit, matrix!, "float32"), flat(scale!)]));
  let out = emit("aten.mm.default", [x, y]);
  if (args.bias !== null) out = emit("aten.add.Tensor", [out, convert(emit, args.bias, "float32")]);
  const dtype = args.out_dtype ?? args.self.dtype;
  if (result !== null && dtype.startsWith("float8")) out = emit("aten.div.Tensor", [out, flat(result)]);
  return convert(emit, out, dtype);
}

const scaledMm = defineOp({
  schema:
    "aten::_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => scaled(emit, args, args.scale_a, args.scale_b, args.scale_result),
});

/** Recipes of scales (`ScalingType`): one for a tensor, one for each row. */
const RECIPES: ReadonlySet<unknown> = new Set([0, 1]);

const scaledMmV2 = defineOp({
  schema:
    "aten::_scaled_mm_v2(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => {
    const { scale_a: a, scale_b: b, recipe_a, recipe_b, swizzle_a, swizzle_b } = args;
    const recipes = [...recipe_a, ...recipe_b];
    const isPlain = [...swizzle_a, ...swizzle_b].every((swizzle) => swizzle === 0);
    if (a.length !== 1 || b.length !== 1 || !recipes.every((recipe) => RECIPES.has(recipe)) || !isPlain)
      throw invalidArgument(
        "_scaled_mm_v2: only scales of whole tensors (0) and of rows (1) without swizzles are computed on CPUs",
      );
    return scaled(emit, args, a[0]!, b[0]!, null);
  },
});

export const matmulScaledOps: readonly OpDefinition[] = [scaledMm, scaledMmV2];
