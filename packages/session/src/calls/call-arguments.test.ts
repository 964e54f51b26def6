/** @file How the arguments of a module are given, and the errors of other values. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce, type ProgramModule } from "../index.js";

/** A program that adds its two inputs, or doubles the only one. */
function sum(inputs: readonly string[], args: string, kwargs: string): ExportedProgram {
  const first = inputs[0]!;
  const names = inputs.filter((name) => !kwargs.includes(`"${name}"`)).map((name) => `"${name}"`);
  return parseIr(`sconce-ir 1
program "ATEN" {
${inputs.map((name) => `  input %${name}: USER_INPUT`).join("\n")}
  output %sum: USER_OUTPUT
  call "" (${args}, ${kwargs}) -> * names [${names.join(", ")}]
}
graph(${inputs.map((name) => `%${name}: f32[2]`).join(", ")}) {
  %sum: f32[2] = aten.add.Tensor(%${first}, %${inputs[1] ?? first})
  return (%sum)
}`);
}

const PROGRAMS = {
  one: sum(["x"], "(*)", "{}"),
  oneKeyword: sum(["x"], "()", '{"x": *}'),
  two: sum(["x", "y"], "(*, *)", "{}"),
  mixed: sum(["x", "y"], "(*)", '{"y": *}'),
  list: sum(["x_0", "x_1"], "([*, *])", "{}"),
};
const open = (name: keyof typeof PROGRAMS): Promise<ProgramModule> => createSconce().module(PROGRAMS[name]);
const x = Tensor.from([1, 2.5]);
const wrong = (value: unknown): Tensor => value as Tensor;
const named = (inputs: Record<string, unknown>): readonly unknown[] => inputs as never;

describe("a program of one argument takes that argument alone", () => {
  test.each<[keyof typeof PROGRAMS, Tensor | Float32Array]>([
    ["one", x],
    ["oneKeyword", x],
    ["one", new Float32Array([1, 2.5])],
    ["oneKeyword", new Float32Array([1, 2.5])],
  ])("%s", async (name, input) => {
    using module = await open(name);
    expect((await module.call(input)) as Tensor).toMatchObject({ shape: [2] });
    expect(((await module.call(input, {})) as Tensor).toArray()).toEqual([2, 5]);
  });

  test("with keywords behind it", async () => {
    using module = await open("mixed");
    expect(((await module.call(x, { y: x })) as Tensor).toArray()).toEqual([2, 5]);
    const stopped = module.call(x, { y: x }, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED" });
    await expect(module.call(x, { z: x })).rejects.toMatchObject({ code: "KEYWORD_MISMATCH" });
    using one = await open("one");
    const both = one.call(x, {}, { signal: AbortSignal.abort() });
    await expect(both).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("with options", async () => {
    using module = await open("one");
    const stopped = module.call(x, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("other values than arguments", () => {
  test.each<[keyof typeof PROGRAMS, unknown, string, string]>([
    ["two", x, "a tensor", "give a list, call([x, y]), or by name, call({ x, y })"],
    ["mixed", x, "a tensor", "give a list, call([x], { y }), or by name, call({ x, y })"],
    ["two", new Float32Array(2), "a Float32Array", "give a list, call([x, y]), or by name, call({ x, y })"],
    ["one", undefined, "undefined", "give a list, call([x]), or by name, call({ x })"],
    ["oneKeyword", null, "null", "give a list, call([], { x }), or by name, call({ x })"],
    ["one", 3, "3", "give a list, call([x]), or by name, call({ x })"],
    ["one", "x", 'the string "x"', "give a list, call([x]), or by name, call({ x })"],
    ["one", new Set([x]), "a Set", "give a list, call([x]), or by name, call({ x })"],
    ["one", new Map([["x", x]]), "a map", "give a list, call([x]), or by name, call({ x })"],
    ["one", new Response(""), "a Response", "give a list, call([x]), or by name, call({ x })"],
    [
      "one",
      Promise.resolve(x),
      "a Promise",
      "await the promise, then give a list, call([x]), or by name, call({ x })",
    ],
  ])("%s: %s", async (name, given, got, fix) => {
    using module = await open(name);
    const refused = { code: "INVALID_ARGUMENT", message: expect.stringMatching(`and got ${got}$`), fix };
    await expect(module.call(wrong(given))).rejects.toMatchObject(refused);
    await expect(module.callFlat(wrong(given) as never)).rejects.toMatchObject(refused);
  });

  test("a list in the place of one argument is PyTorch's error", async () => {
    using module = await open("list");
    await expect(module.call(x)).rejects.toMatchObject({ code: "TREE_MISMATCH" });
    expect(((await module.call([[x, x]])) as Tensor).toArray()).toEqual([2, 5]);
  });
});

describe("nested arrays in the place of a tensor", () => {
  const tensor = 'Tensor.from(arrays, { dtype: "float32" })';
  test.each<[keyof typeof PROGRAMS, readonly unknown[], string]>([
    ["one", [[1, 2]], `at *args[0]: ${tensor}`],
    ["one", named({ x: [1, 2] }), `at *args[0]: ${tensor}`],
    ["oneKeyword", named({ x: [[1], [true]] }), `at x: ${tensor}`],
    ["one", [1, 2], `call([${tensor}])`],
    [
      "one",
      [
        [1, 2],
        [3, 4],
      ],
      `call([${tensor}])`,
    ],
    ["two", [x, [1, 2]], `at *args[1]: ${tensor}`],
    ["mixed", named({ x, y: [1, true] }), `at y: ${tensor}`],
    ["list", [[x, [1, 2]]], `at *args[0][1]: ${tensor}`],
  ])("%s: %j", async (name, given, code) => {
    using module = await open(name);
    await expect(module.call(given)).rejects.toMatchObject({
      code: "TREE_MISMATCH",
      fix: expect.stringMatching(/^make a tensor of the nested arrays/),
    });
    await expect(module.call(given)).rejects.toMatchObject({ fix: expect.stringContaining(code) });
  });

  test.each<[readonly unknown[]]>([[[[x]]], [[[]]], [[["a"]]], [[x, x]]])(
    "other structures have PyTorch's advice: %j",
    async (given) => {
      using module = await open("one");
      await expect(module.call(given)).rejects.toMatchObject({
        code: "TREE_MISMATCH",
        fix: "call the program with the same structure of arguments that it was exported with",
      });
    },
  );
});
