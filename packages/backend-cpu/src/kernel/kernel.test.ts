/** @file What does not compile: `typecheck:tests` fails where an expected error is missing. */
import type { Tensor } from "@sconce/tensor";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type CoreKernels, CPU_KERNELS } from "../sets/all.js";
import { defineKernels, emptyOutput, emptyOutputs, type Kernel, kernel } from "./kernel.js";

const copy: Kernel<{ readonly self: Tensor }> = ({ self }, context) => {
  emptyOutput(context);
  return self;
};

const TOPK =
  "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)";
const ONES =
  "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor";

describe("a kernel is typed by its schema", () => {
  test("arguments, meta and result", () => {
    const topk = kernel(TOPK, (args, context) => {
      expectTypeOf(args.self).toEqualTypeOf<Tensor>();
      expectTypeOf(args.k).toEqualTypeOf<number>();
      expectTypeOf(args.largest).toEqualTypeOf<boolean>();
      const [values, indices] = emptyOutputs(context);
      return [values, indices];
    });
    expect(topk.targets).toEqual(["aten.topk.default"]);
    expectTypeOf(topk.targets).toEqualTypeOf<readonly "aten.topk.default"[]>();
  });

  test("one function serves overloads with the arguments that it reads", () => {
    const table = defineKernels([
      kernel(["aten::silu(Tensor self) -> Tensor", "aten::mish(Tensor self) -> Tensor"], copy),
    ]);
    expect(Object.keys(table)).toEqual(["aten.silu.default", "aten.mish.default"]);
    expectTypeOf(table).toHaveProperty("aten.mish.default");
  });

  test("a wrong argument, result or schema does not compile", () => {
    // @ts-expect-error mse_loss has no argument `mat2`
    kernel("aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", ({ mat2 }) => mat2);
    // @ts-expect-error numel gives a number
    kernel("aten::sym_numel(Tensor self) -> SymInt", copy);
    // @ts-expect-error ones has no tensor `self`
    kernel(ONES, copy);
    // @ts-expect-error topk returns two tensors
    kernel(TOPK, copy);
    // @ts-expect-error PyTorch's silu takes one argument
    kernel("aten::silu(Tensor self, int dim) -> Tensor", copy);
    // @ts-expect-error its row calls the argument `input`
    kernel("quantized_decomposed::choose_qparams_per_token(Tensor self) -> Tensor", copy);
    expect(kernel("mylib::anything(Tensor self) -> Tensor", copy).targets).toEqual([
      "mylib.anything.default",
    ]);
  });
});

test("the table does not compile without a kernel of core ATen", () => {
  const { "aten.neg.default": neg, ...rest } = CPU_KERNELS;
  // @ts-expect-error Property '"aten.neg.default"' is missing
  const partial: CoreKernels = rest;
  expect(neg).toBeTypeOf("function");
  expect(partial).not.toHaveProperty(["aten.neg.default"]);
  const total: CoreKernels = { ...rest, "aten.neg.default": neg };
  expect(Object.keys(total).sort()).toEqual(Object.keys(CPU_KERNELS).sort());
});

test("a target given twice is refused", () => {
  const silu = kernel("aten::silu(Tensor self) -> Tensor", copy);
  expect(() => defineKernels([silu, silu])).toThrowError(expect.objectContaining({ code: "DUPLICATE_KEY" }));
});
