/**
 * @file Views of views, and views that change nothing. None of them computes: the results are the
 * same elements.
 */

import { FakeTensor } from "@sconce/ir";
import { wrapDimension } from "@sconce/tensor";
import { defineRule, type Match, type Rule } from "../../rewrite/rule.js";

/**
 * The driver refuses a replacement of another shape or other strides, so these need no guard for
 * that.
 */
const nothing = (name: string, doc: string, match: string): Rule =>
  defineRule({ name, doc, match, replace: "$x" });

/** `permute(permute(x, a), b)[i]` is dimension `a[b[i]]` of `x`. */
const permuteTwice = defineRule({
  name: "permute-twice",
  doc: "Two permutations are one.",
  match: "aten.permute.default(aten.permute.default($x, $first), $second)",
  sharesInner: true,
  replace: (emit, { first, second }, { tensor }) => {
    const x = tensor("x");
    const inner = (first as readonly number[]).map((dim) => wrapDimension(dim, x.ndim));
    const dims = (second as readonly number[]).map((dim) => inner[wrapDimension(dim, x.ndim)]!);
    return emit("aten.permute.default", [x, dims]);
  },
});

const isIdentity = ({ tensor }: Match, dims: readonly number[]): boolean =>
  dims.every((dim, at) => wrapDimension(dim, tensor("x").ndim) === at);

const permuteNothing = defineRule({
  name: "permute-nothing",
  doc: "A permutation that leaves all dimensions where they are is x.",
  match: "aten.permute.default($x, $dims)",
  where: ({ dims }, found) =>
    isIdentity(found, dims as readonly number[]) ? true : "the permutation moves a dimension",
  replace: "$x",
});

export const viewRules: readonly Rule[] = [
  permuteNothing,
  permuteTwice,
  defineRule({
    name: "view-twice",
    doc: "A view of a view is one of the tensor, where its strides allow that.",
    match: "aten.view.default(aten.view.default($x, _), $size)",
    sharesInner: true,
    replace: "aten.view.default($x, $size)",
  }),
  nothing("view-nothing", "A view of the same shape is x.", "aten.view.default($x, _)"),
  nothing("expand-nothing", "An expansion to the same shape is x.", "aten.expand.default($x, _, ...)"),
  defineRule({
    name: "expand-twice",
    doc: "An expansion of an expansion is one of the tensor.",
    match: "aten.expand.default(aten.expand.default($x, _), $size)",
    sharesInner: true,
    where: ({ x, size }) =>
      x instanceof FakeTensor && !(size as readonly unknown[]).includes(-1)
        ? true
        : "the size keeps a dimension with -1",
    replace: "aten.expand.default($x, $size)",
  }),
  nothing("slice-nothing", "A slice of everything is x.", "aten.slice.Tensor($x, _, 0, ...)"),
  nothing(
    "squeeze-unsqueeze",
    "A dimension that was added goes again.",
    "aten.squeeze.dim|aten.squeeze.dims(aten.unsqueeze.default($x, _), _)",
  ),
  defineRule({
    name: "clone-twice",
    doc: "A copy of a copy is one copy.",
    match: "aten.clone.default(aten.clone.default($x, ...), memory_format=$format)",
    replace: "aten.clone.default($x, memory_format=$format)",
  }),
];
