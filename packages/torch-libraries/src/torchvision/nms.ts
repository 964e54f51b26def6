/** @file `nms`, after `torchvision/csrc/ops/cpu/nms_kernel.cpp`. */
import { evaluate, kernel, readNumbers } from "@sconce/backend-cpu";
import { Tensor } from "@sconce/tensor";
import { maxOf, minOf, type Round, roundingOf } from "../arithmetic.js";
import { notImplemented, refused } from "../errors.js";
import { nms } from "./rows.js";

export const nmsKernel = kernel(nms.schemaText, ({ dets, scores, iou_threshold: threshold }) => {
  if (dets.dtype !== scores.dtype) throw refused("dets should have the same type as scores");
  if (dets.numel === 0) return Tensor.empty([0], "int64");
  if (dets.dtype !== "float32" && dets.dtype !== "float64") throw notImplemented("nms_kernel", dets.dtype);
  const kept = keptBoxes(readNumbers(dets), bestFirst(scores), threshold, roundingOf(dets.dtype));
  const out = Tensor.empty([kept.length], "int64");
  (out.data as BigInt64Array).set(kept.map(BigInt));
  return out;
});

/** Places by falling score; equal scores keep their order, NaN comes first. */
function bestFirst(scores: Tensor): ArrayLike<number> {
  const [, order] = evaluate("aten.sort.stable", [scores], {
    stable: true,
    dim: 0,
    descending: true,
  }) as readonly Tensor[];
  return readNumbers(order!);
}

function keptBoxes(
  boxes: ArrayLike<number>,
  order: ArrayLike<number>,
  threshold: number,
  round: Round,
): number[] {
  const suppressed = new Uint8Array(order.length);
  const areas = new Float64Array(order.length);
  for (let i = 0; i < areas.length; i++) {
    const at = 4 * i;
    areas[i] = round(round(boxes[at + 2]! - boxes[at]!) * round(boxes[at + 3]! - boxes[at + 1]!));
  }
  const kept: number[] = [];
  for (let a = 0; a < order.length; a++) {
    const i = order[a]!;
    if (suppressed[i] === 1) continue;
    kept.push(i);
    for (let b = a + 1; b < order.length; b++) {
      const j = order[b]!;
      if (suppressed[j] === 1) continue;
      const inter = intersection(boxes, 4 * i, 4 * j, round);
      const union = round(round(areas[i]! + areas[j]!) - inter);
      if (round(inter / union) > threshold) suppressed[j] = 1;
    }
  }
  return kept;
}

function intersection(boxes: ArrayLike<number>, i: number, j: number, round: Round): number {
  const left = maxOf(boxes[i]!, boxes[j]!);
  const top = maxOf(boxes[i + 1]!, boxes[j + 1]!);
  const right = minOf(boxes[i + 2]!, boxes[j + 2]!);
  const bottom = minOf(boxes[i + 3]!, boxes[j + 3]!);
  return round(maxOf(0, round(right - left)) * maxOf(0, round(bottom - top)));
}
