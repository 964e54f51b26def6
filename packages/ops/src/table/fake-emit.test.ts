import { FakeTensor, float } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { defaultOperators } from "../families/all.js";
import { defineOp } from "../rows/define-op.js";
import { fakeEmit, metaOf } from "./fake-emit.js";
import { OperatorTable } from "./table.js";

const x = new FakeTensor({ dtype: "float16", shape: [2, 3], strides: [1, 2] });

describe("metaOf", () => {
  it("runs the decomposition on fakes where a row has no meta rule", () => {
    const table = defaultOperators().extend([
      defineOp({
        schema: "mylib::twice(Tensor self) -> Tensor",
        decompose: (emit, { self }) => emit("aten.mul.Tensor", [self, float(2)]),
      }),
    ]);
    const result = metaOf(table, "mylib.twice.default", [x], {}, STATIC_ENV) as FakeTensor;
    expect(result).not.toBe(x);
    expect(result).toMatchObject({ dtype: "float16", shape: [2, 3], strides: [1, 2] });
  });

  it("names the operator in errors", () => {
    const bad = () => metaOf(defaultOperators(), "aten.sum.dim_IntList", [x, [5]], {}, STATIC_ENV);
    expect(bad).toThrow(expect.objectContaining({ code: "DIM_OUT_OF_RANGE", where: "aten.sum.dim_IntList" }));
  });

  it("refuses unknown operators and rows without rules", () => {
    const table = new OperatorTable([defineOp({ schema: "mylib::opaque(Tensor self) -> Tensor" })]);
    expect(() => metaOf(table, "mylib.opaque.default", [x], {}, STATIC_ENV)).toThrow(
      expect.objectContaining({ code: "OPERATOR_WITHOUT_META" }),
    );
    expect(() => metaOf(table, "mylib.other.default", [x], {}, STATIC_ENV)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPERATOR" }),
    );
  });
});

describe("fakeEmit", () => {
  const emit = fakeEmit(defaultOperators(), STATIC_ENV);

  it("distinguishes one result from several", () => {
    expect(emit.many("aten.max.dim", [x, 1])).toHaveLength(2);
    expect(() => emit("aten.max.dim", [x, 1])).toThrow(expect.objectContaining({ code: "RESULT_KIND" }));
    expect(() => emit.many("aten.neg.default", [x])).toThrow(
      expect.objectContaining({ code: "RESULT_KIND" }),
    );
  });

  it("gives the same geometry by rule and by decomposition", () => {
    const table = defaultOperators();
    for (const target of [
      "aten.silu.default",
      "aten.mish.default",
      "aten.logit.default",
      "aten.hardswish.default",
    ]) {
      const row = table.require(target);
      const direct = row.meta!({ self: x, eps: null }, { env: STATIC_ENV }) as FakeTensor;
      const composed = row.decompose!(emit, { self: x, eps: null }) as FakeTensor;
      expect(composed).toMatchObject({ dtype: direct.dtype, shape: direct.shape, strides: direct.strides });
    }
  });
});
