/**
 * @file Checks of what the graph says of a tensor already: they hold, or stay with who runs the
 * rest.
 */
import { FakeTensor } from "@sconce/ir";
import type { SymInt } from "@sconce/symbolic";
import { same, size } from "../../ir/index-expr.js";
import { cannot, type Lowering, type LoweringTable } from "../call.js";

const isSame = (given: unknown, actual: readonly SymInt[]): boolean =>
  given === null ||
  given === undefined ||
  (Array.isArray(given) &&
    given.length === actual.length &&
    actual.every((value, d) => same(size(value), size(given[d] as SymInt))));

/**
 * Runs are given tensors of the dtypes and shapes that the graph says, so that nothing is left to
 * check.
 */
const metadata: Lowering = {
  rule: (call) => {
    const { a, dtype, size: shape, stride } = call.fakes();
    const holds =
      a instanceof FakeTensor &&
      (dtype === null || dtype === a.dtype) &&
      isSame(shape, a.shape) &&
      isSame(stride, a.strides);
    return holds ? [] : cannot("it checks symbolic sizes or strides");
  },
};

export const ASSERTIONS: LoweringTable = { "aten._assert_tensor_metadata.default": metadata };
