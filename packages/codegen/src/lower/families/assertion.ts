/** @file Assertions about the metadata of a tensor, which hold by the graph or are rejected. */
import type { IntLike } from "@sconce/symbolic";
import { same, size } from "../../ir/index-expr.js";
import { cannot } from "../core/call.js";
import { defineLowerings, lowering } from "../core/lowering.js";

const isSame = (given: readonly IntLike[] | null, actual: readonly IntLike[]): boolean =>
  given === null ||
  (given.length === actual.length && actual.every((value, d) => same(size(value), size(given[d]!))));

export const ASSERTIONS = defineLowerings([
  // Runs are given tensors of the dtypes and shapes of the graph, so that nothing is left to check.
  lowering(
    "aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()",
    (_, call) => {
      const { a, dtype, size: shape, stride } = call.fakes();
      const holds =
        (dtype === null || dtype === a.dtype) && isSame(shape, a.shape) && isSame(stride, a.strides);
      return holds ? [] : cannot("it checks symbolic sizes or strides");
    },
  ),
]);
