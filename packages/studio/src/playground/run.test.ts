import { readFile } from "node:fs/promises";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { playedPasses } from "../engine/played.js";
import { compile } from "./compile.js";
import type { CodeProblem, FromPlayground } from "./messages.js";
import { type Host, runModule } from "./run.js";
import { packProgram, unpackProgram } from "./transfer.js";

const host: Host = {
  importScript: (script) =>
    import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(script).toString("base64")}`),
  isScript: (url) => url.startsWith("data:"),
};
const session = createSconce();
const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %c: USER_OUTPUT
}
graph(%x: f32[2]) {
  %a: f32[2] = aten.relu.default(%x)
  %b: f32[2] = aten.gelu.default(%a)
  %s: f32[2] = aten.sigmoid.default(%b)
  %c: f32[2] = aten.mul.Tensor(%b, %s)
  return (%c)
}`);

const run = (source: string): Promise<FromPlayground> =>
  runModule({ source, program: packProgram(program) }, host);

const example = (name: string): Promise<string> =>
  readFile(new URL(`../../playground/${name}.ts`, import.meta.url), "utf8");

async function problemOf(source: string): Promise<CodeProblem> {
  const result = await run(source);
  if (result.kind !== "problem") throw new Error(`it is ${result.kind}`);
  return result.problem;
}

const targets = (result: FromPlayground): readonly string[] => {
  if (result.kind !== "ran") throw new Error(JSON.stringify(result));
  const { after } = playedPasses(program, result.run).at(-1)!;
  return [...after.graph.nodes()].filter(({ op }) => op === "call_function").map(({ target }) => target);
};

test.each([
  ["clamp", ["clamp_min.default", "gelu.default", "sigmoid.default", "mul.Tensor"]],
  ["fusion", ["relu.default", "gelu.default", "silu.default"]],
  [
    "decomposition",
    "relu.default pow.Tensor_Scalar mul.Tensor add.Tensor mul.Tensor tanh.default mul.Tensor add.Tensor mul.Tensor sigmoid.default mul.Tensor".split(
      " ",
    ),
  ],
])("the example %s changes a program, and the change is a history", async (name, want) => {
  const result = await run(await example(name));
  expect([...targets(result)].sort()).toEqual(want.map((target) => `aten.${target}`).sort());
  if (result.kind !== "ran") return;
  const { after } = playedPasses(program, result.run).at(-1)!;
  expect(after.history.map(({ pass, call }) => call ?? pass)).toEqual(
    result.run.passes.filter(({ changed }) => changed).map(({ call }) => call),
  );
});

test("a text with a model makes a program", async () => {
  const result = await runModule({ source: await example("model"), program: undefined }, host);
  if (result.kind !== "captured") throw new Error(JSON.stringify(result));
  expect(result.name).toBe("Net");
  const captured = unpackProgram(result.program, (text, options) => session.parseIr(text, options));
  expect(captured.stateDict.get("first.weight")?.shape).toEqual([16, 8]);
});

test("folded weights come along, and others stay the same tensors", async () => {
  const weighted = session
    .parseIr(
      `sconce-ir 1
program "ATEN" {
  parameter "w": f32[2]
  parameter "v": f32[2]
  input %p_w: PARAMETER "w"
  input %p_v: PARAMETER "v"
  input %x: USER_INPUT
  output %c: USER_OUTPUT
}
graph(%p_w: f32[2], %p_v: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%p_w, 2.0)
  %b: f32[2] = aten.add.Tensor(%x, %a)
  %c: f32[2] = aten.add.Tensor(%b, %p_v)
  return (%c)
}`,
    )
    .withState(
      new Map([
        ["w", Tensor.from([1, 2], [2], "float32")],
        ["v", Tensor.from([3, 4], [2], "float32")],
      ]),
    );
  const source = `export default { name: "mine", passes: [] };
export const pipeline = "fold-constants{weights=true},dce";`;
  const result = await runModule({ source, program: packProgram(weighted) }, host);
  if (result.kind !== "ran") throw new Error(JSON.stringify(result));
  const { after } = playedPasses(weighted, result.run).at(-1)!;
  expect(after.stateDict.get("v")).toBe(weighted.stateDict.get("v"));
  expect([...after.constants.values()].map((tensor) => tensor.toArray())).toEqual([[2, 4]]);
});

test.each([
  ["let x = ;", { title: "Syntax error", line: 1, column: 9 }],
  ["const a: number = 1;\n\nconst a = 2;", { title: "Syntax error", line: 3, column: 7 }],
  ['import { nothing } from "sconce";\nnothing();', { title: "Import", line: 1, column: 10 }],
  ['\nimport { a } from "lodash";\na();', { title: "Import", line: 2, column: 1 }],
  [
    'import { \n  definePass, \n } from "sconce";\nexport default { name: "m", passes: [definePass({ name: "p", doc: "d", run: () => {\n throw new Error("boom") } })] };',
    { line: 5, message: expect.stringContaining("boom") },
  ],
  ["export const a = 1;", { code: "STUDIO_MODULE" }],
  ["throw 3;", { title: "Thrown", message: "3" }],
  [
    'import { definePass, edit } from "sconce";\nexport default { name: "m", passes: [definePass({ name: "p", doc: "d", run: (before) => before.with({ graph: edit(before.graph, (e) => e.replaceNode("a", { meta: {} })) }) })] };',
    { code: "INVALID_PROGRAM", message: expect.stringContaining('pass "p" of plugin "m"') },
  ],
])("what is wrong with %j is a problem with its place", async (source, want) => {
  expect(await problemOf(source)).toMatchObject(want);
});

test("imports become values of the worker, and lines stay", () => {
  const { code } = compile(
    'import {\n  a as b, type C,\n} from "m";\nimport * as all from "m";\nconst c: C = b(all);',
    new Map([["m", new Set(["a"])]]),
  ) as { code: string };
  const lines = code.split("\n");
  expect(lines[0]).toBe('const b = globalThis.sconceModules["m"]["a"], all = globalThis.sconceModules["m"];');
  expect(lines[5]!.trim()).toBe("const c = b(all);");
});
