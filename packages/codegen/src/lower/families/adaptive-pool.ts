/** @file Pools whose windows divide the input, and their gradients. */
import { defineLowerings, lowering } from "../core/lowering.js";
import { averages, averagesBackward, greatest, greatestBackward } from "../rules/pool.js";
import { adaptiveWindows } from "../rules/pool-windows.js";

export const ADAPTIVE_POOLS = defineLowerings([
  lowering("aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", ({ self }, call) =>
    averages(call, self, 2, adaptiveWindows),
  ),
  lowering(
    "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
    ({ self }, call) => greatest(call, self, 2, adaptiveWindows),
  ),
  lowering(
    "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output }, call) => averagesBackward(call, grad_output, 2, adaptiveWindows),
  ),
  lowering(
    "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
    ({ grad_output, indices }, call) => greatestBackward(call, grad_output, indices, 2, adaptiveWindows),
  ),
  lowering("aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", ({ self }, call) =>
    averages(call, self, 3, adaptiveWindows),
  ),
  lowering(
    "aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)",
    ({ self }, call) => greatest(call, self, 3, adaptiveWindows),
  ),
  lowering(
    "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
    ({ grad_output }, call) => averagesBackward(call, grad_output, 3, adaptiveWindows),
  ),
  lowering(
    "aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
    ({ grad_output, indices }, call) => greatestBackward(call, grad_output, indices, 3, adaptiveWindows),
  ),
]);
