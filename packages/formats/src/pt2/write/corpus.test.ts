import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { differing, entriesOf, extraFilesOf, folderOf, read, saved } from "./saved.fixture.js";

const programs = new URL("../../../../testing/fixtures/programs/", import.meta.url);
const NAMES = readdirSync(programs)
  .filter((name) => existsSync(new URL(`${name}/program.pt2`, programs)))
  .sort();
const SAMPLE_INPUTS = "data/sample_inputs/model.pt";

/** Whether an archive is as PyTorch wrote it: the sizes of its first entry follow the data. */
const isTorchArchive = (bytes: Uint8Array): boolean => bytes[6] === 8 && bytes[7] === 8;

/** Programs whose example inputs are objects of classes of their authors: those are left out. */
const WITH_CLASSES = new Set([
  "api_register_dataclass",
  "call_dataclass_absent",
  "call_dataclass_full",
  "call_dataclass_nested",
  "call_namedtuple",
  "call_registered_class",
  "pm_dataclass",
  "tree_custom_node",
  "tree_namedtuple",
]);

describe("a program that PyTorch saved, read and saved again", () => {
  test("is one of many", () => {
    expect(NAMES.length).toBeGreaterThan(150);
  });

  test.each(NAMES.filter((name) => !WITH_CLASSES.has(name)))(
    "%s has PyTorch's bytes, the archive's own included [S-122, S-123, S-125]",
    async (name) => {
      const bytes = readFileSync(new URL(`${name}/program.pt2`, programs));
      const program = await read(bytes);
      const extraFiles = extraFilesOf(entriesOf(bytes));
      const again = await saved(program, { folder: folderOf(bytes), extraFiles });
      expect(differing(bytes, again)).toEqual([]);
      // Some archives of the fixtures were packed again, compressed.
      if (isTorchArchive(bytes)) expect(Buffer.compare(again, bytes)).toBe(0);
    },
  );

  test.each([...WITH_CLASSES])("%s has them but for its example inputs", async (name) => {
    const bytes = readFileSync(new URL(`${name}/program.pt2`, programs));
    const warnings: string[] = [];
    const again = await saved(await read(bytes), { onWarning: (message) => warnings.push(message) });
    expect(differing(bytes, again)).toEqual([SAMPLE_INPUTS, ".data/serialization_id"]);
    expect(entriesOf(again).get(SAMPLE_INPUTS)).toHaveLength(0);
    expect(warnings).toEqual([expect.stringContaining("the example inputs are left out of the file")]);
  });
});
