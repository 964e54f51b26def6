/**
 * @file A part of the calls with operands of no elements. All are in the full suite.
 */
import { LOWERINGS } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { readAllCases } from "@sconce/ops-cases/node";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const operators = defaultOperators();
const { counts } = backendCasesSpec(() => wasmBackend({ threads: 1 }), {
  operators,
  filter: ({ source }) => source === "empties",
  every: 20,
});
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(140));

test("lowerings without such calls", () => {
  const called = new Set(
    readAllCases().flatMap(({ target, source }) => (source === "empties" ? [target] : [])),
  );
  const without = Object.keys(LOWERINGS).filter((target) => !called.has(target));
  expect(without.sort()).toMatchInlineSnapshot(`
    [
      "aten._adaptive_avg_pool3d_backward.default",
      "aten._assert_tensor_metadata.default",
      "aten._conj.default",
      "aten._conj_physical.default",
      "aten._fft_c2c.default",
      "aten._trilinear.default",
      "aten.angle.default",
      "aten.arange.default",
      "aten.arange.start",
      "aten.arange.start_step",
      "aten.bitwise_left_shift.Scalar_Tensor",
      "aten.bitwise_right_shift.Scalar_Tensor",
      "aten.bitwise_right_shift.Tensor_Scalar",
      "aten.complex.default",
      "aten.detach_.default",
      "aten.empty.memory_format",
      "aten.lift_fresh_copy.default",
      "aten.polar.default",
      "aten.scalar_tensor.default",
      "aten.scatter.value_reduce",
      "aten.slice_copy.Tensor",
      "aten.squeeze_copy.dims",
      "aten.tril_indices.default",
      "aten.triu_indices.default",
      "aten.upsample_bicubic2d.default",
      "aten.upsample_bicubic2d.vec",
      "aten.upsample_trilinear3d.default",
      "aten.upsample_trilinear3d.vec",
      "aten.view_as_complex.default",
      "aten.view_as_real.default",
      "aten.zeros.default",
      "prims.convert_element_type.default",
      "prims.copy_strided.default",
    ]
  `);
});
