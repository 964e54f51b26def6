import { expect, test } from "vitest";
import { edit } from "../graph/edit.js";
import { parseIr } from "../ir-text/parse-program.js";
import { printIr, tensorsOf } from "../ir-text/print-program.js";
import { firstVersion, fold, retarget } from "./history.fixture.js";
import { provenance } from "./provenance.js";
import { recordPass } from "./versions.js";

const last = fold(retarget(firstVersion(), "aten.abs.default"));

test("a node leads back through passes and rules to the nodes and lines that it came from", () => {
  expect(provenance(last, "half")).toEqual({
    node: "half",
    steps: [
      {
        step: 1,
        pass: "fold",
        rule: "halve",
        node: "half",
        target: "aten.div.Tensor",
        kind: "made",
        from: ["b", "p_w"],
      },
    ],
    sources: [
      { node: "b", target: "aten.mul.Tensor", line: "File: model.py:4 in forward, code: return y * self.w" },
      { node: "p_w", target: "p_w", line: undefined },
    ],
  });
});

test("a node that was changed in its place says so", () => {
  const { steps, sources } = provenance(last, "a");
  expect(steps).toEqual([
    {
      step: 0,
      pass: "retarget",
      rule: undefined,
      node: "a",
      target: "aten.abs.default",
      kind: "changed",
      from: ["a"],
    },
  ]);
  expect(sources).toEqual([
    { node: "a", target: "aten.neg.default", line: "File: model.py:3 in forward, code: y = -x" },
  ]);
});

test("nodes of nested graphs have their graph in front", () => {
  expect(provenance(last, "body.r")).toMatchObject({
    steps: [{ step: 0, kind: "changed", node: "body.r" }],
    sources: [{ node: "body.r", target: "aten.relu.default" }],
  });
});

test("a node of which its pass says nothing ends there", () => {
  const graph = edit(last.graph, (e) =>
    e.insertAfter("half", { ...last.graph.node("a"), name: "new", meta: {} }),
  );
  const after = recordPass("silent", last, last.with({ graph }));
  expect(provenance(after, "new")).toMatchObject({
    steps: [{ step: 2, pass: "silent", kind: "made", from: [] }],
    sources: [{ node: "new" }],
  });
});

test("without a history, the node's own origin is reported", () => {
  const read = parseIr(printIr(last), { tensors: tensorsOf(last) });
  expect(provenance(read, "half")).toMatchObject({
    steps: [{ step: undefined, pass: "fold", rule: "halve", from: ["b", "p_w"] }],
    sources: [{ node: "half", line: "File: model.py:4 in forward, code: return y * self.w" }],
  });
});

test("the reported frame is the user's, where there is one", () => {
  const stackTrace =
    'File "/home/me/model.py", line 9, in forward\n    x = self.l(x)\n' +
    'File "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", line 134, in forward\n    return F.linear(x)';
  const graph = edit(last.graph, (e) => e.setMeta("a", { ...last.graph.node("a").meta, stackTrace }));
  const { sources } = provenance(last.with({ graph }), "a");
  expect(sources[0]!.line).toBe("File: /home/me/model.py:9 in forward, code: x = self.l(x)");
});

test("a name that is not there is refused", () => {
  expect(() => provenance(last, "nope")).toThrow(expect.objectContaining({ code: "NODE_NOT_FOUND" }));
});
