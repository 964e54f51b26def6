import { device, dtypeLiteral, FakeTensor, float, memoryFormat, ref, symInt, tuple } from "@sconce/ir";
import { symbol } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { parseSchema } from "../schema/schema.js";
import { bindArgs } from "./bind.js";
import { unbindValue } from "./unbind.js";

const x = new FakeTensor({ dtype: "float32", shape: [2, 3], strides: [3, 1] });
const resolve = (): FakeTensor => x;
const bind = (schema: string, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>> = {}) =>
  bindArgs(parseSchema(schema), args, kwargs, resolve);

describe("bindArgs", () => {
  it("binds by position and by name, and fills in defaults", () => {
    const schema =
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
    expect(bind(schema, [ref("x"), [1]])).toEqual({ self: x, dim: [1], keepdim: false, dtype: null });
    expect(bind(schema, [ref("x")], { dim: [0], dtype: dtypeLiteral("int64") })).toEqual({
      self: x,
      dim: [0],
      keepdim: false,
      dtype: "int64",
    });
  });

  it("gives one int of int[2] to both places", () => {
    const schema = "aten::f(Tensor self, int[2] stride=[], int[2] padding=0) -> Tensor";
    expect(bind(schema, [ref("x"), 3])).toEqual({ self: x, stride: [3, 3], padding: [0, 0] });
  });

  it("unwraps literals by their schema types", () => {
    const schema =
      "aten::f(Tensor self, float p, *, ScalarType? dtype=4, Device? device=None, MemoryFormat memory_format=0) -> Tensor";
    expect(bind(schema, [ref("x"), float(2)])).toEqual({
      self: x,
      p: 2,
      dtype: "int64",
      device: null,
      memory_format: "contiguous_format",
    });
    const given = bind(schema, [ref("x"), 1], {
      device: "cuda:1",
      memory_format: memoryFormat("channels_last"),
    });
    expect(given).toMatchObject({ p: 1, device: device("cuda", 1), memory_format: "channels_last" });
  });

  it("keeps the kind of a Scalar, and a number in the place of a tensor", () => {
    const schema = "aten::f(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
    expect(bind(schema, [ref("x"), float(2)])).toEqual({ self: x, other: float(2), alpha: 1 });
    expect(bind(schema, [ref("x"), 2], { alpha: float(1) })).toEqual({ self: x, other: 2, alpha: float(1) });
  });

  it("unwraps symbolic values where sizes are wanted, and wraps them where numbers are", () => {
    const s0 = symbol("s0", { positive: true });
    const schema = "aten::f(SymInt[] size, Scalar fill_value) -> Tensor";
    expect(bind(schema, [[symInt(s0), 2], s0])).toEqual({ size: [s0, 2], fill_value: symInt(s0) });
  });

  it("takes lists of tensors with None, and tuples", () => {
    expect(bind("aten::f(Tensor?[] indices) -> Tensor", [[null, ref("x")]])).toEqual({ indices: [null, x] });
    expect(bind("aten::f(SymInt[] size) -> Tensor", [tuple([1, 2n])])).toEqual({ size: [1, 2] });
  });

  it.each([
    ["ARGUMENT_MISSING", "aten::f(Tensor self, int dim) -> Tensor", [ref("x")], {}, '"dim"'],
    ["ARGUMENT_UNEXPECTED", "aten::f(Tensor self) -> Tensor", [ref("x"), 1], {}, "takes 1 positional"],
    ["ARGUMENT_UNEXPECTED", "aten::f(Tensor self) -> Tensor", [ref("x")], { dim: 1 }, '"dim"'],
    ["ARGUMENT_UNEXPECTED", "aten::f(Tensor self) -> Tensor", [ref("x")], { self: ref("x") }, "twice"],
    ["ARGUMENT_KIND", "aten::f(Tensor self, int dim) -> Tensor", [ref("x"), "a"], {}, '"dim" must be int'],
    [
      "ARGUMENT_KIND",
      "aten::f(Tensor self, int dim) -> Tensor",
      [ref("x"), float(1)],
      {},
      '"dim" must be int',
    ],
    ["ARGUMENT_KIND", "aten::f(Tensor self, int[] dim) -> Tensor", [ref("x"), 1], {}, "int[]"],
    ["ARGUMENT_KIND", "aten::f(Tensor self) -> Tensor", [null], {}, "got None"],
    [
      "ARGUMENT_KIND",
      "aten::f(Tensor self, ScalarType dtype) -> Tensor",
      [ref("x"), "float33"],
      {},
      "ScalarType",
    ],
  ])("refuses with %s", (code, schema, args, kwargs, text) => {
    expect(() => bind(schema, args, kwargs)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });
});

describe("unbindValue", () => {
  const type = (text: string) => parseSchema(`aten::f(${text} x) -> Tensor`).args[0]!.type;

  it("makes literals of names and floats", () => {
    expect(unbindValue("float32", type("ScalarType"))).toEqual(dtypeLiteral("float32"));
    expect(unbindValue("channels_last", type("MemoryFormat"))).toEqual(memoryFormat("channels_last"));
    expect(unbindValue("cpu", type("Device"))).toEqual(device("cpu"));
    expect(unbindValue("none", type("str"))).toBe("none");
    expect(unbindValue(1, type("float"))).toEqual(float(1));
    expect(unbindValue(1, type("Scalar"))).toBe(1);
  });

  it("leaves tensors for the caller", () => {
    expect(unbindValue([x, null], type("Tensor?[]"))).toEqual([x, null]);
  });
});
