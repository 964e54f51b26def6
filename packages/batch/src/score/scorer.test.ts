import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import { savePt2File } from "@sconce/session/files";
import { describe, expect, test } from "vitest";
import { Affine, saveModel, tensorsIn, testFolder } from "../batch.fixture.js";
import type { ShardResult } from "../task.js";
import { scoreShard } from "./score-shard.js";

const folder = testFolder("scorer");
const affine = await saveModel(folder, "affine", new Affine());

interface Scored {
  readonly inputs: string;
  readonly program?: string;
  readonly output?: string;
  readonly map?: string;
  readonly keep?: readonly string[];
}

let scored = 0;

/** Scores a shard in this thread, in batches of four rows. */
async function score({ inputs, program = affine, map, keep = [], ...more }: Scored): Promise<ShardResult> {
  const { output = join(folder, `unused-${scored}.ndjson`) } = more;
  const mapHash =
    map === undefined ? undefined : createHash("sha256").update(readFileSync(map)).digest("hex");
  const programHash = createHash("sha256").update(readFileSync(program)).digest("hex");
  return scoreShard({
    options: { programHash, backend: "cpu", threads: 1, batchSize: 4, mapHash, keep },
    program,
    map,
    plugins: [],
    input: inputs,
    name: inputs,
    output,
    temporary: `${output}.${scored++}`,
  });
}

function mapModule(name: string, text: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, text);
  return path;
}

function texts(name: string, lines: readonly unknown[]): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "s.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return join(place, "s.ndjson");
}

test("an output below a file names the file", async () => {
  const file = join(folder, "in-the-way");
  writeFileSync(file, "");
  const inputs = texts("below-a-file", [{ x: [1, 2, 3] }]);
  await expect(score({ inputs, output: join(file, "s.ndjson") })).rejects.toMatchObject({
    code: "FILE",
    message: `the output cannot be written: ${file} is a file, not a folder`,
  });
});

describe("a map", () => {
  const lines = Array.from({ length: 7 }, (_, i) => ({ id: `row ${i}`, text: `${i} ${i + 1} ${i + 2}` }));

  test("makes the inputs of rows, and other columns of the results", async () => {
    const map = mapModule(
      "both",
      `export default {
        before: ({ text }) => ({ x: text.map((one) => one.split(" ").map(Number)) }),
        after: ({ o0 }, { id }, { firstRow }) => ({
          id,
          first: id.map((_, i) => o0.toArray()[i * 3]),
          row: id.map((_, i) => firstRow + i),
        }),
      };`,
    );
    const output = join(folder, "both.ndjson");
    await score({ inputs: texts("both", lines), output, map });
    const written = readFileSync(output, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(written).toEqual(lines.map(({ id }, i) => ({ id, first: 2 * i + 1, row: i })));
  });

  test.each([
    [
      "throws",
      "before: ({ text }) => { if (text.includes('5 6 7')) throw new Error('five'); return { x: text.map((one) => one.split(' ').map(Number)) }; }",
      /`before` of the map throws: five/,
      "row 5",
    ],
    [
      "throws after",
      "before: ({ text }) => ({ x: text.map(() => [1, 2, 3]) }), after: (o, { id }) => { if (id.includes('row 6')) throw new Error('six'); return o; }",
      /`after` of the map throws: six/,
      "row 6",
    ],
    [
      "throws for batches only",
      "before: ({ text }) => { if (text.length > 1) throw 'many'; return { x: text.map(() => [1, 2, 3]) }; }",
      /throws: many/,
      "rows 0 to 3",
    ],
    ["returns nothing", "before: () => {}", /returns no object of columns/, "rows 0 to 3"],
    [
      "returns other rows",
      "before: ({ text }) => ({ x: text.map(() => [1, 2, 3]).slice(1) })",
      /returns a column "x" of 3 rows, and there are 4/,
      "rows 0 to 3",
    ],
    ["returns a number", "before: () => ({ x: 3 })", /"x" that is not a tensor or an array/, "rows 0 to 3"],
    ["leaves an input out", "before: ({ text }) => ({ y: text })", /no column "x"/, undefined],
    [
      "returns a bad row",
      "before: ({ text }) => ({ x: text.map((one) => (one === '4 5 6' ? [1] : [1, 2, 3])) })",
      /a list of 1 elements/,
      "row 4",
    ],
  ])("that %s is named with its rows", async (name, text, message, where) => {
    const map = mapModule(name.replaceAll(" ", "-"), `export const map = { ${text} };`);
    const inputs = texts("faults", lines);
    await expect(score({ inputs, map })).rejects.toMatchObject({
      message: expect.stringMatching(message),
      where,
    });
  });

  test.each([
    ["that is not JavaScript", "export default {", /cannot be loaded/],
    ["without functions", "export const other = 1;", /exports no functions/],
    ["with other things", "export default { before: 3 };", /is not a function/],
  ])("%s is refused before anything runs", async (name, text, message) => {
    const map = mapModule(name.replaceAll(" ", "-"), text);
    await expect(score({ inputs: texts("refused", lines), map })).rejects.toMatchObject({
      code: "BATCH_MAP",
      message: expect.stringMatching(message),
    });
  });
});

test("kept columns are written beside the results", async () => {
  const inputs = texts("kept", [
    { id: "a", x: [1, 2, 3] },
    { id: "b", x: [4, 5, 6] },
  ]);
  const output = join(folder, "kept.csv");
  await score({ inputs, output, keep: ["id"] });
  expect(readFileSync(output, "utf8")).toBe("o0_0,o0_1,o0_2,id\n3,5,7,a\n9,11,13,b\n");
  await expect(score({ inputs, output, keep: ["name"] })).rejects.toThrow(
    'there is no column "name", which --keep names',
  );
});

/** Rows with an index past the end fail when they run. */
class Lookup extends nn.Module {
  readonly table = new nn.Embedding(10, 2);

  override forward(x: ReturnType<typeof torch.ones>): unknown {
    return this.table(x);
  }
}

test("a row that fails when it runs is named", async () => {
  const program = await saveModel(folder, "lookup", new Lookup(), "dynamic", "int64");
  const inputs = texts(
    "lookup",
    Array.from({ length: 9 }, (_, i) => ({ x: [1, 2, i === 6 ? 10 : 1] })),
  );
  await expect(score({ program, inputs })).rejects.toMatchObject({
    where: expect.stringMatching(/^row 6: node "embedding"/),
  });
});

/** The scale is one for all rows. */
class Scaled extends nn.Module {
  override forward(x: ReturnType<typeof torch.ones>, scale: ReturnType<typeof torch.ones>): unknown {
    return x.mul(scale);
  }
}

test("an input that is not along the batch dimension comes from a map", async () => {
  const program = join(folder, "scaled.pt2");
  const dynamicShapes = [{ 0: Dim("batch") }, {}];
  await savePt2File(
    exportProgram(new Scaled(), [torch.ones(5, 3), torch.ones(3)], { dynamicShapes }),
    program,
  );
  const inputs = texts("whole", [{ x: [1, 2, 3] }, { x: [4, 5, 6] }]);
  await expect(score({ program, inputs })).rejects.toThrow(
    "the input scale (float32[3]) is not along the batch dimension, and nothing gives its value",
  );
  const tensor = new URL("../../../tensor/dist/index.js", import.meta.url).href;
  const map = mapModule(
    "whole",
    `import { Tensor } from ${JSON.stringify(tensor)};
    export default { before: ({ x }) => ({ x, scale: Tensor.from([1, 10, 100], { dtype: "float32" }) }) };`,
  );
  const output = join(folder, "whole.safetensors");
  await score({ program, inputs, output, map });
  expect(tensorsIn(output).get("o0")!.toArray()).toEqual([1, 20, 300, 4, 50, 600]);
});
