/**
 * @file Which arguments of a call name dimensions, and which are computed for the whole batch: the
 * rules of functorch.
 */

import type { FakeTensor, OpSchema } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { wrapDimension } from "@sconce/tensor";

/** How one call does for a batch what it does for an element. */
export interface BatchRule {
  /** Places of arguments that name dimensions of the first operand. */
  readonly dims: readonly number[];
  /** Places of operands that are whole batches; those that have none are expanded. */
  readonly whole: readonly number[];
  /** How many dimensions the result has more than the first operand. */
  readonly added: number;
  /** Whether a dimension is given by the keyword `dim`. */
  readonly hasKeyword: boolean;
}

const names = (text: string): readonly string[] => text.split(" ");

const RULES: ReadonlyMap<string, BatchRule> = new Map(
  (
    [
      [
        "select.int slice.Tensor sum.dim_IntList mean.dim amax.default amin.default prod.dim_int argmax.default " +
          "argmin.default any.dim all.dim logsumexp.default squeeze.dim softmax.int log_softmax.int cumsum.default " +
          "flip.default unfold.default cumprod.default cummax.default cummin.default logcumsumexp.default max.dim " +
          "min.dim sort.default var.correction std.correction index_fill.int_Scalar unbind.int glu.default " +
          "mode.default median.dim nanmedian.dim var_mean.correction std_mean.correction nansum.default " +
          "count_nonzero.dim_IntList count_nonzero.default any.dims all.dims _safe_softmax.default",
        [1],
      ],
      ["unsqueeze.default", [1], [0], 1],
      ["transpose.int", [1, 2]],
      ["diagonal.default diagonal_copy.default", [2, 3]],
      ["diag_embed.default", [2, 3], [0], 1],
      ["topk.default kthvalue.default roll.default split.Tensor split_with_sizes.default", [2]],
      ["gather.default scatter.value", [1], [0, 2]],
      ["scatter.src scatter_add.default scatter_reduce.two", [1], [0, 2, 3]],
      ["index_add.default index_copy.default", [1], [0, 3]],
      ["linalg_vector_norm.default", [2]],
      ["linalg_cross.default", [], [0, 1], 0, true],
      ["aminmax.default sort.stable", [], [0], 0, true],
      [
        "tril.default triu.default constant_pad_nd.default native_layer_norm.default linalg_inv_ex.default " +
          "linalg_cholesky_ex.default linalg_matrix_exp.default",
        [],
      ],
    ] as const
  ).flatMap(([targets, dims, whole = [0], added = 0, hasKeyword = false]) =>
    names(targets).map((name) => [`aten.${name}`, { dims, whole, added, hasKeyword }] as const),
  ),
);

export const batchRuleOf = (target: string): BatchRule | undefined => RULES.get(target);

/** Operators on images, whose batch is joined with the images, by the rank that images have. */
const IMAGES: ReadonlyMap<string, number> = new Map(
  (
    [
      [
        "avg_pool2d.default max_pool2d_with_indices.default _adaptive_avg_pool2d.default adaptive_max_pool2d.default " +
          "upsample_nearest2d.default upsample_bilinear2d.default upsample_bicubic2d.default reflection_pad2d.default " +
          "replication_pad2d.default",
        4,
      ],
      ["avg_pool3d.default max_pool3d_with_indices.default _adaptive_avg_pool3d.default", 5],
    ] as const
  ).flatMap(([targets, rank]) => names(targets).map((name) => [`aten.${name}`, rank] as const)),
);

/**
 * Returns whether the first dimension of an operand counts images, with which a batch of them is
 * joined.
 */
export const isOfImages = (target: string, args: readonly EmitArg[], ndim: number): boolean =>
  target === "aten.convolution.default"
    ? (args[1] as FakeTensor).ndim === ndim
    : target === "aten.native_group_norm.default" || IMAGES.get(target) === ndim;

/** Returns the keywords with `dim` one further right; undefined where no dimension is given. */
export function withShiftedKeyword(
  { hasKeyword }: BatchRule,
  kwargs: Readonly<Record<string, EmitArg>>,
  ndim: number,
  { args: schema }: OpSchema,
): Readonly<Record<string, EmitArg>> | undefined {
  if (!hasKeyword) return kwargs;
  const dim = kwargs.dim ?? schema.find(({ name }) => name === "dim")?.defaultValue;
  return typeof dim === "number" ? { ...kwargs, dim: wrapDimension(dim, ndim) + 1 } : undefined;
}

/**
 * Returns the arguments with dimensions one further right; undefined where they are named
 * otherwise.
 */
export function withShiftedDims(
  { dims, added }: BatchRule,
  { args: schema }: OpSchema,
  args: readonly EmitArg[],
  ndim: number,
): readonly EmitArg[] | undefined {
  const shifted = [...args];
  const rank = ndim + added;
  const shift = (dim: EmitArg): number => wrapDimension(Number(dim), rank) + 1;
  for (const place of dims) {
    for (let at = shifted.length; at <= place; at++)
      shifted.push((schema[at]?.defaultValue ?? null) as EmitArg);
    const given = shifted[place];
    if (Array.isArray(given) && given.length > 0) shifted[place] = (given as readonly EmitArg[]).map(shift);
    else if (typeof given === "number") shifted[place] = shift(given);
    else return undefined;
  }
  return shifted;
}
