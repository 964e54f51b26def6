import {
  type ArgumentSpec,
  dictSpec,
  ExportedProgram,
  FakeTensor,
  type InputSpec,
  LEAF,
  type MetaValue,
  type ModuleCallEntry,
  type Node,
  tupleSpec,
} from "@sconce/ir";
import type { Region } from "./outline.js";

/**
 * A region as a program of its own: parameters, buffers and constants stay what they are in the program that it was
 * taken from, other values that it reads are user inputs, all results user outputs.
 */
export function regionProgram(program: ExportedProgram, { graph, inputs, outputs }: Region): ExportedProgram {
  const lifted = new Map(
    program.graphSignature.inputSpecs
      .filter(({ kind }) => kind !== "USER_INPUT" && kind !== "TOKEN")
      .map((spec) => [spec.arg.name, spec]),
  );
  const inputSpecs = inputs.map(
    (name): InputSpec =>
      lifted.get(name) ?? {
        kind: "USER_INPUT",
        arg: specOf(graph.node(name)),
        target: null,
        persistent: null,
      },
  );
  const targets = new Set(inputSpecs.map(({ target }) => target));
  const held = <T>(all: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...all].filter(([target]) => targets.has(target)));
  const user = inputSpecs.filter(({ kind }) => kind === "USER_INPUT").map(({ arg }) => arg);
  const results = outputs.map((name) => specOf(graph.node(name)));
  return new ExportedProgram({
    ...program,
    graph,
    graphSignature: {
      inputSpecs,
      outputSpecs: results.map((arg) => ({ kind: "USER_OUTPUT", arg, target: null })),
    },
    stateDict: held(program.stateDict),
    parameterNames: new Set([...program.parameterNames].filter((target) => targets.has(target))),
    constants: held(program.constants),
    moduleCallGraph: [rootCall(user, results)],
    guardsCode: [],
    exampleInputs: null,
    history: [],
  });
}

/** Takes flat positional arguments and gives a tuple. */
const rootCall = (inputs: readonly ArgumentSpec[], outputs: readonly ArgumentSpec[]): ModuleCallEntry => ({
  fqn: "",
  signature: {
    inputs,
    outputs,
    inSpec: tupleSpec([tupleSpec(inputs.map(() => LEAF)), dictSpec([])]),
    outSpec: tupleSpec(outputs.map(() => LEAF)),
    forwardArgNames: inputs.map(({ name }) => name),
  },
});

const KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

function specOf({ name, meta }: Node): ArgumentSpec {
  const val = meta.val as Exclude<MetaValue, readonly MetaValue[]> | undefined;
  if (val === null || val === undefined || val instanceof FakeTensor) return { kind: "tensor", name };
  return { kind: val.kind in KINDS ? KINDS[val.kind as keyof typeof KINDS] : "tensor", name };
}
