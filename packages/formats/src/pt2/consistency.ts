/** @file Checks between the parts of a file that no single part can make. */
import {
  FakeTensor,
  type InputSpec,
  isRef,
  itemsOf,
  leafCount,
  type NodeMeta,
  type TreeSpec,
  userInputs,
  userOutputs,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { pt2Error } from "../errors.js";
import type { ProgramDescription } from "./program.js";
import type { Payload } from "./weights.js";

/**
 * Checks that signature, graph, weights and constants agree; `file` has the signature.
 * @throws SconceError `PT2_SIGNATURE`, `PT2_WEIGHT`
 */
export function checkState(
  file: string,
  description: ProgramDescription,
  weights: Payload,
  constants: Payload,
): void {
  const { graph, graphSignature } = description;
  const placeholders = graph.nodes().filter((node) => node.op === "placeholder");
  const { inputSpecs, outputSpecs } = graphSignature;
  if (placeholders.length !== inputSpecs.length) {
    throw pt2Error(
      "PT2_SIGNATURE",
      `the graph has ${placeholders.length} inputs, its signature ${inputSpecs.length}`,
      `${file} graph_module.signature.input_specs`,
    );
  }
  const result = graph.outputArgument();
  const outputs =
    typeof result === "object" && result !== null && "kind" in result && result.kind === "tuple"
      ? result.items.length
      : 1;
  if (outputs !== outputSpecs.length) {
    throw pt2Error(
      "PT2_SIGNATURE",
      `the graph has ${outputs} outputs, its signature ${outputSpecs.length}`,
      `${file} graph_module.signature.output_specs`,
    );
  }
  const results = itemsOf(result) ?? [result];
  outputSpecs.forEach((spec, i) => {
    const value = results[i]!;
    const name = isRef(value) ? value.name : "";
    if (spec.arg.kind !== "constant" && spec.arg.name !== name) {
      throw pt2Error(
        "PT2_SIGNATURE",
        `the signature names output ${i} "${spec.arg.name}", the graph ${name === "" ? "gives a constant there" : `"${name}"`}`,
        `${file} graph_module.signature.output_specs[${i}]`,
      );
    }
  });
  inputSpecs.forEach((spec, i) => {
    const placeholder = placeholders[i]!;
    const where = `${file} graph_module.signature.input_specs[${i}]`;
    if (spec.arg.name !== "" && spec.arg.name !== placeholder.name) {
      throw pt2Error(
        "PT2_SIGNATURE",
        `the signature names input ${i} "${spec.arg.name}", the graph "${placeholder.name}"`,
        where,
      );
    }
    checkTarget(spec, placeholder.meta, weights, constants, where);
  });
  checkTrees(file, description);
}

/** The trees of the calling convention have one leaf for each input and output of the user. */
function checkTrees(file: string, { graphSignature, moduleCallGraph }: ProgramDescription): void {
  const at = moduleCallGraph.findIndex(({ fqn }) => fqn === "");
  const call = moduleCallGraph[at]?.signature;
  if (call === undefined || call === null) return;
  const check = (field: string, spec: TreeSpec, what: string, expected: number): void => {
    const leaves = leafCount(spec);
    if (leaves === expected) return;
    throw pt2Error(
      "PT2_SIGNATURE",
      `the program has ${expected} ${what} of the user, the tree of its calls has ${leaves}`,
      `${file} graph_module.module_call_graph[${at}].signature.${field}`,
    );
  };
  check("in_spec", call.inSpec, "inputs", userInputs(graphSignature).length);
  check("out_spec", call.outSpec, "outputs", userOutputs(graphSignature).length);
}

function checkTarget(
  spec: InputSpec,
  meta: NodeMeta,
  weights: Payload,
  constants: Payload,
  where: string,
): void {
  const { kind, target } = spec;
  if (target === null || (kind !== "PARAMETER" && kind !== "BUFFER" && kind !== "CONSTANT_TENSOR")) return;
  const inState = kind === "PARAMETER" || (kind === "BUFFER" && spec.persistent === true);
  const tensor = (inState ? weights : constants).tensors.get(target);
  const what = kind.toLowerCase().replace("_", " ");
  if (tensor === undefined) {
    throw pt2Error(
      "PT2_WEIGHT",
      `the ${what} "${target}" is not among the ${inState ? "weights" : "constants"}`,
      where,
    );
  }
  if (kind === "PARAMETER" && !weights.parameterNames.has(target)) {
    throw pt2Error("PT2_WEIGHT", `"${target}" is stored as a buffer, not as a parameter`, where);
  }
  if (meta.val instanceof FakeTensor && !fits(tensor, meta.val)) {
    throw pt2Error(
      "PT2_WEIGHT",
      `the ${what} "${target}" is ${tensor.dtype}[${tensor.shape.join(", ")}], which the graph's input is not`,
      where,
    );
  }
}

const fits = (tensor: Tensor, meta: FakeTensor): boolean =>
  tensor.dtype === meta.dtype &&
  tensor.ndim === meta.ndim &&
  meta.shape.every((size, d) => typeof size !== "number" || size === tensor.shape[d]);
