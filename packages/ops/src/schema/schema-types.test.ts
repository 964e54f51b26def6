import type { FakeTensor, IntLike, ScalarLiteral } from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ArgsOf, type ResultOf, type RuntimeTypes, type TargetOf, targetOf } from "./schema-types.js";

type Sum =
  "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
type Index = "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor";
type Split = "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]";
type Normal =
  "aten::normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)";
type Clamp = "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor";

describe("types of a schema", () => {
  it("gives the arguments of shape rules", () => {
    expectTypeOf<ArgsOf<Split>>().toEqualTypeOf<
      { readonly self: FakeTensor } & { readonly split_size: IntLike } & { readonly dim: IntLike }
    >();
  });

  it("gives the arguments of kernels", () => {
    expectTypeOf<ArgsOf<Sum, RuntimeTypes>["self"]>().toEqualTypeOf<Tensor>();
    expectTypeOf<ArgsOf<Sum, RuntimeTypes>["dim"]>().toEqualTypeOf<readonly number[] | null>();
    expectTypeOf<ArgsOf<Sum, RuntimeTypes>["keepdim"]>().toEqualTypeOf<boolean>();
    expectTypeOf<ArgsOf<Sum, RuntimeTypes>["dtype"]>().toEqualTypeOf<DType | null>();
    expectTypeOf<ArgsOf<Index, RuntimeTypes>["indices"]>().toEqualTypeOf<readonly (Tensor | null)[]>();
    expectTypeOf<ArgsOf<Normal, RuntimeTypes>["generator"]>().toEqualTypeOf<null>();
    expectTypeOf<ArgsOf<Clamp, RuntimeTypes>["max"]>().toEqualTypeOf<ScalarLiteral | null>();
  });

  it("gives the results of kernels", () => {
    type Result<S extends string> = ResultOf<S, RuntimeTypes>;
    expectTypeOf<Result<Sum>>().toEqualTypeOf<Tensor>();
    expectTypeOf<Result<Normal>>().toEqualTypeOf<Tensor>();
    expectTypeOf<Result<Split>>().toEqualTypeOf<readonly Tensor[]>();
    expectTypeOf<Result<"aten::_assert_async(Tensor self) -> ()">>().toEqualTypeOf<null>();
    expectTypeOf<Result<"aten::equal(Tensor self, Tensor other) -> bool">>().toEqualTypeOf<boolean>();
    expectTypeOf<
      Result<"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)">
    >().toEqualTypeOf<readonly [Tensor, Tensor]>();
    expectTypeOf<Result<"aten::f(Tensor self, bool[2] output_mask) -> (Tensor, Tensor)">>().toEqualTypeOf<
      readonly [Tensor | null, Tensor | null]
    >();
  });

  it("gives the target", () => {
    expectTypeOf<TargetOf<Sum>>().toEqualTypeOf<"aten.sum.dim_IntList">();
    expectTypeOf<TargetOf<Clamp>>().toEqualTypeOf<"aten.clamp.default">();
    expect(targetOf("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor")).toBe(
      "aten.clamp.default",
    );
    expect(targetOf("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")).toBe(
      "aten.index.Tensor",
    );
  });
});
