/** @file Programs with a history, for tests. */
import { Tensor } from "@sconce/tensor";
import { edit } from "../graph/edit.js";
import { parseIr } from "../ir-text/parse-program.js";
import type { ExportedProgram } from "../program/program.js";
import type { NodeMeta } from "../values/meta.js";
import { recordPass } from "./versions.js";

const TEXT = `program "TRAINING" {
  range "s77" [2, 64]
  parameter "w": f32[2]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}
graph(%p_w: f32[2], %x: f32[2]) {
  %body = get_attr body
  %a: f32[2] = aten.neg.default(%x) #0
  %b: f32[2] = aten.mul.Tensor(%a, %p_w) #1
  return (%b)

  graph body(%y: f32[2]) {
    %r: f32[2] = aten.relu.default(%y)
    return (%r)
  }
}
metadata {
  #0 {"stackTrace":"File \\"model.py\\", line 3, in forward\\n    y = -x"}
  #1 {"stackTrace":"File \\"model.py\\", line 4, in forward\\n    return y * self.w"}
}`;

export const weights = (): ReadonlyMap<string, Tensor> =>
  new Map([["w", Tensor.from([1, 2], [2], "float32")]]);

/** Returns a program as it comes. */
export const firstVersion = (tensors = weights()): ExportedProgram => parseIr(TEXT, { tensors });

/** Returns a step that changes a node, in the nested graph too. */
export function retarget(program: ExportedProgram, target: string, pass = "retarget"): ExportedProgram {
  const body = edit(program.graph.subgraphs.get("body")!, (e) => e.replaceNode("r", { target }));
  const graph = edit(program.graph, (e) => {
    e.replaceNode("a", { target });
    e.setSubgraph("body", body);
  });
  return recordPass(pass, program, program.with({ graph }), `${pass}{to=${target}}`);
}

/**
 * Returns a step that changes everything else: names of outputs, dialect, ranges, weights and
 * constants.
 */
export function fold(program: ExportedProgram): ExportedProgram {
  const node = program.graph.node("b");
  const meta: NodeMeta = { ...node.meta, origin: { pass: "fold", rule: "halve", from: ["b", "p_w"] } };
  const graph = edit(program.graph, (e) => {
    e.insertBefore("a", { ...program.graph.node("p_w"), name: "c_k", target: "c_k" });
    e.insertAfter("b", { ...node, name: "half", target: "aten.div.Tensor", meta });
    e.replaceAllUses("b", { kind: "node", name: "half" }, ["half"]);
  });
  const constant = Tensor.from([0.5, 1], [2], "float32");
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const after = program.with({
    graph,
    graphSignature: {
      inputSpecs: [
        inputSpecs[0]!,
        { kind: "CONSTANT_TENSOR", arg: { kind: "tensor", name: "c_k" }, target: "k", persistent: null },
        inputSpecs[1]!,
      ],
      outputSpecs: [{ ...outputSpecs[0]!, arg: { kind: "tensor", name: "half" } }],
    },
    stateDict: new Map([["w", Tensor.from([3, 4], [2], "float32")]]),
    constants: new Map([["k", constant]]),
    rangeConstraints: new Map([["s77", { min: 2, max: 32 }]]),
    dialect: "ATEN",
  });
  return recordPass("fold", program, after);
}
