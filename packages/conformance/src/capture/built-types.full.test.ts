/** @file The declaration files of built modules, as the compiler of TypeScript reads them. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildModule } from "@sconce/build";
import { Dim, exportProgram, pythonTuple, torch } from "@sconce/capture";
import { moduleDeclarations } from "@sconce/capture/typescript";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCorpusProgram } from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const folder = mkdtempSync(fileURLToPath(new URL("../../dist/.built-types-", import.meta.url)));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, lines: readonly string[]): void =>
  writeFileSync(join(folder, name), lines.join("\n"));

interface Table {
  readonly a: Tensor;
  readonly b: Tensor;
}

/** A program with containers, a keyword argument, a static number and a dynamic size. */
function manyInputs(): ExportedProgram {
  const run = (x: Tensor, table: Table, times: number, { scale }: { scale: Tensor }): unknown =>
    pythonTuple(x.mul(times).mul(scale), { sum: table.a.add(table.b), size: x.size(0) });
  const inputs = [torch.ones(2, 3), { a: torch.ones(4), b: torch.ones(4, { dtype: "int32" }) }, 3];
  const dynamicShapes = { x: { 0: Dim("n") }, table: { a: null, b: null }, times: null, scale: null };
  return exportProgram(run, inputs, { kwargs: { scale: torch.ones(3) }, dynamicShapes });
}

const HEAD = [
  'import { load, ModelError, type Inputs, type Outputs } from "./many.mjs";',
  "const model = await load();",
  "const f = (count: number): Float32Array => new Float32Array(count);",
  "const a = { data: f(4), shape: [4] } as const;",
  "const table = { a, b: new Int32Array(4) };",
  "const x = { data: f(6), shape: [2, 3] } as const;",
  "const scale = f(3);",
];
const RIGHT = [
  "const [product, { sum, size }] = await model.run({ x, table, times: 3, scale });",
  'const dtype: "float32" = product.dtype;',
  "const shape: readonly [number, 3] = product.shape;",
  "const four: 4 = sum.shape[0];",
  "const data: Float32Array = product.data;",
  "const rows: number = size + four + shape[1] + data.length;",
  "await model.run({ x: f(6), table, times: 3, scale });",
  "await model.run({ x: { ...x, shape: [7, 3], dtype }, table, times: 3, scale: { data: scale, shape: [3] } });",
  "const inputs: Inputs = { x, table, times: 3, scale };",
  "const outputs: Outputs = await model.run(inputs);",
  'await load({ wasm: new WebAssembly.Module(new Uint8Array()), weights: new URL("https://x"), fetch });',
  "await load({ onProgress: ({ file, loaded, total }) => { console.log(file, loaded + (total ?? 0)); } });",
  "model.reset();",
  "model.dispose();",
  "console.log(rows, outputs[0], new Error() instanceof ModelError);",
];
/** What each line does wrong, and the line. */
const WRONG: Readonly<Record<string, string>> = {
  "a missing argument": "await model.run({ x, table, times: 3 });",
  "a wrong name": "await model.run({ x, table, times: 3, scale, scales: scale });",
  "a wrong name in a container": "await model.run({ x, table: { a, c: table.b }, times: 3, scale });",
  "a missing name in a container": "await model.run({ x, table: { a }, times: 3, scale });",
  "a wrong class of array": "await model.run({ x, table, times: 3, scale: new Float64Array(3) });",
  "a wrong class of array in a container": "await model.run({ x, table: { a, b: f(4) }, times: 3, scale });",
  "a wrong class of elements":
    "await model.run({ x: { data: new Int32Array(6), shape: [2, 3] }, table, times: 3, scale });",
  "a wrong dtype":
    'await model.run({ x: { data: f(6), shape: [2, 3], dtype: "int32" }, table, times: 3, scale });',
  "a rank too low": "await model.run({ x: { data: f(6), shape: [6] }, table, times: 3, scale });",
  "a rank too high": "await model.run({ x: { data: f(6), shape: [2, 3, 1] }, table, times: 3, scale });",
  "a wrong static size": "await model.run({ x: { data: f(8), shape: [2, 4] }, table, times: 3, scale });",
  "a wrong static size of one dimension":
    "await model.run({ x, table, times: 3, scale: { data: f(4), shape: [4] } });",
  "a size that is not a number":
    'await model.run({ x: { data: f(6), shape: ["2", 3] }, table, times: 3, scale });',
  "elements without a class": "await model.run({ x: [1, 2, 3, 4, 5, 6], table, times: 3, scale });",
  "another static number": "await model.run({ x, table, times: 4, scale });",
  "no object": "await model.run(x);",
  "a result that is not there": "(await model.run({ x, table, times: 3, scale }))[2];",
  "a name of no result": "(await model.run({ x, table, times: 3, scale }))[1].total;",
  "a static size of a result, compared":
    "const five: 5 = (await model.run({ x, table, times: 3, scale }))[1].sum.shape[0];",
  "a write to a result's shape": "(await model.run({ x, table, times: 3, scale }))[0].shape[0] = 1;",
  "an option that load does not have": "await load({ kernels: f(1) });",
};

describe("the compiler", () => {
  let errors: readonly string[];
  beforeAll(async () => {
    const { files } = await buildModule(manyInputs(), { name: "many" });
    for (const [name, bytes] of files) if (name.endsWith("ts")) writeFileSync(join(folder, name), bytes);
    write("right.ts", [...HEAD, ...RIGHT, "export {};"]);
    write("wrong.ts", [...HEAD, ...Object.values(WRONG), "export {};"]);
    for (const name of CORPUS)
      writeFileSync(
        join(folder, `${name}.d.ts`),
        moduleDeclarations(await openCorpusProgram(name, "program")),
      );
    errors = (await typeErrors(folder)).split("\n").filter((line) => /^[\w.]+ts\(/.test(line));
  }, 120_000);

  test("takes the right calls, and refuses no declarations", () => {
    expect(readdirSync(folder)).toContain("many.d.mts");
    expect(errors.filter((line) => !line.startsWith("wrong.ts"))).toEqual([]);
  });

  test.each(Object.keys(WRONG).map((what, at) => [what, HEAD.length + at + 1] as const))(
    "refuses %s",
    (_, line) => {
      expect(errors.some((error) => error.startsWith(`wrong.ts(${line},`))).toBe(true);
    },
  );
});

const CORPUS = ["digits", "tree_ordered_dict", "api_register_dataclass", "tree_namedtuple", "net_gpt"];
