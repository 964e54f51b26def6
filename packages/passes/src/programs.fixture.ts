/** @file What tests of passes share. Not exported. */
import { createRunner, evaluate } from "@sconce/backend-cpu";
import {
  type ArgumentSpec,
  ExportedProgram,
  type Graph,
  GraphBuilder,
  type InputSpec,
  isRef,
  itemsOf,
  type Node,
  type TargetOptions,
} from "@sconce/ir";
import { parseGraph, printIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { contiguousStrides, Storage, Tensor } from "@sconce/tensor";
import type { PassOptions } from "./options/spec.js";
import type { Evaluator, Pass, PassContext } from "./pass/pass.js";
import { passCall } from "./pass/pass.js";

export const context: PassContext = {
  operators: defaultOperators(),
  evaluate: evaluate as Evaluator,
  run: createRunner(),
};

/** Values 0.5, 1.5, 2.5, ... */
export function ramp(shape: readonly number[]): Tensor {
  const count = shape.reduce((a, b) => a * b, 1);
  const data = Float32Array.from({ length: count }, (_, i) => i + 0.5);
  return new Tensor({
    dtype: "float32",
    shape,
    strides: contiguousStrides(shape),
    storage: new Storage(new Uint8Array(data.buffer)),
  });
}

/** Returns the spec of a node, by the kind of its recorded value. */
function specOf(graph: Graph, name: string): ArgumentSpec {
  const val = graph.find(name)?.meta.val;
  if (val === undefined || val === null || !("kind" in val)) return { kind: "tensor", name };
  switch (val.kind) {
    case "SymInt":
      return { kind: "symint", name };
    case "SymFloat":
      return { kind: "symfloat", name };
    case "SymBool":
      return { kind: "symbool", name };
    default:
      return { kind: "tensor", name };
  }
}

const KINDS: Readonly<Record<string, InputSpec["kind"]>> = {
  p: "PARAMETER",
  b: "BUFFER",
  c: "CONSTANT_TENSOR",
};

/**
 * Returns a program around a graph; placeholders `p_*`, `b_*` and `c_*` of shape [2, 2] are
 * parameters, buffers and constants.
 */
export function programOf(
  text: string,
  dialect = "ATEN",
  unknownTargets: TargetOptions["unknownTargets"] = "refuse",
): ExportedProgram {
  const graph = parseGraph(text, { operators: context.operators, unknownTargets });
  const inputSpecs = graph.placeholders().map(({ name }): InputSpec => {
    const kind = KINDS[/^([pbc])_/.exec(name)?.[1] ?? ""] ?? "USER_INPUT";
    return {
      kind,
      arg: specOf(graph, name),
      target: kind === "USER_INPUT" ? null : name.slice(2),
      persistent: kind === "BUFFER" ? true : null,
    };
  });
  const tensors = new Map(
    inputSpecs.filter((spec) => spec.target !== null).map((spec) => [spec.target!, ramp([2, 2])]),
  );
  const isConstant = (target: string): boolean =>
    inputSpecs.some((spec) => spec.target === target && spec.kind === "CONSTANT_TENSOR");
  const outputs = itemsOf(graph.outputArgument()) ?? [];
  return new ExportedProgram({
    graph,
    graphSignature: {
      inputSpecs,
      outputSpecs: outputs.map((value) => ({
        kind: "USER_OUTPUT",
        target: null,
        arg: isRef(value) ? specOf(graph, value.name) : { kind: "constant", name: "", value },
      })),
    },
    stateDict: new Map([...tensors].filter(([target]) => !isConstant(target))),
    parameterNames: new Set(
      inputSpecs.filter((spec) => spec.kind === "PARAMETER").map((spec) => spec.target!),
    ),
    constants: new Map([...tensors].filter(([target]) => isConstant(target))),
    rangeConstraints: new Map(),
    moduleCallGraph: [],
    dialect,
  });
}

export const run = (pass: Pass, program: ExportedProgram, options: PassOptions = {}): ExportedProgram =>
  pass.run(program, context, passCall(pass, options).options);

export const textOf = (program: ExportedProgram | Graph): string =>
  printIr(program instanceof ExportedProgram ? program.graph : program).trim();

/** Returns a graph of these nodes, made anew and unchecked. */
export function graphOf(nodes: readonly Node[], subgraphs: ReadonlyMap<string, Graph> = new Map()): Graph {
  return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes, subgraphs).build();
}
