/** @file Values of the wrong kind where sessions take programs, passes and plugins. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { definePass } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { createSconce, type Sconce } from "./create-sconce.js";

const program = parseIr('sconce-ir 1\nprogram "ATEN" {}\ngraph() { return () }');
const wrong = <T>(value: unknown): T => value as T;

describe("a promise or something else in place of a program", () => {
  const calls: Readonly<Record<string, (sconce: Sconce, given: ExportedProgram) => unknown>> = {
    transform: (sconce, given) => sconce.transform(given, "dce"),
    runDecompositions: (sconce, given) => sconce.runDecompositions(given),
    bisect: (sconce, given) => sconce.bisect(given, "dce"),
    verify: (sconce, given) => sconce.verify(given),
    compile: (sconce, given) => sconce.compile(given),
    module: (sconce, given) => sconce.module(given),
    compareBackends: (sconce, given) => sconce.compareBackends(given, [], ["cpu", "cpu"]),
  };

  test.each(Object.keys(calls))("%s", async (name) => {
    const call = async (given: unknown): Promise<unknown> => calls[name]!(createSconce(), wrong(given));
    await expect(call(Promise.resolve(program))).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: `${name} takes an ExportedProgram, and got a Promise`,
      fix: expect.stringContaining("await"),
    });
    await expect(call("model.pt2")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(call(undefined)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

test.each([[["dce", "cse"]], [undefined], [42], [[undefined]]])(
  "%j is not a list of passes",
  async (passes) => {
    const sconce = createSconce();
    const refused = expect.objectContaining({
      code: "PIPELINE_SYNTAX",
      fix: expect.stringContaining('"decompose,cse"'),
    });
    expect(() => sconce.transform(program, wrong(passes))).toThrow(refused);
    expect(() => sconce.bisect(program, wrong(passes))).toThrow(refused);
    await expect(sconce.transformAsync(program, wrong(passes))).rejects.toThrow(refused);
    await expect(sconce.bisectAsync(program, wrong(passes))).rejects.toThrow(refused);
  },
);

test("plugins are a list of plugins, not of modules", () => {
  const open = (plugins: unknown) => (): unknown => createSconce({ plugins: wrong(plugins) });
  expect(open({ name: "x" })).toThrow(/`plugins` of createSconce is an object, not a list/);
  expect(open([{ default: { name: "x" } }])).toThrow(/plugin 1 is a module, not a plugin/);
});

test("a pass has a name and a function", () => {
  const run = (one: ExportedProgram): ExportedProgram => one;
  expect(() => definePass(wrong({ doc: "d", run }))).toThrow(/has the name undefined/);
  expect(() => definePass(wrong({ name: "p", doc: "d" }))).toThrow(/has undefined as `run`/);
});

test("compile takes a backend, and run a list", async () => {
  const sconce = createSconce();
  const compiled = async (): Promise<unknown> => sconce.compile(program, wrong({ backend: "cpu" }));
  await expect(compiled()).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "the backend of compile is an object without `supports` and `compile`",
    fix: expect.stringContaining('compile(program, "cpu")'),
  });
  const executable = await sconce.compile(program);
  await expect(executable.run(wrong(new Float32Array(2)))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "the inputs of run are a Float32Array, not an array",
  });
});

test("a decomposition of an unknown operator is refused at the first use", () => {
  const decompositions = { "aten.reluu.default": () => [] };
  const sconce = createSconce({ plugins: [wrong({ name: "k", decompositions })] });
  expect(() => sconce.verify(program)).toThrow(
    /^plugin "k" has a decomposition of aten.reluu.default, which /,
  );
});
