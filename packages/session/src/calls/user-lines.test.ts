/** @file Errors that name a node point at the user's line of it. */
import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ArgumentSpec,
  type Backend,
  ExportedProgram,
  edit,
  isRef,
  itemsOf,
  requireValues,
} from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { definePass, defineRule, type Rule } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { createSconce } from "../create-sconce.js";

const frame = (file: string, line: number, code: string): string =>
  `  File "${file}", line ${line}, in forward\n    ${code}\n`;
const trace = (line: number): string =>
  JSON.stringify({
    stackTrace: `${frame("model.py", line, "x.relu()")}${frame("/env/site-packages/torch/nn/functional.py", 1, "f(x)")}`,
  });

/** Node `r` is of line 7, node `a` of line 8. */
const metadata = `metadata {\n #0 ${trace(7)}\n #1 ${trace(8)}\n}`;

function programOf(text: string, dialect = "ATEN"): ExportedProgram {
  const graph = parseGraph(`${text}\n${metadata}`, { unknownTargets: "allow" });
  const tensor = (name: string): ArgumentSpec => ({ kind: "tensor", name });
  return new ExportedProgram({
    graph,
    graphSignature: {
      inputSpecs: graph.placeholders().map(({ name }) => ({
        kind: name.startsWith("p_") ? "PARAMETER" : "USER_INPUT",
        arg: tensor(name),
        target: name.startsWith("p_") ? name : null,
        persistent: null,
      })),
      outputSpecs: itemsOf(graph.outputArgument())!.map((value) => ({
        kind: "USER_OUTPUT",
        target: null,
        arg: isRef(value) ? tensor(value.name) : { kind: "constant", name: "", value },
      })),
    },
    stateDict: new Map(
      !text.includes("%p_w") ? [] : [["p_w", Tensor.withoutValues({ dtype: "float32", shape: [2] })]],
    ),
    parameterNames: new Set(text.includes("%p_w") ? ["p_w"] : []),
    constants: new Map(),
    rangeConstraints: new Map(),
    moduleCallGraph: [],
    dialect,
  });
}

const RELU = `graph(%x: f32[2]) {
  %r: f32[2] = aten.relu.default(%x) #0
  %a: f32[2] = aten.abs.default(%r) #1
  return (%a)
}`;
const WRITES = RELU.replace("relu.default", "relu_.default");
const HIDDEN = RELU.replace("aten.relu", "mylib.relu");

async function whereOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (isSconceError(error)) return `${error.code} ${error.where}`;
    throw error;
  }
  throw new Error("nothing was refused");
}

const backend = (outputs: unknown, supports: unknown = true): Backend =>
  ({
    name: "mine",
    supports: () => supports,
    compile: async () => ({ run: async () => outputs, state: new Map(), dispose: () => undefined }),
  }) as unknown as Backend;

const onBackend = async (mine: Backend): Promise<unknown> => {
  const executable = await createSconce({ backends: [mine] }).compile(programOf(RELU), "mine");
  return executable.run([Tensor.from([1, 2], [2], "float32")]);
};
const wide = Tensor.empty([3], "float32");

const rule = (name: string, match: string, replace: string): Rule =>
  defineRule({ name, doc: "-", match, replace });
const there = rule("there", "aten.relu.default($x)", "aten.clamp_min.default($x, 0)");
const back = rule("back", "aten.clamp_min.default($x, 0)", "aten.relu.default($x)");

/** Writes one more `relu` into the program each time. */
const restless = definePass({
  name: "restless",
  doc: "-",
  run: (program) =>
    program.with({
      graph: edit(program.graph, (editor) => {
        const value = [{ kind: "node", name: "r" }] as readonly Argument[];
        const { meta } = program.graph.node("r");
        editor.insertBefore("a", {
          op: "call_function",
          target: "aten.relu.default",
          args: value,
          kwargs: {},
          meta,
        });
        editor.replaceNode("r", { target: "aten.abs.default" });
      }),
    }),
});

const { transform, runDecompositions, verify } = ((session) => ({
  transform: session.transform.bind(session),
  runDecompositions: session.runDecompositions.bind(session),
  verify: session.verify.bind(session),
}))(createSconce({ plugins: [{ name: "p", rules: [there, back], passes: [restless] }] }));

const returned = (output: string): ExportedProgram =>
  programOf(RELU.replace("return (%a)", `return ${output}`));

test.each<[code: string, what: string, line: number, run: () => unknown]>([
  ["BACKEND_OUTPUT", "a wrong output", 8, () => onBackend(backend([wide]))],
  ["BACKEND_OUTPUT", "a missing output", 8, () => onBackend(backend([]))],
  ["PLUGIN_FAILED", "an invalid answer of supports", 7, () => onBackend(backend([], 3))],
  ["UNSUPPORTED_NODES", "unsupported nodes", 7, () => onBackend(backend([], { reason: "no" }))],
  ["OPAQUE_OPERATORS", "an unknown operator", 7, () => createSconce().compile(programOf(HIDDEN))],
  ["PASS_FAILED", "check-functional", 7, () => transform(programOf(WRITES, "TRAINING"), "check-functional")],
  [
    "PASS_FAILED",
    "rules that undo each other",
    7,
    () => transform(programOf(RELU), "rewrite{rules=[there,back]}"),
  ],
  ["NO_FIXPOINT", "passes that do not converge", 7, () => transform(programOf(RELU), "repeat(restless)")],
  ["DECOMPOSITION_RESULT", "a table entry with a wrong result", 7, () => lowered(() => null)],
  ["DECOMPOSITION_FAILED", "a table entry that throws", 7, () => lowered(() => JSON.parse("{"))],
  [
    "UNKNOWN_OPERATOR",
    "a table entry that calls an unknown operator",
    7,
    () => lowered((emit) => emit("aten.rel.default", [])),
  ],
  [
    "OPAQUE_EFFECTS",
    "an opaque call that writes",
    7,
    () => runDecompositions(programOf(RELU.replace("aten.relu", "mylib.relu_"), "TRAINING")),
  ],
  [
    "NO_VALUES",
    "weights without values",
    7,
    () => requireValues(programOf(RELU.replace("%x:", "%p_w: f32[2], %x:").replace("(%x)", "(%p_w)"))),
  ],
])("%s: %s", async (code, _, line, run) => {
  expect(await whereOf(run)).toMatch(new RegExp(`^${code} .*model\\.py:${line}\\b`));
});

function lowered(entry: (emit: (target: string, args: readonly Argument[]) => unknown) => unknown): unknown {
  return runDecompositions(programOf(RELU), { "aten.relu.default": entry as never });
}

test.each<[code: string, line: string, program: ExportedProgram]>([
  [
    "OUTPUT_COUNT",
    "model.py:8",
    programOf(RELU).with({ graphSignature: { ...programOf(RELU).graphSignature, outputSpecs: [] } }),
  ],
  ["OUTPUT_ARGUMENTS", "model.py:8", returned("([%a])")],
  ["CALL_VALUE", "model.py:7", programOf(RELU.replace("%r: f32[2]", "%r: f32[3]"))],
])("the verifier reports %s at %s", (code, line, program) => {
  expect(verify(program).map((problem) => [problem.code, problem.line])).toContainEqual([code, line]);
});
