/** @file Archives of several programs: what PyTorch prints and computes for each. */
import { readFileSync } from "node:fs";
import { createSconce, type ExportedProgram, Tensor } from "@sconce/session";
import { describe, expect, test } from "vitest";

const folder = new URL("../../testing/fixtures/packages/", import.meta.url);
const read = (name: string): Uint8Array => readFileSync(new URL(name, folder));
type Facts = Readonly<
  Record<string, Readonly<Record<string, { readonly text: string; readonly outputs: readonly unknown[] }>>>
>;
const facts = JSON.parse(new TextDecoder().decode(read("facts.json"))) as Facts;
const sconce = createSconce();

async function outputsOf(program: ExportedProgram): Promise<unknown[]> {
  const leaves = program.exampleInputs!.leaves.filter((leaf) => leaf instanceof Tensor);
  using executable = await sconce.compile(program, "cpu");
  return (await executable.run(leaves)).map((value) => (value as Tensor).toArray());
}

describe.each(Object.keys(facts))("%s", (archive) => {
  test.each(["", "-once"])("programs, texts and numbers are PyTorch's%s", async (form) => {
    const { exportedPrograms } = await sconce.loadPt2(read(`${archive}${form}.pt2`));
    const wanted = facts[archive]!;
    expect([...exportedPrograms.keys()]).toEqual(Object.keys(wanted));
    for (const [name, program] of exportedPrograms) {
      expect(`${program}`).toBe(wanted[name]!.text);
      await expectClose(await outputsOf(program), wanted[name]!.outputs);
    }
  });

  test("packed by a session and loaded again", async () => {
    const { exportedPrograms } = await sconce.loadPt2(read(`${archive}-once.pt2`));
    const bytes = await sconce.packagePt2(exportedPrograms);
    const named = await sconce.packagePt2(Object.fromEntries(exportedPrograms));
    expect(Buffer.compare(named, bytes)).toBe(0);
    const chunks: Uint8Array[] = [];
    await sconce.packagePt2(
      exportedPrograms,
      new WritableStream({ write: (chunk) => void chunks.push(chunk) }),
    );
    expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
    for (const [name, program] of (await sconce.loadPt2(bytes)).exportedPrograms)
      expect(await program.hash()).toEqual(await exportedPrograms.get(name)!.hash());
  });
});

async function expectClose(got: readonly unknown[], want: readonly unknown[]): Promise<void> {
  expect(got).toHaveLength(want.length);
  const flat = (value: unknown): number[] => [value].flat(Number.POSITIVE_INFINITY) as number[];
  for (const [i, one] of got.entries())
    for (const [k, number] of flat(one).entries()) expect(number).toBeCloseTo(flat(want[i])[k]!, 6);
}

test("one program is named model; other values is refused, and an invalid one by its name", async () => {
  const { exportedPrograms } = await sconce.loadPt2(read("with-model.pt2"));
  const program = exportedPrograms.get("model")!;
  expect(await sconce.packagePt2(program)).toEqual(await sconce.save(program));
  await expect(sconce.packagePt2({ a: 3 as never })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(sconce.packagePt2({})).rejects.toMatchObject({ code: "OPTION_VALUE" });
  const cut = program.with({ graph: sconce.parseGraph("graph(%y: f32[2]) {\n  return (%y)\n}") });
  await expect(sconce.packagePt2({ good: program, bad: cut })).rejects.toMatchObject({
    code: "INVALID_PROGRAM",
    where: expect.stringMatching(/^program "bad"/) as string,
  });
});
