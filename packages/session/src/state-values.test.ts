import { readFileSync } from "node:fs";
import type { Backend, Executable } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import {
  CpuInterpreter,
  cpuBackend,
  createSconce,
  type ExportedProgram,
  isSconceError,
  missingValues,
  readSafetensors,
  type Sconce,
  type Tensor,
} from "./index.js";

const file = (name: string): Uint8Array =>
  readFileSync(new URL(`../../testing/fixtures/meta-state/${name}`, import.meta.url));
const tensors = (name: string): ReadonlyMap<string, Tensor> => readSafetensors(file(name)).tensors;
const sconce = createSconce();
const part = await sconce.load(file("part.pt2"));
const input = tensors("inputs.safetensors").get("i0")!;

const MISSING = ["branch.weight", "norm.running_var", "offset"];
async function refusal(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (isSconceError(error, "NO_VALUES")) return error.message;
    throw error;
  }
  return "accepted";
}

/** A backend that would run anything, and gives nothing. */
const anything: Backend = {
  name: "anything",
  supports: () => true,
  compile: async () => ({ run: async () => [], dispose: () => undefined }) as unknown as Executable,
};

describe("a program without all its values is refused by", () => {
  test.each<[string, (session: Sconce, program: ExportedProgram) => unknown]>([
    ["compile", (session, program) => session.compile(program)],
    ["module", (session, program) => session.module(program)],
    ["a custom backend", (session, program) => session.compile(program, anything)],
    ["the CPU backend alone", (_, program) => cpuBackend().compile(program)],
    ["the interpreter class", (_, program) => new CpuInterpreter(program)],
    ["checks", (session, program) => session.transform(program, "decompose,cse", { check: true })],
    ["bisect", (session, program) => session.bisect(program, "decompose,cse")],
  ])("%s", async (_, action) => {
    const message = await refusal(() => action(sconce, part));
    for (const name of MISSING) expect(message).toContain(`"${name}"`);
  });

  test("freezing weights", async () => {
    const program = await sconce.load(file("channels.pt2"));
    const freeze = "decompose{keep=[aten.conv2d.default]},fold-constants{weights=true}";
    expect(await refusal(() => sconce.transform(program, freeze))).toContain('"table" (c_table');
  });
});

test("a program lowers and its verifier finds no problem", () => {
  const lowered = sconce.runDecompositions(part);
  expect(sconce.verify(part)).toEqual([]);
  expect(sconce.verify(lowered)).toEqual([]);
  expect(missingValues(lowered).map(({ name }) => name)).toEqual(MISSING);
});

test("values may come in parts, before lowering or after", async () => {
  const values = tensors("values.safetensors");
  const some = part.withState({ offset: values.get("offset")! });
  expect(missingValues(some).map(({ name }) => name)).toEqual(["branch.weight", "norm.running_var"]);
  const complete = sconce.runDecompositions(some).withState(values);
  expect(missingValues(complete)).toEqual([]);
  const outputs = await (await sconce.compile(complete)).run([input]);
  const wanted = [...tensors("expected.safetensors").get("o0")!] as number[];
  expect([...(outputs[0] as Tensor)]).toEqual(wanted.map((value) => expect.closeTo(value, 4) as number));
  expect(sconce.transform(some.withState(values), "decompose,cse", { check: true }).dialect).toBe("ATEN");
});

test("inputs without values are refused by name; samples are drawn by their shapes", async () => {
  const meta = await sconce.load(file("meta_flat.pt2"));
  const program = meta.withState(tensors("values.safetensors"));
  const executable = await sconce.compile(program);
  const [example] = program.exampleInputs!.leaves as readonly Tensor[];
  expect(await refusal(() => executable.run([example!]))).toContain("x");
  expect(sconce.transform(program, "decompose,cse", { check: true }).dialect).toBe("ATEN");
});
