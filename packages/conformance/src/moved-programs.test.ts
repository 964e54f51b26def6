/**
 * @file Programs that PyTorch exported for CUDA devices, and what `move_to_device_pass` makes of
 * them.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import {
  createSconce,
  type DeviceLocation,
  type ExportedProgram,
  passes,
  Tensor,
} from "@sconce/session/public";
import { describe, expect, test } from "vitest";

interface Fact {
  readonly file: string;
  readonly location: DeviceLocation;
  readonly before: string;
  readonly text: string;
  readonly document: unknown;
  readonly outputs: readonly (readonly [
    dtype: string,
    shape: readonly number[],
    values: readonly number[],
  ])[];
}

const folder = new URL("../../testing/fixtures/moved/", import.meta.url);
const read = (file: string): Buffer => gunzipSync(readFileSync(new URL(`${file}.gz`, folder)));
const facts = JSON.parse(read("facts.json").toString("utf8")) as Fact[];
const sconce = createSconce();
const bytesOf = ({ file }: Fact): Uint8Array => read(`${file}.pt2`);
const load = (fact: Fact): Promise<ExportedProgram> => sconce.load(bytesOf(fact));

/** The JSON of a program, as a saved file has it. */
async function documentOf(program: ExportedProgram): Promise<unknown> {
  const bytes = Buffer.from(await sconce.save(program)).toString("latin1");
  const [start, end] = ['{"graph_module": ', '"guards_code": ['].map((text) => bytes.indexOf(text));
  return JSON.parse(bytes.slice(start, bytes.indexOf("PK\u0007\b", end)));
}

describe.each(facts.map((fact) => [fact.file, fact] as const))("%s", (_, fact) => {
  test("the program of the device is read, and written with PyTorch's bytes", async () => {
    const program = await load(fact);
    expect(`${program}`).toBe(fact.before);
    expect(Buffer.compare(await sconce.save(program), bytesOf(fact))).toBe(0);
    expect(sconce.verify(program)).toEqual([]);
  });

  test("moved, it has PyTorch's text and JSON", async () => {
    const moved = passes.moveToDevicePass(await load(fact), fact.location);
    expect(`${moved}`).toBe(fact.text);
    expect(sconce.verify(moved)).toEqual([]);
    expect(await documentOf(moved)).toEqual(fact.document);
  });

  test("it computes the same, lowered too", async () => {
    const moved = passes.moveToDevicePass(await load(fact), "cpu");
    for (const program of [moved, sconce.runDecompositions(moved)]) {
      using executable = await sconce.compile(program, "cpu");
      const inputs = program.exampleInputs!.leaves.filter((leaf) => leaf instanceof Tensor);
      const outputs = await executable.run(inputs);
      const got = outputs.map((value) => {
        const { dtype, shape } = value as Tensor;
        return [
          `torch.${dtype}`,
          shape,
          [(value as Tensor).toArray()].flat(Number.POSITIVE_INFINITY).map(Number),
        ];
      });
      expect(got).toEqual(fact.outputs);
    }
  });
});
