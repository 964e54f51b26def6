import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Dim, exportProgram, pythonTuple, torch } from "@sconce/capture";
import { typeDeclarations } from "@sconce/capture/typescript";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { openCorpusProgram } from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const folder = mkdtempSync(fileURLToPath(new URL("../../dist/.types-", import.meta.url)));
afterAll(() => rmSync(folder, { recursive: true }));

interface Table {
  readonly a: Tensor;
  readonly b: Tensor;
}

/** A program with containers, a keyword argument, a static number and a dynamic size. */
function manyInputs(): ExportedProgram {
  const run = (x: Tensor, table: Table, times: number, { scale }: { scale: Tensor }): unknown =>
    pythonTuple(x.mul(times).mul(scale), { sum: table.a.add(table.b), size: x.size(0) });
  const inputs = [torch.ones(2, 3), { a: torch.ones(4), b: torch.ones(4) }, 3];
  const dynamicShapes = { x: { 0: Dim("n") }, table: { a: null, b: null }, times: null, scale: null };
  return exportProgram(run, inputs, { kwargs: { scale: torch.ones(3) }, dynamicShapes });
}

/** Lines of a module that uses the types, with the imports in front. */
const moduleOf = (lines: readonly string[]): string =>
  [
    'import { createSconce, type ExportedProgram, torch } from "sconce";',
    'import type { Outputs, Program, TensorOutput } from "./model.js";',
    "declare const program: ExportedProgram;",
    "const module = (await createSconce().module(program)) as Program;",
    "const [x, a, scale] = [torch.ones(2, 3), torch.ones(4), torch.ones(3)];",
    ...lines,
    "export type Kept = Outputs | TensorOutput<string, readonly number[]>;",
  ].join("\n");

const RIGHT = [
  "const [product, { sum, size }] = await module.call({ x, table: { a, b: a }, times: 3, scale });",
  "product.add(sum).mul(size + 1);",
  'const known: ["float32", 3, 2, 4] = [product.dtype, product.shape[1], product.shape.length, sum.shape[0]];',
  "await module.call({ x: product, table: { a: sum, b: a }, times: 3, scale });",
  "await module.call([x, { a, b: a }, 3], { scale });",
  "await module.call({ x: new Float32Array(6), table: { a, b: a }, times: 3, scale });",
  "module.dispose();",
];

const WRONG = [
  "await module.call({ x });",
  "await module.call({ x, table: { a }, times: 3, scale });",
  "await module.call({ x, table: { a, b: a }, times: 4, scale });",
  "await module.call({ x, table: { a, b: a }, times: 3, scales: scale });",
  "await module.call({ x: 1, table: { a, b: a }, times: 3, scale });",
  "await module.call({ x: new Int32Array(6), table: { a, b: a }, times: 3, scale });",
  "await module.call([x, { a, b: a }, 3]);",
  "await module.call([x, 3, { a, b: a }], { scale });",
  "(await module.call({ x, table: { a, b: a }, times: 3, scale }))[2];",
  "(await module.call({ x, table: { a, b: a }, times: 3, scale }))[1].total;",
  'declare const halves: TensorOutput<"float16", readonly [4]>; void module.call({ x, table: { a: halves, b: a }, times: 3, scale });',
  'declare const flat: TensorOutput<"float32", readonly [6]>; void module.call({ x: flat, table: { a, b: a }, times: 3, scale });',
  'declare const wide: TensorOutput<"float32", readonly [2, 4]>; void module.call({ x: wide, table: { a, b: a }, times: 3, scale });',
  'const other: "int32" = (await module.call([x, { a, b: a }, 3], { scale }))[0].dtype;',
  "const five: 5 = (await module.call([x, { a, b: a }, 3], { scale }))[1].sum.shape[0];",
];

describe("types of calls", () => {
  test("have the arguments, containers, shapes and results of a program", () => {
    expect(typeDeclarations(manyInputs())).toMatchSnapshot();
  });

  test("the compiler takes the right calls, and refuses each wrong one", async () => {
    writeFileSync(join(folder, "model.d.ts"), typeDeclarations(manyInputs()));
    writeFileSync(join(folder, "right.ts"), moduleOf(RIGHT));
    writeFileSync(join(folder, "wrong.ts"), moduleOf(WRONG));
    const errors = (await typeErrors(folder)).split("\n").filter((line) => /^\w+\.(d\.)?ts\(/.test(line));
    const places = errors.map((line) => /^(\w+)\.ts\((\d+),/.exec(line)!.slice(1).join(":"));
    expect([...new Set(places)]).toEqual(WRONG.map((_, i) => `wrong:${i + 6}`));
  });

  test("a program of one tensor is called with the tensor, by the types, too", async () => {
    const one = exportProgram((x: Tensor) => x.mul(2), [torch.ones(2, 3)]);
    const byName = exportProgram(({ x }: { x: Tensor }) => x.mul(2), [], {
      kwargs: { x: torch.ones(2, 3, { dtype: "int32" }) },
    });
    const listed = exportProgram((x: readonly Tensor[]) => x[0]!.mul(2), [[torch.ones(2)]]);
    for (const [name, program] of Object.entries({ one, byName, listed }))
      writeFileSync(join(folder, `${name}.d.ts`), typeDeclarations(program));
    const calls = [
      'import { torch } from "sconce";',
      'import type { Program as One } from "./one.js";',
      'import type { Program as ByName } from "./byName.js";',
      'import type { Program as Listed } from "./listed.js";',
      "declare const one: One, byName: ByName, listed: Listed;",
      "await one.call(torch.ones(2, 3));",
      'await one.call(new Float32Array(6), { dims: "checked" } as never);',
      "await byName.call(new Int32Array(6));",
      "await one.call(1);",
      "await byName.call(new Float32Array(6));",
      "await listed.call(torch.ones(2));",
      "export {};",
    ];
    writeFileSync(join(folder, "single.ts"), calls.join("\n"));
    const lines = (await typeErrors(folder)).match(/(?<=^single\.ts\()\d+/gm);
    expect([...new Set(lines)]).toEqual(["9", "10", "11"]);
    const module = await createSconce().module(byName);
    expect(String(await module.call(new Int32Array([1, 2, 3, 4, 5, 6])))).toContain("12");
  });

  test("names of a file are quoted", async () => {
    const program = manyInputs();
    const [root] = program.moduleCallGraph;
    const forwardArgNames = ['x"; export const a = 1; //\u2028', "*/", "__proto__", "scale"];
    const signature = { ...root!.signature!, forwardArgNames };
    const hostile = program.with({ moduleCallGraph: [{ fqn: "", signature }] });
    const text = typeDeclarations(hostile);
    expect(text).not.toMatch(/^export const|\u2028/m);
    writeFileSync(join(folder, "hostile.d.ts"), text);
    const errors = await typeErrors(folder);
    expect(errors).not.toContain("hostile");
  });

  test.each(["tree_ordered_dict", "api_register_dataclass", "tree_namedtuple", "net_gpt", "call_deque"])(
    "the types of %s are right",
    async (name) => {
      writeFileSync(join(folder, `${name}.d.ts`), typeDeclarations(await openCorpusProgram(name, "program")));
      expect(await typeErrors(folder)).not.toContain(name);
    },
  );

  test("a module takes all arguments by their names", async () => {
    const module = await createSconce().module(manyInputs());
    const [x, a, scale] = [torch.ones(2, 3), torch.ones(4), torch.ones(3)];
    const named = await module.call({ scale, times: 3, x, table: { a, b: a } });
    const placed = await module.call([x, { a, b: a }, 3], { scale });
    expect(JSON.stringify(named)).toBe(JSON.stringify(placed));
    await expect(module.call({ x, scale })).rejects.toMatchObject({ code: "TREE_MISMATCH" });
    await expect(module.call({ x, table: { a, b: a }, times: 3, other: scale })).rejects.toMatchObject({
      code: "KEYWORD_MISMATCH",
    });
  });
});
