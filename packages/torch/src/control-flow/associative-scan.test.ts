import { Dim, type ExportOptions, exportProgram } from "@sconce/capture";
import { typescriptText } from "@sconce/capture/typescript";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { associativeScan } from "./associative-scan.js";

const input = torch.arange(12, { dtype: "float32" }).reshape(4, 3);
const dynamic: ExportOptions = { dynamicShapes: [{ 0: Dim("n") }] };

const callsOf = (model: (...args: never[]) => unknown, options: ExportOptions = {}): string[] =>
  [...exportProgram(model, [input], options).graph.nodes()].flatMap(({ op, target }) =>
    op === "call_function" ? [target] : [],
  );

/** The model of a written module. */
function runModule(text: string): (x: Tensor) => Tensor {
  const [, body = ""] = /forward\(x: Tensor\) \{\n(.*?)\n {2}\}\n/s.exec(text) ?? [];
  const code = body.replaceAll(" as const", "").replaceAll("]!", "]");
  return new Function("torch", "x", code).bind(null, torch) as (x: Tensor) => Tensor;
}

const refusal = (model: (...args: never[]) => unknown, options: ExportOptions = {}): string => {
  try {
    exportProgram(model, [input], options);
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
  return "exported";
};

// Calls and messages are those of PyTorch 2.14 for the same functions.
describe("associativeScan", () => {
  test("makes a graph of a pointwise function, with what it closes over", () => {
    const model = (x: Tensor): unknown => {
      const y = x.cos().at(0);
      return associativeScan((a: Tensor, b: Tensor) => a.mul(b).mul(y), x, { dim: 0 });
    };
    expect(callsOf(model, dynamic)).toEqual([
      "aten.cos.default",
      "aten.select.int",
      "aten.movedim.int",
      "aten.select_copy.int",
      "higher_order.associative_scan",
      "operator.getitem",
      "aten.movedim.int",
    ]);
    const text = String(exportProgram(model, [input], dynamic));
    expect(text).toContain("(associative_scan_combine_graph_0, [movedim], (select,))");
    expect(text).toContain('getitem: "f32[s77, 3]" = associative_scan[0]');
    expect(text).toContain("return [mul_1]");
  });

  test("takes containers, from the end", () => {
    const model = (x: Tensor): unknown =>
      associativeScan(
        (a: { u: Tensor; v: Tensor }, b: { u: Tensor; v: Tensor }) => ({ u: a.u.mul(b.u), v: a.v.add(b.v) }),
        { u: x, v: x.sin() },
        { dim: 1, reverse: true },
      );
    const text = String(exportProgram(model, [input]));
    expect(text).toContain("(associative_scan_combine_graph_0, [flip, flip_1], ())");
    expect(text).toContain('movedim_3: "f32[4, 3]" = torch.ops.aten.movedim.int(flip_3, 0, 1)');
  });

  test("of several tensors is written out round by round", () => {
    const model = (x: Tensor): unknown =>
      associativeScan((a: Tensor[], b: Tensor[]) => [a[0]!.mul(b[0]!), a[1]!.add(b[1]!)], [x, x.sin()], {
        dim: 0,
        combineMode: "generic",
      });
    const calls = callsOf(model);
    expect(calls.filter((target) => target.endsWith("_add_batch_dim"))).toHaveLength(16);
    expect(calls.filter((target) => target === "aten.stack.default")).toHaveLength(4);
  });

  const scanned =
    (combine: (a: Tensor, b: Tensor) => Tensor, options = {}) =>
    (x: Tensor): unknown =>
      associativeScan(combine, x, { dim: 0, ...options });
  test.each<[string, (x: Tensor) => unknown, string]>([
    ["a reduction", scanned((a, b) => a.cumsum(0).mul(b)), "the combine_fn needs to be pointwise"],
    [
      "another dtype",
      scanned((a, b) => a.mul(b).to("float64")),
      "initial_xs and combine_fn_output to have same metadata",
    ],
    [
      "another structure",
      scanned(((a: Tensor) => [a.mul(2)]) as never),
      "mismatched input/output tree structure",
    ],
    ["an unknown mode", scanned((a, b) => a.mul(b), { combineMode: "fast" }), "'pointwise' or 'generic'"],
    [
      "a dimension of several sizes",
      (x) =>
        associativeScan(([a, b]: Tensor[], [c, e]: Tensor[]) => [a!.add(c!), b!.add(e!)], [x, x.t()], {
          dim: 0,
        }),
      "All xs leaves must have the same scan dimension size",
    ],
    ["a dimension that is not there", scanned((a, b) => a.mul(b), { dim: 2 }), "'dim + 1' dimensions"],
  ])("%s is refused", (_, model, message) => {
    expect(refusal(model)).toContain(message);
  });

  describe("in generic mode runs in modules and calls of programs", () => {
    const generic = { dim: 0, combineMode: "generic" } as const;
    const sums = (x: Tensor): Tensor =>
      associativeScan((a: Tensor, b: Tensor) => a.cumsum(0).mul(b), x, generic);
    const twice = (x: Tensor): Tensor =>
      associativeScan(
        (a: Tensor, b: Tensor) =>
          associativeScan((c: Tensor, d: Tensor) => c.add(d.mul(d)), a.mul(b), generic),
        x,
        generic,
      );
    // Results of PyTorch 2.14.
    test.each<[string, (x: Tensor) => Tensor, number, number[][]]>([
      ["one item", sums, 1, [[0, 0.25]]],
      [
        "two items",
        sums,
        2,
        [
          [0, 0.25],
          [0, 0.1875],
        ],
      ],
      [
        "five items",
        sums,
        5,
        [
          [0, 0.25],
          [0, 0.1875],
          [0, 0.234375],
          [0, 0.73828125],
          [0, 1.6611328125],
        ],
      ],
      [
        "a scan in a scan",
        twice,
        5,
        [
          [0, 0.25],
          [0, 0.03515625],
          [0, 0.0019311904907226562],
          [0, 0.048824437195435166],
          [0, 0.012068117441470651],
        ],
      ],
    ])("%s", (_, model, rows, wanted) => {
      const x = torch
        .arange(2 * rows, { dtype: "float64" })
        .reshape(rows, 2)
        .div(4);
      const program = exportProgram(model, [x]);
      expect((program.call(x) as Tensor).tolist()).toEqual(wanted);
      expect((program.module()(x) as Tensor).tolist()).toEqual(wanted);
      expect(model(x).tolist()).toEqual(wanted);
      const run = runModule(typescriptText(program));
      expect(run(x).tolist()).toEqual(wanted);
    });

    test("a scan in a scan has batches of two levels", () => {
      const { graph } = exportProgram(twice, [input]);
      const levels = [...graph.nodes()].filter(({ target }) => target.endsWith("_add_batch_dim"));
      expect(new Set(levels.map(({ args }) => args[2]))).toEqual(new Set([1, 2]));
    });
  });

  test("in generic mode needs a static size", () => {
    expect(
      refusal(
        scanned((a, b) => a.mul(b), { combineMode: "generic" }),
        dynamic,
      ),
    ).toContain("CONTROL_FLOW_ARGUMENTS");
  });

  test("runs at once where nothing is traced", () => {
    const sums = associativeScan((a: Tensor, b: Tensor) => a.add(b), input, { dim: 0 });
    expect(sums.tolist()).toEqual(input.cumsum(0).tolist());
    const reversed = associativeScan((a: Tensor, b: Tensor) => a.add(b), input, { dim: -1, reverse: true });
    expect(reversed.tolist()).toEqual(input.flip([1]).cumsum(1).flip([1]).tolist());
  });
});
