import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import type { Backend, ExportedProgram } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { createSconce } from "../index.js";

const sconce = createSconce();
const load = (name: string): Promise<ExportedProgram> =>
  sconce.load(
    readFileSync(new URL(`../../../testing/fixtures/programs/${name}/program.pt2`, import.meta.url)),
  );

test("a module lists its arguments", async () => {
  using module = await sconce.module(await load("tree_keyword_order"));
  expect(module.argumentNames).toMatchInlineSnapshot(`
    [
      "a",
      "d",
      "b",
      "c",
    ]
  `);
  expect(module.inputs).toMatchInlineSnapshot(`
    [
      {
        "argument": "a",
        "dtype": "float32",
        "kind": "positional",
        "name": "a",
        "place": "*args[0]",
        "shape": [
          2,
        ],
      },
      {
        "argument": "d",
        "dtype": "float32",
        "kind": "keyword",
        "name": "d",
        "place": "d",
        "shape": [
          2,
        ],
      },
      {
        "argument": "b",
        "dtype": "float32",
        "kind": "keyword",
        "name": "b",
        "place": "b",
        "shape": [
          2,
        ],
      },
      {
        "argument": "c",
        "dtype": "float32",
        "kind": "keyword",
        "name": "c",
        "place": "c",
        "shape": [
          2,
        ],
      },
    ]
  `);
});

test("a module shows its call and its inputs", async () => {
  using module = await sconce.module(await load("tree_keyword_order"));
  expect(inspect(module)).toMatchInlineSnapshot(`
    "ProgramModule:
        call([a], { d, b, c })
        a: float32[2]
        d: float32[2] (keyword)
        b: float32[2] (keyword)
        c: float32[2] (keyword)"
  `);
  expect(String(module)).toBe(inspect(module));
  using other = await sconce.module(await load("net_mlp"));
  expect(inspect({ other })).toMatchInlineSnapshot(`
    "{
      other: ProgramModule:
          call([x])
          x: float32[s77, 12]
    }"
  `);
});

test("sizes that are dynamic are symbols", async () => {
  using module = await sconce.module(await load("net_mlp"));
  expect(module.argumentNames).toMatchInlineSnapshot(`
    [
      "x",
    ]
  `);
  expect(module.inputs.map(({ dtype, shape }) => `${dtype}[${shape}]`)).toMatchInlineSnapshot(`
    [
      "float32[s77,12]",
    ]
  `);
});

test("a module that was disposed of refuses calls", async () => {
  const module = await sconce.module(await load("api_sin_cos"));
  const x = Tensor.empty([3], "float32");
  module.dispose();
  module[Symbol.dispose]();
  await expect(module.call([x])).rejects.toMatchObject({ code: "DISPOSED" });
  await expect(module.callFlat([x])).rejects.toMatchObject({ code: "DISPOSED" });
  await expect(module.executable.run([x])).rejects.toMatchObject({ code: "DISPOSED" });
});

test("a module takes all options of compile", async () => {
  let seen: unknown;
  const backend: Backend = {
    name: "mine",
    supports: () => true,
    compile: (program, options) => {
      seen = options;
      return sconce.backend("cpu").compile(program);
    },
  };
  const program = await load("api_sin_cos");
  const signal = new AbortController().signal;
  const onProgress = (): void => {};
  await sconce.module(program, { backend, signal, onProgress });
  expect(seen).toMatchObject({ signal });
  const exclude = ["aten.sin.default"];
  await expect(sconce.module(program, { exclude })).rejects.toThrow("aten.sin.default is excluded");
});

test("arguments one after the other, and names that the program does not have, are refused with what to write", async () => {
  const module = await sconce.module(await load("api_sin_cos"));
  const x = Tensor.empty([3], "float32");
  const call = module.call as (...args: readonly unknown[]) => Promise<unknown>;
  await expect(call(x, x)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("several values, one after the other"),
    fix: expect.stringContaining("call([x, y])"),
  });
  await expect(module.call({ x, wrong: x })).rejects.toMatchObject({
    code: "KEYWORD_MISMATCH",
    message: 'the module has no argument "wrong"; its arguments are: x, y',
    fix: "give the arguments by their names: call({ x, y })",
    edits: [{ find: "wrong", replace: "y" }],
  });
});
