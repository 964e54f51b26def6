import { FakeTensor } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { defaultOperators } from "../families/all.js";
import { metaOf } from "./fake-emit.js";

const table = defaultOperators();
const vector = (length: number, dtype: DType = "float32"): FakeTensor =>
  new FakeTensor({ dtype, shape: [length], strides: [1], storageOffset: 0 });
const scalar = new FakeTensor({ dtype: "float32", shape: [], strides: [], storageOffset: 0 });
const run = (target: string, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>) =>
  metaOf(table, target, args, kwargs, STATIC_ENV);

describe("overloads with outputs", () => {
  it("are found by their arguments, whatever they are called", () => {
    expect(table.require("aten.add.out").functional).toBe("aten.add.Tensor");
    expect(table.require("aten.topk.values").functional).toBe("aten.topk.default");
    expect(table.require("aten.sum.IntList_out").functional).toBe("aten.sum.dim_IntList");
    expect(table.get("aten.no_such.out")).toBeUndefined();
  });

  it("return their outputs", () => {
    const out = vector(3);
    expect(run("aten.atan2.out", [vector(3), vector(3)], { out })).toBe(out);
    const [values, indices] = [vector(2), vector(2, "int64")];
    expect(run("aten.topk.values", [vector(3), 2], { values, indices })).toEqual([values, indices]);
  });

  it("give an output of another size the size of the result", () => {
    const resized = run("aten.add.out", [vector(3), vector(3)], { out: vector(0) }) as FakeTensor;
    expect(resized.shape).toEqual([3]);
  });

  it("convert elementwise results upwards only, and others not at all", () => {
    const doubled = vector(3, "float64");
    expect(run("aten.add.out", [vector(3), vector(3)], { out: doubled })).toBe(doubled);
    const whole = { out: vector(3, "int64") };
    expect(() => run("aten.add.out", [vector(3), vector(3)], whole)).toThrow("can't be cast");
    expect(() => run("aten.cat.out", [[vector(3)], 0], whole)).toThrow("can't be cast");
    expect(() => run("aten.flip.out", [vector(3), [0]], { out: doubled })).toThrow("Expected out tensor");
  });
});

describe("overloads that write other arguments", () => {
  it("give their own result, and know the functional overload", () => {
    const row = table.require("aten.rrelu_with_noise.default");
    expect(row.functional).toBe("aten.rrelu_with_noise_functional.default");
    const [self, noise] = [vector(4), vector(4)];
    expect(run(row.target, [self, noise], {})).not.toBe(self);
    expect(run("aten.rrelu_with_noise_.default", [self, noise], {})).toBe(self);
  });
});

describe("in-place overloads that are not spelled like their functional one", () => {
  it("are found by their arguments, whatever their order and the overload's name", () => {
    const functional = {
      "aten.polygamma_.default": "aten.polygamma.default",
      "aten.float_power_.Tensor": "aten.float_power.Tensor_Tensor",
      "aten.pow_.Scalar": "aten.pow.Tensor_Scalar",
      "aten.ldexp_.default": "aten.ldexp.Tensor",
      "aten.bernoulli_.float": "aten.bernoulli.p",
    };
    for (const [target, base] of Object.entries(functional)) {
      expect(table.require(target).functional).toBe(base);
    }
    expect(table.require("aten.true_divide_.Scalar").functional).toBe("aten.true_divide.Scalar");
  });

  it("refuse a self that cannot hold the result", () => {
    expect(() => run("aten.polygamma_.default", [vector(3, "int64"), 2], {})).toThrow("can't be cast");
    expect(() => run("aten.clip_.Tensor", [vector(1), vector(3)], {})).toThrow("broadcast shape");
    const self = vector(3);
    expect(run("aten.polygamma_.default", [self, 2], {})).toBe(self);
  });
});

describe("a self whose elements share places", () => {
  const shared = (): FakeTensor =>
    new FakeTensor({ dtype: "float32", shape: [3], strides: [0], storageOffset: 0 });

  it("is written where PyTorch allows it: all elements get the same number", () => {
    const self = shared();
    expect(run("aten.zero_.default", [self], {})).toBe(self);
    expect(run("aten.fill_.Scalar", [self, 2], {})).toBe(self);
    expect(run("aten._foreach_zero_.default", [[self]], {})).toBeNull();
  });

  it("is refused by all others", () => {
    const message = "more than one element of the written-to tensor";
    expect(() => run("aten.fill_.Tensor", [shared(), scalar], {})).toThrow(message);
    expect(() => run("aten.relu_.default", [shared()], {})).toThrow(message);
    expect(() => run("aten.polygamma_.default", [shared(), 2], {})).toThrow(message);
    expect(() => run("aten._foreach_add_.Scalar", [[shared()], 1], {})).toThrow(message);
  });
});

describe("operators over lists", () => {
  it("are rows of what they repeat, which in-place and out forms write", () => {
    const lists = [[vector(3)], [vector(3)]];
    const results = run("aten._foreach_add.List", lists, {}) as readonly FakeTensor[];
    expect(results.map(({ shape }) => shape)).toEqual([[3]]);
    expect(run("aten._foreach_add_.List", lists, {})).toBeNull();
    expect(() => run("aten._foreach_exp_.default", [[vector(3, "int64")]], {})).toThrow("can't be cast");
    expect(table.require("aten._foreach_sqrt.out").functional).toBe("aten._foreach_sqrt.default");
  });
});
