/** @file `transformers::grouped_mm_fallback`, after `transformers/integrations/moe.py`. */
import { emptyOutput, evaluate, finishOutput, kernel, openOutput, readNumbers } from "@sconce/backend-cpu";
import type { FakeTensor } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import { eq } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { dense } from "../dense.js";
import { refused } from "../errors.js";

export const groupedMm = defineOp({
  schema: "transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor",
  doc: "Rows of `input`, sorted by expert, times the matrix of their expert; `offs` are the ends of the groups.",
  meta: ({ input, weight, offs }, { env }) => {
    const sizesOf = (tensor: FakeTensor): string => `(${tensor.shape.map(String).join(", ")})`;
    if (input.ndim !== 2) throw refused(`input must be 2D (S, input_dim), got shape ${sizesOf(input)}`);
    if (weight.ndim !== 3)
      throw refused(`weight must be 3D (num_experts, input_dim, output_dim), got shape ${sizesOf(weight)}`);
    if (offs.ndim !== 1) throw refused(`offs must be 1D (num_experts,), got shape ${sizesOf(offs)}`);
    if (!env.orTrue(eq(offs.shape[0]!, weight.shape[0]!)))
      throw refused(`offs length ${sizesOf(offs)} must match number of experts ${sizesOf(weight)}`);
    if (!env.orTrue(eq(input.shape[1]!, weight.shape[1]!)))
      throw refused(
        `input_dim mismatch: input has shape ${sizesOf(input)}, weight has shape ${sizesOf(weight)}`,
      );
    if (offs.dtype !== "int32" && offs.dtype !== "int64")
      throw refused(`offs must be an integer tensor, got torch.${offs.dtype}`);
    return dense(input, [input.shape[0]!, weight.shape[2]!]);
  },
});

export const groupedMmKernel = kernel(groupedMm.schemaText, ({ input, weight, offs }, context) => {
  const out = emptyOutput(context);
  if (input.dtype !== weight.dtype)
    throw refused(`expected m1 and m2 to have the same dtype, but got: ${input.dtype} != ${weight.dtype}`);
  const into = openOutput(out);
  const [rows, inner] = input.shape as readonly [number, number];
  const columns = weight.shape[2]!;
  let start = 0;
  readNumbers(offs).forEach((end, expert) => {
    if (start === end) return;
    const [from, to] = sliceOf(start, end, rows);
    if (to > from) {
      const group = viewOf(input, [to - from, inner], input.strides, from * input.strides[0]!);
      const matrix = viewOf(weight, [inner, columns], weight.strides.slice(1), expert * weight.strides[0]!);
      into.set(readNumbers(evaluate("aten.mm.default", [group, matrix]) as Tensor), from * columns);
    }
    start = end;
  });
  return finishOutput(out, into);
});

/** Python's `[start:end]` of a dimension. */
function sliceOf(start: number, end: number, size: number): readonly [from: number, to: number] {
  const place = (at: number): number => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
  return [place(start), place(end)];
}

const viewOf = (
  tensor: Tensor,
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
): Tensor => tensor.asStrided(shape, strides, tensor.storageOffset + offset);
