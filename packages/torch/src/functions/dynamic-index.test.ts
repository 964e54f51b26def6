import { Dim, exportProgram } from "@sconce/capture";
import { nodeText } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { slice } from "./indexing.js";
import { torch } from "./torch.js";

const x = Tensor.empty([6, 4], "float32");

/** The calls of a function of a tensor whose first size is dynamic, as PyTorch prints them. */
function calls(run: (x: Tensor) => unknown): string[] {
  const program = exportProgram(run as never, [x], { dynamicShapes: { x: { 0: Dim("n", { min: 3 }) } } });
  return [...program.graph.nodes()]
    .filter(({ op }) => op === "call_function")
    .map((node) => nodeText(node, 0).replace(/^.*target=(?:torch\.ops\.)?([^\]]+)\]/, "$1"));
}

const SIZE = "aten.sym_size.int(args = (%x, 0), kwargs = {})";

describe("indexing with dynamic sizes, as PyTorch 2.14 exports it", () => {
  it("leaves out the ends of a slice that are not given beside a dynamic one", () => {
    expect(calls((x) => x.at(slice(null, x.size(0))))).toEqual([
      SIZE,
      "aten.slice.Tensor(args = (%x, 0, None, %sym_size_int_1), kwargs = {})",
    ]);
  });

  it("keeps a slice of all of a dynamic dimension", () => {
    expect(calls((x) => x.at(":", null))).toEqual([
      "aten.slice.Tensor(args = (%x, 0, 0, 9223372036854775807), kwargs = {})",
      "aten.unsqueeze.default(args = (%slice_1, 1), kwargs = {})",
    ]);
  });

  it("records nothing for a contiguous tensor, and compares no sizes in the graph", () => {
    expect(calls((x) => x.contiguous())).toEqual([]);
    expect(calls((x) => x.T.contiguous())).toEqual([
      "aten.numpy_T.default(args = (%x,), kwargs = {})",
      "aten.contiguous.default(args = (%numpy_t,), kwargs = {})",
    ]);
  });

  it("takes dynamic sizes where functions take sizes", () => {
    expect(calls((x) => torch.arange(x.size(0)))).toEqual([
      SIZE,
      "aten.arange.default(args = (%sym_size_int_1,), kwargs = {device: cpu, pin_memory: False})",
    ]);
  });
});
