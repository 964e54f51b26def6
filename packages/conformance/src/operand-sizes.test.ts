/**
 * @file Operands with sizes that PyTorch's kernels refuse, or read outside of their memory for, are
 * refused on every backend: where a program has them, and where its inputs bring them to symbolic
 * sizes.
 */
import { isSconceError } from "@sconce/errors";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];
const TYPES: Readonly<Record<string, DType>> = { f32: "float32", i64: "int64", i32: "int32" };

const sizesOf = (type: string): number[] => /\[(.*)\]/.exec(type)![1]!.split(",").filter(Boolean).map(Number);

/** A program of one call of `%a`, `%b`, ... whose first result is given. */
function programOf(call: string, types: readonly string[], count: number): string {
  const names = types.map((_, i) => `%${"abcdef"[i]}`);
  const results = count > 1 ? `\n  %r = operator.getitem(%list, 0)` : "";
  return `sconce-ir 1
program "TRAINING" {
${names.map((name) => `  input ${name}: USER_INPUT`).join("\n")}
  output %r: USER_OUTPUT
}
graph(${names.map((name, i) => `${name}: ${types[i]}`).join(", ")}) {
  ${count > 1 ? "%list" : "%r"} = aten.${call}${results}
  return (%r)
}`;
}
const load = (text: string) => session.transform(session.parseIr(text), "propagate-shapes");

/** The types with a symbol for each size. */
function symbolic(types: readonly string[]): string[] {
  let count = 0;
  return types.map((type) => type.replaceAll(/\d+(?=[,\]])/g, () => `s${count++}`));
}
const zeros = (type: string): Tensor => {
  const sizes = sizesOf(type);
  const count = sizes.reduce((a, b) => a * b, 1);
  return Tensor.from(new Array<number>(count).fill(0), sizes, TYPES[type.slice(0, 3)]!);
};

/** Call, number of results, operands that go together, then others, each with PyTorch's reason. */
type Row = readonly [call: string, results: number, good: string, bad: Readonly<Record<string, string>>];
const CONV = "[1, 1], [0, 0], [1, 1], false, [0, 0], 1, [true, true, true]";
const MAX2 = "[2, 2], [2, 2], [0, 0], [1, 1], false";
const MAX3 = "[2, 2, 2], [2, 2, 2], [0, 0, 0], [1, 1, 1], false";
const ROWS: readonly Row[] = [
  [
    `convolution_backward.default(%a, %b, %c0, [2], ${CONV})`.replace("%c0", "%c"),
    3,
    "f32[1,2,3,3] f32[1,1,3,3] f32[2,1,1,1]",
    {
      "f32[1,3,3,3] f32[1,1,3,3] f32[2,1,1,1]": "tensor.size[1] == 2 but got: dimension 4",
      "f32[1,2,3,4] f32[1,1,3,3] f32[2,1,1,1]": "tensor.size[3] == 3",
      "f32[2,2,3,3] f32[1,1,3,3] f32[2,1,1,1]": "tensor.size[0] == 1",
      "f32[60000,2,3,3] f32[1,1,3,3] f32[2,1,1,1]": "tensor.size[0] == 1",
      "f32[1,2,3,3] f32[1,2,3,3] f32[2,1,1,1]": "expected input[1, 2, 3, 3] to have 1 channels",
    },
  ],
  [
    "convolution_backward.default(%a, %b, %c, [2], [2], [1], [1], true, [1], 1, [true, true, true])",
    3,
    "f32[1,2,6] f32[1,1,3] f32[1,2,3]",
    {
      "f32[1,2,7] f32[1,1,3] f32[1,2,3]": "tensor.size[2] == 6",
      "f32[1,1,6] f32[1,1,3] f32[1,2,3]": "tensor.size[1] == 2",
    },
  ],
  ...["index_reduce", "index_reduce_"].map(
    (name): Row => [
      `${name}.default(%a, 0, %b, %c, "amax")`,
      1,
      "f32[3,2] i64[2] f32[2,2]",
      {
        "f32[3,2] i64[500] f32[2,2]": "Number of indices (500) should be equal to source.size(dim): (2)",
        "f32[3,2] i64[2] f32[2,3]": "source tensor shape must match self tensor shape",
      },
    ],
  ),
  [
    "avg_pool2d_backward.default(%a, %b, [2, 2], [2, 2], [0, 0], false, true, None)",
    1,
    "f32[1,2,2,2] f32[1,2,4,4]",
    {
      "f32[1,2,3,2] f32[1,2,4,4]": "tensor.size[2] == 2",
      "f32[1,1,2,2] f32[1,2,4,4]": "tensor.size[1] == 2",
      "f32[2,2,2,2] f32[1,2,4,4]": "tensor.size[0] == 1",
    },
  ],
  [
    "avg_pool3d_backward.default(%a, %b, [2, 2, 2], [2, 2, 2], [0, 0, 0], false, true, None)",
    1,
    "f32[1,2,2,2,2] f32[1,2,4,4,4]",
    {
      "f32[1,2,2,2,1] f32[1,2,4,4,4]": "tensor.size[4] == 2",
      "f32[3,2,2,2,2] f32[1,2,4,4,4]": "tensor.size[0] == 1",
    },
  ],
  [
    "_adaptive_avg_pool2d_backward.default(%a, %b)",
    1,
    "f32[1,2,2,2] f32[1,2,5,5]",
    {
      "f32[1,3,2,2] f32[1,2,5,5]": "tensor.size[1] == 2",
      "f32[2,2,2,2] f32[1,2,5,5]": "tensor.size[0] == 1",
    },
  ],
  [
    "_adaptive_avg_pool3d_backward.default(%a, %b)",
    1,
    "f32[1,2,2,2,2] f32[1,2,5,5,5]",
    { "f32[1,3,2,2,2] f32[1,2,5,5,5]": "tensor.size[1] == 2" },
  ],
  [
    "adaptive_max_pool2d_backward.default(%a, %b, %c)",
    1,
    "f32[1,2,2,2] f32[1,2,5,5] i64[1,2,2,2]",
    {
      "f32[1,2,2,2] f32[1,2,5,5] i64[1,2,2,1]":
        "expected sizes [1, 2, 2, 1] for `grad_output` but got sizes [1, 2, 2, 2]",
      "f32[1,3,2,2] f32[1,2,5,5] i64[1,3,2,2]": "tensor.size[1] == 2",
    },
  ],
  [
    "adaptive_max_pool3d_backward.default(%a, %b, %c)",
    1,
    "f32[1,2,2,2,2] f32[1,2,5,5,5] i64[1,2,2,2,2]",
    { "f32[1,2,2,2,2] f32[1,2,5,5,5] i64[1,2,2,2,1]": "expected sizes [1, 2, 2, 2, 1] for `gradOutput`" },
  ],
  [
    `max_pool2d_with_indices_backward.default(%a, %b, ${MAX2}, %c)`,
    1,
    "f32[1,2,2,2] f32[1,2,4,4] i64[1,2,2,2]",
    {
      "f32[1,2,2,3] f32[1,2,4,4] i64[1,2,2,3]": "tensor.size[3] == 2",
      "f32[1,2,2,2] f32[1,2,4,4] i64[1,2,2,1]": "tensor.size[3] == 2",
      "f32[2,2,2,2] f32[1,2,4,4] i64[2,2,2,2]": "tensor.size[0] == 1",
    },
  ],
  [
    `max_pool3d_with_indices_backward.default(%a, %b, ${MAX3}, %c)`,
    1,
    "f32[1,2,2,2,2] f32[1,2,4,4,4] i64[1,2,2,2,2]",
    {
      "f32[1,1,2,2,2] f32[1,2,4,4,4] i64[1,1,2,2,2]": "tensor.size[1] == 2",
      "f32[1,2,2,2,2] f32[1,2,4,4,4] i64[1,2,2,2,1]": "tensor.size[4] == 2",
    },
  ],
  [
    "native_group_norm.default(%a, None, None, 2, 4, 1, 2, 1e-05)",
    3,
    "f32[2,4]",
    { "f32[3,4]": "Expected X.numel() == N * C * HxW to be true", "f32[1,4]": "Expected X.numel()" },
  ],
  [
    "native_group_norm_backward.default(%a, %b, %c, %d, %e, 2, 4, 1, 2, [true, true, true])",
    3,
    "f32[2,4] f32[2,4] f32[2,2] f32[2,2] f32[4]",
    {
      "f32[1,4] f32[2,4] f32[2,2] f32[2,2] f32[4]": "Expected dY.numel() == N * C * HxW",
      "f32[2,4] f32[2,4] f32[1,2] f32[2,2] f32[4]": "Expected mean.numel() == N * group",
      "f32[2,4] f32[2,4] f32[2,2] f32[2,1] f32[4]": "Expected rstd.numel() == N * group",
      "f32[2,4] f32[2,4] f32[2,2] f32[2,2] f32[5]": "gamma.numel() == C",
    },
  ],
  [
    "native_layer_norm_backward.default(%a, %b, [4], %c, %d, %e, %f, [true, true, true])",
    3,
    "f32[2,4] f32[2,4] f32[2,1] f32[2,1] f32[4] f32[4]",
    {
      "f32[2,4] f32[2,4] f32[2,1] f32[2,1] f32[5] f32[4]":
        "Expected weight to be of same shape as normalized_shape",
      "f32[1,4] f32[2,4] f32[2,1] f32[2,1] f32[4] f32[4]":
        "Expected grad_out to have as many elements as [2, 4]",
      "f32[2,4] f32[2,4] f32[1,1] f32[2,1] f32[4] f32[4]": "Expected mean to have as many elements as [2]",
    },
  ],
  [
    "_native_batch_norm_legit_no_training.default(%a, %b, %b, %c, %d, 0.1, 1e-05)",
    3,
    "f32[4,2] f32[1,2] f32[2] f32[2]",
    { "f32[4,2] f32[1,2] f32[3] f32[2]": "running_mean should contain 2 elements not 3" },
  ],
  [
    "embedding_dense_backward.default(%a, %b, 4, -1, false)",
    1,
    "f32[3,2] i64[3]",
    {
      "f32[3,2] i64[9]": "shape '[9, 2]' is invalid for input of size 6",
      "f32[9,2] i64[3]": "shape '[3, 2]' is invalid",
    },
  ],
  ...[2, 3].map((rank): Row => {
    const [two, three] = [Array(rank).fill(2).join(), Array(rank).fill(3).join()];
    return [
      `grid_sampler_${rank}d_backward.default(%a, %b, %c, 0, 0, false, [true, true])`,
      2,
      `f32[1,1,${two}] f32[1,1,${three}] f32[1,${two},${rank}]`,
      {
        [`f32[2,1,${two}] f32[1,1,${three}] f32[1,${two},${rank}]`]: "expected grad_output to have sizes",
        [`f32[1,1,${two}] f32[1,1,${three}] f32[2,${two},${rank}]`]:
          "expected grid and input to have same batch size",
        [`f32[1,2,${two}] f32[1,1,${three}] f32[1,${two},${rank}]`]: "expected grad_output to have sizes",
      },
    ];
  }),
  [
    "fake_quantize_per_channel_affine.default(%a, %b, %c, 0, 0, 255)",
    1,
    "f32[3,2] f32[3] i32[3]",
    {
      "f32[3,2] f32[2] i32[2]": "dimensions of scale and zero-point are not consistent",
      "f32[3,2] f32[2] i32[3]": "scale and zero-point need to have the same dimensions",
    },
  ],
  [
    "nll_loss_backward.default(%a, %b, %c, None, 0, -100, %d)",
    1,
    "f32[2] f32[2,3] i64[2] f32[]",
    {
      "f32[9] f32[2,3] i64[2] f32[]": "tensor.size[0] == 2",
      "f32[1] f32[2,3] i64[2] f32[]": "tensor.size[0] == 2",
    },
  ],
  [
    "nll_loss_backward.default(%a, %b, %c, None, 1, -100, %d)",
    1,
    "f32[1] f32[2,3] i64[2] f32[]",
    { "f32[9] f32[2,3] i64[2] f32[]": "Expected a single element grad_output tensor, but got: [9]" },
  ],
  [
    "nll_loss2d_backward.default(%a, %b, %c, None, 0, -100, %d)",
    1,
    "f32[2,2,2] f32[2,3,2,2] i64[2,2,2] f32[]",
    {
      "f32[2,2,1] f32[2,3,2,2] i64[2,2,2] f32[]":
        "size mismatch (got grad_output: [2, 2, 1] target: [2, 2, 2]",
    },
  ],
  ...["_softmax_backward_data", "_log_softmax_backward_data"].map(
    (name): Row => [
      `${name}.default(%a, %b, 0, float32)`,
      1,
      "f32[2,3] f32[2,3]",
      {
        "f32[2,3] f32[2,1]": "[2, 3] does not equal [2, 1]",
        "f32[2,3] f32[4,3]": "[2, 3] does not equal [4, 3]",
      },
    ],
  ),
  ...[1, 2, 3].flatMap((rank) =>
    ["reflection", "replication"].map((mode): Row => {
      const [four, six] = [Array(rank).fill(4).join(), Array(rank).fill(6).join()];
      return [
        `${mode}_pad${rank}d_backward.default(%a, %b, [${Array(2 * rank)
          .fill(1)
          .join(", ")}])`,
        1,
        `f32[1,2,${six}] f32[1,2,${four}]`,
        {
          [`f32[1,3,${six}] f32[1,2,${four}]`]: "channel unexpected. Expected: 2, Got: 3",
          [`f32[2,2,${six}] f32[1,2,${four}]`]: "tensor.size[0] == 1",
          [`f32[1,2,${six.slice(0, -1)}7] f32[1,2,${four}]`]: "width unexpected. Expected: 6, Got: 7",
        },
      ];
    }),
  ),
  [
    "cumprod_backward.default(%a, %b, 0, %c)",
    1,
    "f32[3] f32[3] f32[3]",
    {
      "f32[3] f32[9] f32[9]": "The size of tensor a (9) must match the size of tensor b (3)",
      "f32[3] f32[3] f32[9]": "must match the size",
    },
  ],
];

/**
 * PyTorch's rules decide these sizes when a program is made: they are the same symbols, or none.
 */
const areFixed = (call: string): boolean => /^(native_layer|nll|_native_batch)/.test(call);

const messageOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
  return "nothing was refused";
};

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(sampled(ROWS, 2))("%s", { timeout: 60_000 }, async (call, count, good, bad) => {
    const fitting = good.split(" ");
    using fixed = await session.compile(load(programOf(call, fitting, count)), backend);
    await fixed.run(fitting.map(zeros));
    for (const [text, reason] of Object.entries(bad)) {
      const types = text.split(" ");
      expect(await messageOf(() => load(programOf(call, types, count))), text).toContain(reason);
    }
  });
  test.each(sampled(ROWS, 2))(
    "%s without recorded values",
    { timeout: 60_000 },
    async (call, count, _, bad) => {
      for (const [text, reason] of Object.entries(bad)) {
        const types = text.split(" ");
        const program = session.parseIr(programOf(call, types, count));
        const run = async () => (await session.compile(program, backend)).run(types.map(zeros));
        expect(await messageOf(run), text).toContain(reason);
      }
    },
  );
  const ofSymbolicSizes = async (read: typeof load, row: (typeof ROWS)[number]): Promise<void> => {
    const [call, count, good, bad] = row;
    const types = good.split(" ");
    const program = read(programOf(call, areFixed(call) ? types : symbolic(types), count));
    using executable = await session.compile(program, backend);
    await executable.run(types.map(zeros));
    if (areFixed(call)) return;
    for (const [text, reason] of Object.entries(bad))
      expect(await messageOf(() => executable.run(text.split(" ").map(zeros))), text).toContain(reason);
  };
  test.each(sampled(ROWS, 2))("%s of symbolic sizes", { timeout: 60_000 }, (...row) =>
    ofSymbolicSizes(load, row),
  );
  test.each(sampled(ROWS, 2))("%s of symbolic sizes without recorded values", { timeout: 60_000 }, (...row) =>
    ofSymbolicSizes((text) => session.parseIr(text), row),
  );
});
