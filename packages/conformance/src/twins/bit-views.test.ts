import { exportProgram, torch } from "@sconce/capture";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

/**
 * Views of the bits of a tensor that was written to, with the nodes that PyTorch lowers them to.
 */
const MODELS: readonly (readonly [string, (y: Tensor) => unknown, readonly string[]])[] = [
  ["returned", (y) => y.view("int32"), ["clone", "add", "view_2", "alias_2", "alias_3"]],
  ["returned beside it", (y) => [y.view("int32"), y], ["clone", "add", "view_2", "alias_2", "alias_3"]],
  ["read", (y) => y.view("int32").add(1), ["clone", "add", "view_2", "alias_2", "add_1"]],
  ["viewed", (y) => y.view("int32").view(3, 1), ["clone", "add", "view_4", "alias_3", "alias_4", "view_5"]],
];

test.each(MODELS)("a view of bits that is %s has PyTorch's aliases", (_, view, wanted) => {
  const model = (x: Tensor): unknown => {
    const y = x.clone();
    y.add_(1);
    return view(y);
  };
  const lowered = runDecompositions(exportProgram(model as never, [torch.ones(3)], { checkSource: false }));
  const calls = lowered.graph.nodes().filter(({ op }) => op === "call_function");
  expect(calls.map(({ name }) => name)).toEqual(wanted);
});
