import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { describe, expect, test } from "vitest";
import { differing, entriesOf, extraFilesOf, operators, read, saved } from "./saved.fixture.js";

const fixtures = new URL("../../../../testing/fixtures/", import.meta.url);
const FILES = ["programs", "custom-operators"]
  .flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, fixtures)).flatMap((name) =>
      ["program", "decomposed"].map((stem) => `${folder}/${name}/${stem}.pt2`),
    ),
  )
  .filter((file) => existsSync(new URL(file, fixtures)));

describe.each(FILES)("%s", (file) => {
  test("has PyTorch's entries when it is read and saved again", async () => {
    const bytes = readFileSync(new URL(file, fixtures));
    const warnings: string[] = [];
    const extraFiles = extraFilesOf(entriesOf(bytes));
    const onWarning = (message: string) => warnings.push(message);
    const again = await saved(await read(bytes), { extraFiles, onWarning });
    const isDropped = warnings.some((message) => message.startsWith("the example inputs are left out"));
    expect(differing(bytes, again)).toEqual(
      isDropped ? ["data/sample_inputs/model.pt", ".data/serialization_id"] : [],
    );
  });

  test("has the same bytes when it went through IR text: they come from the program alone", async () => {
    const program = await read(readFileSync(new URL(file, fixtures)));
    const parsed = parseIr(printIr(program), { tensors: tensorsOf(program), operators });
    expect(Buffer.compare(await saved(parsed), await saved(program))).toBe(0);
  });
});
