/**
 * @file Calls in place, and with outputs, that read memory which they write to: PyTorch 2.14
 * refuses those of the first lists and runs those of the second.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];

/** Views `%w` and `%o` of `%x`, of 24 elements. */
const VIEWS = {
  shifted: ["slice.Tensor(%x, 0, 1, 4)", "slice.Tensor(%x, 0, 2, 5)"],
  same: ["slice.Tensor(%x, 0, 1, 4)", "slice.Tensor(%x, 0, 1, 4)"],
  adjacent: ["slice.Tensor(%x, 0, 1, 4)", "slice.Tensor(%x, 0, 4, 7)"],
  steps: ["slice.Tensor(%x, 0, 0, 6, 2)", "slice.Tensor(%x, 0, 2, 8, 2)"],
  element: ["slice.Tensor(%x, 0, 1, 4)", "select.int(%x, 0, 2)"],
  other: ["slice.Tensor(%x, 0, 1, 4)", "select.int(%x, 0, 5)"],
  one: ["slice.Tensor(%x, 0, 1, 4)", "slice.Tensor(%x, 0, 2, 3)"],
  transposed: ["view.default(%x, [4, 6])", "as_strided.default(%x, [4, 6], [1, 4])"],
  gaps: ["as_strided.default(%x, [4, 5], [6, 1], 1)", "as_strided.default(%x, [4, 5], [6, 1])"],
  rows: ["as_strided.default(%x, [3, 6], [6, 1], 6)", "as_strided.default(%x, [3, 6], [6, 1])"],
  expanded: ["slice.Tensor(%x, 0, 1, 4)", "as_strided.default(%x, [3], [0], 2)"],
  strideOfOne: ["as_strided.default(%x, [1, 4, 6], [7, 6, 1])", "view.default(%x, [1, 4, 6])"],
  flipped: ["slice.Tensor(%x, 0, 1, 4)", "flip.default(%w, [0])"],
  empty: ["slice.Tensor(%x, 0, 1, 1)", "slice.Tensor(%x, 0, 1, 1)"],
} as const;
type Views = keyof typeof VIEWS;

const places = "%i = aten.arange.default(3)";
const POINTWISE = [
  "add_.Tensor(%w, %o)",
  "mul_.Tensor(%w, %o)",
  "copy_.default(%w, %o)",
  "div_.Tensor(%w, %o)",
  "pow_.Tensor(%w, %o)",
  "atan2_.default(%w, %o)",
  "lerp_.Scalar(%w, %o, 0.5)",
  "lerp_.Tensor(%w, %w, %o)",
  "addcmul_.default(%w, %w, %o)",
  "clamp_min_.Tensor(%w, %o)",
  "lt_.Tensor(%w, %o)",
  "fmod_.Tensor(%w, %o)",
  "logical_and_.default(%w, %o)",
];
/** Their kernels read elements again that they have written. */
const INDEXED = [
  "index_put_.default(%w, [%i], %o)",
  "index_copy_.default(%w, 0, %i, %o)",
  "index_add_.default(%w, 0, %i, %o)",
  'index_reduce_.default(%w, 0, %i, %o, "prod")',
  "scatter_.src(%w, 0, %i, %o)",
  "scatter_add_.default(%w, 0, %i, %o)",
  'scatter_reduce_.two(%w, 0, %i, %o, "amax")',
  "put_.default(%w, %i, %o)",
];
const OUTPUTS = [
  "add.out(%w, %o, out=%w)",
  "neg.out(%o, out=%w)",
  "cumsum.out(%o, 0, out=%w)",
  "where.self_out(%m, %w, %o, out=%w)",
];
/** Their kernels read elements again that they have written. */
const GATHERED = [
  "index_select.out(%o, 0, %i, out=%w)",
  "cat.out([%o], out=%w)",
  "gather.out(%o, 0, %i, out=%w)",
];
/** They compute a result and copy it. */
const COPIED = ["add.Scalar_out(%o, 2, out=%w)", "rsub.Tensor_out(%w, %o, out=%w)", "clone.out(%o, out=%w)"];
/** Their output is an operand of other sizes. */
const RESIZED = [
  "add.out(%b, %w, out=%b)",
  "maximum.out(%w, %b, out=%b)",
  "lt.Tensor_out(%w, %b, out=%b)",
  "clamp.Tensor_out(%b, %w, none, out=%b)",
];
const all = (calls: readonly string[], ...views: readonly Views[]): [Views, string][] =>
  views.flatMap((view) => calls.map((call): [Views, string] => [view, call]));

const REFUSED = [
  ...all(POINTWISE, "shifted"),
  ...all(POINTWISE.slice(0, 3), "element", "one", "transposed", "rows", "strideOfOne"),
  ...all(INDEXED, "shifted", "same"),
  ...all(OUTPUTS, "shifted"),
  ...all(GATHERED, "shifted", "same"),
];
const RUN = [
  ...all(POINTWISE, "same", "adjacent"),
  ...all(POINTWISE.slice(0, 3), "other", "expanded", "flipped", "empty"),
  ...all(INDEXED, "adjacent", "flipped"),
  ...all(["masked_fill_.Tensor(%w, %m, %e)", "fill_.Tensor(%w, %e)"], "shifted"),
  ...all(["ldexp_.default(%w, %o)"], "shifted"),
  ...all(OUTPUTS, "same", "adjacent", "flipped"),
  ...all(GATHERED, "adjacent", "flipped"),
  ...all(COPIED, "shifted", "same", "adjacent"),
];
/** PyTorch does not detect them, and gives numbers that depend on its vectors. */
const UNKNOWN = all(POINTWISE.slice(0, 3), "steps", "gaps");

const programOf = (view: Views, call: string): string => `sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[24]) {
  %w = aten.${VIEWS[view][0]}
  %o = aten.${VIEWS[view][1]}
  ${places}
  %e = aten.select.int(%x, 0, 1)
  %m = aten.gt.Scalar(%w, 2)
  %b = aten.mul.Tensor(%e, 1)
  %r = aten.${call}
  %y = aten.mul.Tensor(%x, 1)
  return (%y)
}`;

async function run(text: string, backend: string, length = 24): Promise<unknown> {
  using executable = await session.compile(session.parseIr(text), backend);
  const x = Tensor.from(
    Array.from({ length }, (_, i) => (i % 5) + 1),
    [length],
    "float32",
  );
  const [result] = await executable.run([x]);
  return [(result as Tensor).toArray(), x.toArray()];
}

const MESSAGE = /some elements of the input tensor and the written-to tensor refer to a single memory/;

describe.each(BACKENDS)("on %s", (backend) => {
  test.each(sampled(REFUSED, 3))("%s: %s is refused", async (view, call) => {
    await expect(run(programOf(view, call), backend)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(MESSAGE),
      where: expect.stringContaining("r"),
    });
  });

  test.each(sampled([...RUN, ...UNKNOWN], 3))("%s: %s runs", async (view, call) => {
    const program = programOf(view, call);
    expect(await run(program, backend)).toEqual(await run(program, "cpu"));
  });

  test.each(RESIZED)("%s is not resized", async (call) => {
    await expect(run(programOf("shifted", call), backend)).rejects.toMatchObject({
      code: "SHAPE_MISMATCH",
      message: expect.stringContaining("output with shape [] doesn't match the broadcast shape [3]"),
    });
  });

  test("sizes of the run decide", async () => {
    const text = `sconce-ir 1
program "TRAINING" {
  range "s0" [4, 100]
  hint "s0" 24
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[s0]) {
  %w: f32[3] = aten.slice.Tensor(%x, 0, 0, 3)
  %o: f32[3]@(s0 - 3) = aten.slice.Tensor(%x, 0, -3, 9223372036854775807)
  %r: f32[3] = aten.add_.Tensor(%w, %o)
  %y: f32[s0] = aten.mul.Tensor(%x, 1)
  return (%y)
}`;
    await expect(run(text, backend, 5)).rejects.toThrow(MESSAGE);
    expect(await run(text, backend, 6)).toEqual(await run(text, "cpu", 6));
    await expect(run(text, backend, 4)).rejects.toThrow(MESSAGE);
  });
});
