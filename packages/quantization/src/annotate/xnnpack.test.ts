/**
 * @file The edges that XNNPACK's quantizer of ExecuTorch annotates, after `prepare_pt2e` shared
 * them. Each case names the function of `backends/xnnpack/quantizer/xnnpack_quantizer_utils.py`
 * that prescribes it.
 */
import { type ExportedProgram, isRef } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { textProgram } from "../programs.fixture.js";
import { graphObservers } from "../static/observers.js";
import { prepareQuantization } from "../static/prepare.js";

/** Shapes of the state by name: `w` is a linear weight, `k` that of a convolution. */
const STATE: Readonly<Record<string, string>> = {
  w: "f32[4, 4]",
  v: "f32[4, 4]",
  b: "f32[4]",
  k: "f32[4, 4, 3, 3]",
  t: "f32[4, 2, 3, 3]",
};

/**
 * Returns a program of calls over `x` (matrix), `y` (matrix), `i` (image), and the state it reads.
 */
function programOf(body: string, result: string): ExportedProgram {
  const state = Object.keys(STATE).filter((name) => body.includes(`%p_${name}`));
  const inputs = [
    ["x", "f32[4, 4]"],
    ["y", "f32[4, 4]"],
    ["i", "f32[2, 4, 8, 8]"],
    ["n", "i64[4, 4]"],
  ].filter(([name]) => new RegExp(`%${name}\\b`).test(body));
  const lines = [
    ...state.map((name) => `parameter "${name}": ${STATE[name]}`),
    ...state.map((name) => `input %p_${name}: PARAMETER "${name}"`),
    ...inputs.map(([name]) => `input %${name}: USER_INPUT`),
    `output %${result}: USER_OUTPUT`,
  ];
  const placeholders = [
    ...state.map((name) => `%p_${name}: ${STATE[name]}`),
    ...inputs.map(([name, type]) => `%${name}: ${type}`),
  ];
  return textProgram(
    `sconce-ir 1\nprogram "ATEN" {\n${lines.join("\n")}\n}\ngraph(${placeholders.join(", ")}) {\n${body}\nreturn (%${result})\n}`,
  );
}

/** Returns observers as `value > readers #group`; weights have the group `weight`. */
function edges(program: ExportedProgram): string[] {
  const prepared = prepareQuantization(program, { observer: "min-max" });
  const observers = graphObservers(prepared.graph);
  const names = new Map(observers.map(({ node, value }) => [node.name, value]));
  const shown = (name: string): string => names.get(name) ?? name;
  return observers.map(({ node, value, group, spec }) => {
    const readers = prepared.graph.users(node.name).map(({ name }) => shown(name));
    const axis = spec.channelAxis === undefined ? "" : `, axis ${spec.channelAxis}`;
    return `${shown(value)} > ${readers.join(", ")} #${group}${axis}`;
  });
}

const LINEAR = `%linear: f32[4, 4] = aten.linear.default(%x, %p_w, %p_b)`;
const RELU = `%relu: f32[4, 4] = aten.relu.default(%linear)`;
const CONVOLUTION = `%conv: f32[2, 4, 8, 8] = aten.convolution.default(%i, %p_k, %p_b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)`;

describe("XNNPACK's patterns", () => {
  test.each<[source: string, body: string, result: string, expected: readonly string[]]>([
    [
      "_annotate_linear",
      LINEAR,
      "linear",
      ["x > linear #0", "p_w > linear #weight, axis 0", "linear > output #1"],
    ],
    [
      "_annotate_linear_relu: the output is behind the relu",
      `${LINEAR}\n${RELU}`,
      "relu",
      ["x > linear #0", "p_w > linear #weight, axis 0", "relu > output #1"],
    ],
    [
      "_annotate_linear_relu: a linear layer with two users is not fused; propagate_annotation shares",
      `${LINEAR}\n${RELU}\n%add: f32[4, 4] = aten.add.Tensor(%relu, %linear)`,
      "add",
      [
        "x > linear #0",
        "p_w > linear #weight, axis 0",
        "linear > relu, add #1",
        "relu > add #1",
        "add > output #2",
      ],
    ],
    [
      "_annotate_linear, lowered: the weight is read through a transposition",
      "%permute: f32[4, 4] = aten.permute.default(%p_w, [1, 0])\n%addmm: f32[4, 4] = aten.addmm.default(%p_b, %x, %permute)",
      "addmm",
      ["p_w > permute #weight, axis 0", "x > addmm #0", "addmm > output #1"],
    ],
    [
      "_do_annotate_conv",
      CONVOLUTION,
      "conv",
      ["i > conv #0", "p_k > conv #weight, axis 0", "conv > output #1"],
    ],
    [
      "_do_annotate_conv_relu, then propagate_annotation: max pooling and flattening share",
      `${CONVOLUTION}
%relu: f32[2, 4, 8, 8] = aten.relu.default(%conv)
%pool: (f32[2, 4, 4, 4], i64[2, 4, 4, 4]) = aten.max_pool2d_with_indices.default(%relu, [2, 2])
%getitem: f32[2, 4, 4, 4] = operator.getitem(%pool, 0)
%view: f32[2, 64] = aten.view.default(%getitem, [2, 64])`,
      "view",
      [
        "i > conv #0",
        "p_k > conv #weight, axis 0",
        "relu > pool #1",
        "getitem > view #1",
        "view > output #1",
      ],
    ],
    [
      "_do_annotate_conv, is_conv_transpose: channels are the second dimension",
      "%conv: f32[2, 4, 10, 10] = aten.convolution.default(%i, %p_k, %p_b, [1, 1], [0, 0], [1, 1], True, [0, 0], 1)",
      "conv",
      ["i > conv #0", "p_k > conv #weight, axis 1", "conv > output #1"],
    ],
    [
      "_do_annotate_conv: a transposed convolution in groups is skipped",
      "%conv: f32[2, 4, 10, 10] = aten.convolution.default(%i, %p_t, %p_b, [1, 1], [0, 0], [1, 1], True, [0, 0], 2)",
      "conv",
      [],
    ],
    [
      "_annotate_add: both inputs and the output",
      "%add: f32[4, 4] = aten.add.Tensor(%x, %y)",
      "add",
      ["x > add #0", "y > add #1", "add > output #2"],
    ],
    [
      "_annotate_add: one value twice has one observer",
      "%add: f32[4, 4] = aten.add.Tensor(%x, %x)",
      "add",
      ["x > add #0", "add > output #1"],
    ],
    ["_annotate_add: integers are left", "%add: i64[4, 4] = aten.add.Tensor(%n, %n)", "add", []],
    [
      "_annotate_add_relu",
      "%add: f32[4, 4] = aten.add.Tensor(%x, %y)\n%relu: f32[4, 4] = aten.relu.default(%add)",
      "relu",
      ["x > add #0", "y > add #1", "relu > output #2"],
    ],
    [
      "_annotate_mul",
      "%mul: f32[4, 4] = aten.mul.Tensor(%x, %y)",
      "mul",
      ["x > mul #0", "y > mul #1", "mul > output #2"],
    ],
    [
      "a residual block: the input shares between the layer and the sum",
      `${LINEAR}\n${RELU}\n%second: f32[4, 4] = aten.linear.default(%relu, %p_v)\n%add: f32[4, 4] = aten.add.Tensor(%second, %x)`,
      "add",
      [
        "x > linear, add #0",
        "p_w > linear #weight, axis 0",
        "relu > second #1",
        "p_v > second #weight, axis 0",
        "second > add #2",
        "add > output #3",
      ],
    ],
    [
      "_annotate_cat: all inputs and the output share",
      `${LINEAR}\n%cat: f32[12, 4] = aten.cat.default([%linear, %x, %y])`,
      "cat",
      [
        "x > linear, cat #0",
        "p_w > linear #weight, axis 0",
        "linear > cat #0",
        "y > cat #0",
        "cat > output #0",
      ],
    ],
    [
      "propagate_annotation: mean, hardtanh and views behind an annotated output",
      `${CONVOLUTION}
%hard: f32[2, 4, 8, 8] = aten.hardtanh.default(%conv, 0, 6)
%mean: f32[2, 4, 1, 1] = aten.mean.dim(%hard, [2, 3], True)
%view: f32[2, 4] = aten.view.default(%mean, [2, 4])`,
      "view",
      [
        "i > conv #0",
        "p_k > conv #weight, axis 0",
        "conv > hard #1",
        "hard > mean #1",
        "mean > view #1",
        "view > output #1",
      ],
    ],
    [
      "propagate_annotation: nothing behind a value without annotation",
      "%exp: f32[4, 4] = aten.exp.default(%x)\n%view: f32[16] = aten.view.default(%exp, [16])",
      "view",
      [],
    ],
    [
      "_annotate_adaptive_avg_pool2d: always, and the output shares with the input",
      "%pool: f32[2, 4, 1, 1] = aten._adaptive_avg_pool2d.default(%i, [1, 1])",
      "pool",
      ["i > pool #0", "pool > output #0"],
    ],
  ])("%s", (_, body, result, expected) => {
    expect(edges(programOf(body, result))).toEqual(expected);
  });

  test("DYNAMIC_OPS: inputs and weights of linear layers only", () => {
    const program = programOf(`${LINEAR}\n${RELU}\n%add: f32[4, 4] = aten.add.Tensor(%relu, %x)`, "add");
    const prepared = prepareQuantization(program, { isDynamic: true });
    expect(graphObservers(prepared.graph).map(({ value, spec }) => [value, spec.isDynamic])).toEqual([
      ["x", true],
      ["p_w", undefined],
    ]);
    const [add] = prepared.graph.calls().filter(({ target }) => target === "aten.add.Tensor");
    expect(add!.args.filter(isRef).map(({ name }) => name)).toEqual(["relu", "x"]);
  });
});
