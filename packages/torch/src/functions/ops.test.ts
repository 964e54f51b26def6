import { exportProgram } from "@sconce/capture";
import { defaultOperators } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torch } from "./torch.js";

describe("torch.ops", () => {
  test("has every overload", () => {
    const ops = torch.ops as unknown as Record<string, Record<string, Record<string, unknown>>>;
    const missing = [...defaultOperators().targets()].filter((target) => {
      const [namespace, name, overload] = target.split(".") as [string, string, string];
      return typeof ops[namespace]?.[name]?.[overload] !== "function";
    });
    expect(missing).toEqual([]);
  });

  test("calls the overload as it is, with literals by their names", () => {
    const program = exportProgram(
      (x: Tensor): unknown => {
        const sum = torch.ops.aten.add.Tensor(x, 2, { alpha: 3 });
        const zeros = torch.ops.aten.full.default([2], 1, { dtype: "int64" });
        return [torch.ops.aten.split.Tensor(sum, 1, 0)[0], zeros];
      },
      [torch.ones(2, 3)],
    );
    const calls = [...program.graph.nodes()].filter(({ target }) => target.startsWith("aten."));
    expect(calls.map(({ target, args, kwargs }) => [target, args.slice(1), kwargs])).toEqual([
      ["aten.add.Tensor", [2], { alpha: 3 }],
      ["aten.full.default", [1], { dtype: { kind: "dtype", dtype: "int64" } }],
      ["aten.split.Tensor", [1], {}],
    ]);
    expect(calls[0]!.meta.torchFn).toEqual(["add.Tensor_1", "OpOverload.add.Tensor"]);
  });

  test("runs at once outside of a trace", () => {
    expect(torch.ops.aten.add.Scalar(torch.ones(2), 1).toArray()).toEqual([2, 2]);
  });

  test("refuses arguments that the schema does not take", () => {
    expect(() => torch.ops.aten.add.Tensor("x", 1)).toThrow(
      expect.objectContaining({
        code: "NO_SIGNATURE",
        message: expect.stringContaining("torch.ops.aten.add.Tensor"),
      }),
    );
  });
});

describe("a probable slip is named in front of what a function takes", () => {
  const x = torch.ones(2);
  const wrong = (value: unknown): never => value as never;
  test.each<[string, () => unknown, RegExp]>([
    [
      "a dtype",
      () => torch.ones(2, { dtype: wrong("flaot32") }),
      /^"flaot32" is not a dtype, did you mean "float32"\?/,
    ],
    [
      "a dtype by position",
      () => x.to(wrong("flaot32")),
      /^"flaot32" is not a dtype, did you mean "float32"\?/,
    ],
    [
      "a short dtype",
      () => x.sum({ dtype: wrong("f32") }),
      /^"f32" is not a dtype, did you mean "float32"\?/,
    ],
    ["an unknown dtype", () => x.sum({ dtype: wrong("zzz") }), /^"zzz" is not a dtype; use/],
    ["a layout", () => torch.zeros([2], { layout: wrong("stridedd") }), /layout, did you mean "strided"\?/],
    [
      "a format",
      () => torch.clone(x, { memoryFormat: wrong("channels_lats") }),
      /memory format, did you mean "chann/,
    ],
    ["a keyword", () => torch.ones(2, wrong({ dtpye: "float32" })), /^did you mean "dtype"\?/],
    [
      "nested arrays",
      () => torch.relu(wrong([[1, 2]])),
      /^make a tensor of the nested arrays with `Tensor.from/,
    ],
  ])("%s", (_, call, fix) => {
    expect(call).toThrow(expect.objectContaining({ code: "NO_SIGNATURE", fix: expect.stringMatching(fix) }));
  });
});
