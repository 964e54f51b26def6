/** @file Triangles of matrices: `tril` and `triu`. */
import { positionsOf, type Tensor } from "@sconce/tensor";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { moveElements } from "./index-elements.js";

/** Keeps elements whose column minus row is at most (`tril`) or at least (`triu`) the diagonal. */
const triangle =
  (keepsLower: boolean): Kernel<{ self: Tensor; diagonal: number }> =>
  ({ self, diagonal }, context) => {
    const out = emptyOutput(context);
    const [rows, columns] = [self.shape.at(-2)!, self.shape.at(-1)!];
    const from = positionsOf(self.shape, self);
    const to = positionsOf(out.shape, out);
    let kept = 0;
    for (let i = 0; i < to.length; i++) {
      const column = i % columns;
      const row = Math.floor(i / columns) % rows;
      if (keepsLower ? column - row > diagonal : column - row < diagonal) continue;
      from[kept] = from[i]!;
      to[kept++] = to[i]!;
    }
    moveElements(out, to, self, from, kept);
    return out;
  };

export const diagonalKernels = defineKernels([
  kernel("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", triangle(true)),
  kernel("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", triangle(false)),
]);
