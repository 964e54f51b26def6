/** @file Pools of windows of one size, and their gradients. */
import { defineLowerings, lowering } from "../core/lowering.js";
import { averages, averagesBackward, greatest, greatestBackward } from "../rules/pool.js";
import { stridedWindows } from "../rules/pool-windows.js";

export const POOLS = defineLowerings([
  lowering(
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    (args, call) => averages(call, args.self, 2, stridedWindows(args, 2), args.divisor_override),
  ),
  lowering(
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    (args, call) => greatest(call, args.self, 2, stridedWindows(args, 2)),
  ),
  lowering(
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    (args, call) =>
      averagesBackward(call, args.grad_output, 2, stridedWindows(args, 2), args.divisor_override),
  ),
  lowering(
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    (args, call) => greatestBackward(call, args.grad_output, args.indices, 2, stridedWindows(args, 2)),
  ),
  lowering(
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    (args, call) => averages(call, args.self, 3, stridedWindows(args, 3), args.divisor_override),
  ),
  lowering(
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    (args, call) => greatest(call, args.self, 3, stridedWindows(args, 3)),
  ),
  lowering(
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    (args, call) =>
      averagesBackward(call, args.grad_output, 3, stridedWindows(args, 3), args.divisor_override),
  ),
  lowering(
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    (args, call) => greatestBackward(call, args.grad_output, args.indices, 3, stridedWindows(args, 3)),
  ),
]);
