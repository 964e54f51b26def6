import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nn, type torch } from "@sconce/capture";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import {
  Affine,
  affineOf,
  DIGITS,
  rowsOf,
  saveModel,
  tensorsIn,
  testFolder,
  writeShards,
} from "../batch.fixture.js";
import { type BatchEvent, runBatch } from "../index.js";

const folder = testFolder("batch");
const affine = await saveModel(folder, "affine", new Affine());

class Doubled extends nn.Module {
  override forward(x: ReturnType<typeof torch.ones>): unknown {
    return x.add(x);
  }
}

describe("a run in threads", () => {
  const COUNTS = [1, 4, 5, 19, 64];
  const shards = writeShards(folder, COUNTS);
  const inputs = join(shards, "*.safetensors");

  test("writes one file for each shard, whatever the number of rows", async () => {
    const output = join(folder, "out");
    const events: BatchEvent[] = [];
    const report = await runBatch({
      program: affine,
      inputs,
      output,
      batchSize: 8,
      workers: 2,
      onEvent: (event) => events.push(event),
    });
    expect(report).toMatchObject({
      shards: 5,
      written: 5,
      skipped: 0,
      setAside: [],
      rows: 93,
      stopped: false,
    });
    COUNTS.forEach((rows, i) => {
      const o0 = tensorsIn(join(output, `s00${i}.safetensors`)).get("o0")!;
      expect(o0.shape).toEqual([rows, 3]);
      expect(o0.toArray()).toEqual(affineOf(rowsOf(rows, i)));
    });
    expect(events.map(({ event }) => event)).toEqual(["start", ...COUNTS.map(() => "shard"), "end"]);
    expect(events.at(-2)).toMatchObject({ progress: { shards: 5, done: 5, rows: 93, secondsLeft: 0 } });
    expect(readdirSync(output).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("is skipped where results are there, and repeated where they, the rows or the program changed", async () => {
    const output = join(folder, "again");
    const run = (program = affine, batchSize = 8) =>
      runBatch({ program, inputs, output, batchSize, workers: 1 });
    expect(await run()).toMatchObject({ written: 5, skipped: 0 });
    const before = statSync(join(output, "s001.safetensors")).mtimeMs;
    expect(await run()).toMatchObject({ written: 0, skipped: 5, rows: 0 });
    expect(statSync(join(output, "s001.safetensors")).mtimeMs).toBe(before);
    writeFileSync(join(output, "s001.safetensors"), "other");
    rmSync(join(output, "s002.safetensors"));
    expect(await run()).toMatchObject({ written: 2, skipped: 3 });
    expect(await run(affine, 4)).toMatchObject({ written: 5, skipped: 0 });
    const other = await saveModel(folder, "other", new Doubled());
    expect(await run(other, 4)).toMatchObject({ written: 5, skipped: 0 });
  });

  test("pads the last batch of a program with a fixed batch size, and cuts the results", async () => {
    const program = await saveModel(folder, "fixed", new Affine(), 4);
    const output = join(folder, "fixed");
    expect(await runBatch({ program, inputs, output, workers: 2 })).toMatchObject({ written: 5, rows: 93 });
    COUNTS.forEach((rows, i) => {
      expect(
        tensorsIn(join(output, `s00${i}.safetensors`))
          .get("o0")!
          .toArray(),
      ).toEqual(affineOf(rowsOf(rows, i)));
    });
  });

  test("scores a part of the shards", async () => {
    const output = join(folder, "part");
    const report = await runBatch({ program: affine, inputs, output, part: [1, 2], workers: 1 });
    expect(report).toMatchObject({ shards: 2, written: 2 });
    expect(readdirSync(output).sort()).toEqual([".sconce-batch", "s001.safetensors", "s003.safetensors"]);
  });

  test("has no other bits with other batches or workers", async () => {
    const images = join(folder, "images");
    mkdirSync(images, { recursive: true });
    for (const i of [0, 1, 2]) {
      const data = Float32Array.from({ length: 30 * 64 }, (_, at) => ((at * (i + 3)) % 17) / 16);
      const image = Tensor.fromData(data, "float32", [30, 1, 8, 8]);
      writeFileSync(join(images, `i${i}.safetensors`), writeSafetensors(new Map([["image", image]])));
    }
    const outputs = await Promise.all(
      [1, 2].map(async (workers) => {
        const output = join(folder, `digits-${workers}`);
        await runBatch({ program: DIGITS, inputs: join(images, "*"), output, workers, batchSize: 16 });
        return [0, 1, 2].map((i) => readFileSync(join(output, `i${i}.safetensors`), "base64"));
      }),
    );
    expect(outputs[0]).toEqual(outputs[1]);
  });
});

/** The mean over the batch is taken from each row. */
class Centered extends nn.Module {
  override forward(x: ReturnType<typeof torch.ones>): unknown {
    return x.sub(x.mean([0], true));
  }
}

describe("a shard that fails", () => {
  const place = join(folder, "faults");
  mkdirSync(place, { recursive: true });
  const write = (name: string, columns: ReadonlyMap<string, Tensor>): void =>
    writeFileSync(join(place, `${name}.safetensors`), writeSafetensors(columns));
  const x = Tensor.fromData(rowsOf(6, 1), "float32", [6, 3]);
  write("a-good", new Map([["x", x]]));
  write("b-name", new Map([["y", x]]));
  write("c-dtype", new Map([["x", Tensor.from([[1, 2, 3]], { dtype: "int64" })]]));
  write("d-shape", new Map([["x", Tensor.fromData(rowsOf(2, 1), "float32", [3, 2])]]));
  write(
    "e-rows",
    new Map([
      ["x", x],
      ["z", Tensor.from([1, 2])],
    ]),
  );
  writeFileSync(
    join(place, "f-cut.safetensors"),
    readFileSync(join(place, "a-good.safetensors")).subarray(0, 60),
  );
  write("g-empty", new Map([["x", Tensor.empty([0, 3], "float32")]]));
  writeFileSync(join(place, "g-empty.ndjson"), "");
  writeFileSync(join(place, "h-row.ndjson"), '{"x":[1,2,3]}\n{"x":[4,5]}\n');
  writeFileSync(join(place, "i-value.ndjson"), '{"x":[1,2,3]}\n{"x":[4,"five",6]}\n');
  writeFileSync(join(place, "j-json.ndjson"), '{"x":[1,2,3]}\n{"x":[1,2,3]}\n{"x":[1,2');

  test("is tried again, set aside and named, and the others are written", async () => {
    const output = join(folder, "faults-out");
    const events: BatchEvent[] = [];
    const report = await runBatch({
      program: affine,
      inputs: join(place, "*"),
      output,
      backoff: 1,
      workers: 2,
      onEvent: (event) => events.push(event),
    });
    expect(report).toMatchObject({ shards: 11, written: 1 });
    const found = new Map(
      report.setAside.map(({ shard, attempts, error }) => [
        shard.replace(/^.*\//, ""),
        `${attempts} ${error.code} ${error.message} @ ${error.where?.replace(/^.*\//, "")}`,
      ]),
    );
    expect(Object.fromEntries([...found].sort())).toMatchInlineSnapshot(`
      {
        "b-name.safetensors": "3 BATCH_SHARD there is no column "x" or "i0" for the input float32[s77, 3] @ b-name.safetensors",
        "c-dtype.safetensors": "3 BATCH_SHARD the column "x" is int64[1, 3], and the program takes float32[rows, 3] @ c-dtype.safetensors",
        "d-shape.safetensors": "3 BATCH_SHARD the column "x" is float32[3, 2], and the program takes float32[rows, 3] @ d-shape.safetensors",
        "e-rows.safetensors": "3 BATCH_SHARD the columns have different numbers of rows: "z" 2, "x" 6 @ e-rows.safetensors",
        "f-cut.safetensors": "3 SAFETENSORS header of 64 bytes goes past the end of the file @ f-cut.safetensors: byte 0",
        "g-empty.ndjson": "3 BATCH_SHARD the shard has no rows @ g-empty.ndjson",
        "g-empty.safetensors": "3 BATCH_SHARD the shard has no rows @ g-empty.safetensors",
        "h-row.ndjson": "3 BATCH_SHARD the column "x" holds a list of 2 elements, and the program takes float32[3] a row @ h-row.ndjson: row 1",
        "i-value.ndjson": "3 BATCH_SHARD the column "x" holds "five", and the program takes float32[3] a row @ i-value.ndjson: row 1",
        "j-json.ndjson": "3 BATCH_SHARD the line is not JSON: Expected ',' or ']' after array element in JSON at position 9 @ j-json.ndjson: row 2",
      }
    `);
    expect(events.filter(({ event }) => event === "retry")).toHaveLength(20);
    expect(readdirSync(output).sort()).toEqual([".sconce-batch", "a-good.safetensors"]);
  });

  test("names an output that cannot be written", async () => {
    const output = join(folder, "unwritable");
    mkdirSync(join(output, "a-good.safetensors", "in-the-way"), { recursive: true });
    const report = await runBatch({ program: affine, inputs: join(place, "a-*"), output, attempts: 1 });
    expect(report.setAside).toMatchObject([
      {
        attempts: 1,
        error: {
          code: "FILE",
          message: expect.stringMatching(/cannot be written: .*a-good/),
          fix: expect.stringMatching(/^remove the folder/),
        },
      },
    ]);
    expect(readdirSync(output).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("is not hidden by a program whose rows depend on each other", async () => {
    const program = await saveModel(folder, "centered", new Centered());
    const report = await runBatch({
      program,
      inputs: join(place, "a-*"),
      output: join(folder, "centered"),
      attempts: 1,
    });
    expect(report.setAside).toMatchObject([{ error: { code: "BATCH_ROWS_MIX" } }]);
    expect(existsSync(join(folder, "centered", "a-good.safetensors"))).toBe(false);
  });
});

describe("a run that cannot begin", () => {
  const inputs = join(folder, "shards", "*");
  const output = join(folder, "never");

  test.each([
    ["no shards", { program: affine, inputs: join(folder, "none-*") }, "BATCH_OPTION", /no files match/],
    ["no program", { program: join(folder, "none.pt2"), inputs }, "FILE", /none\.pt2/],
    [
      "a program of another format",
      { program: join(folder, "shards", "s000.safetensors"), inputs },
      "BATCH_PROGRAM",
      /not a \.pt2 file/,
    ],
    ["no map", { program: affine, inputs, map: join(folder, "none.mjs") }, "BATCH_MAP", /none\.mjs/],
    ["no batch", { program: affine, inputs, batchSize: 0 }, "BATCH_OPTION", /batchSize/],
    ["an unknown backend", { program: affine, inputs, backend: "none" }, "UNKNOWN_BACKEND", /none/],
    [
      "a part that is none",
      { program: affine, inputs, part: [2, 2] as const },
      "BATCH_OPTION",
      /part 2 of 2/,
    ],
  ])("throws for %s", async (_, options, code, message) => {
    await expect(runBatch({ output, workers: 1, ...options })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test("throws for a program without rows, and for one that changes buffers", async () => {
    class Total extends nn.Module {
      override forward(x: ReturnType<typeof torch.ones>): unknown {
        return x.sum();
      }
    }
    const total = await saveModel(folder, "total", new Total());
    await expect(runBatch({ program: total, inputs, output, workers: 1 })).rejects.toMatchObject({
      code: "BATCH_PROGRAM",
      message: expect.stringMatching(/^no input shares its dimension 0 with all outputs/),
    });
    const training = await saveModel(folder, "training", new nn.BatchNorm1d(3));
    await expect(runBatch({ program: training, inputs, output, workers: 1 })).rejects.toMatchObject({
      code: "BATCH_PROGRAM",
      message: expect.stringMatching(/changes .*BUFFER_MUTATION/),
    });
  });
});

test("a run that is stopped writes what it began, and the next one goes on", async () => {
  const shards = writeShards(
    join(folder, "stopped"),
    Array.from({ length: 30 }, (_, i) => 10 + i),
  );
  const output = join(folder, "stopped-out");
  const controller = new AbortController();
  const options = { program: affine, inputs: join(shards, "*"), output, workers: 2 };
  const first = await runBatch({
    ...options,
    signal: controller.signal,
    onEvent: ({ event }) => {
      if (event === "shard") controller.abort();
    },
  });
  expect(first.stopped).toBe(true);
  expect(first.written).toBeLessThan(30);
  expect(readdirSync(output).filter((name) => name.endsWith(".safetensors"))).toHaveLength(first.written);
  expect(await runBatch(options)).toMatchObject({
    written: 30 - first.written,
    skipped: first.written,
    stopped: false,
  });
  for (let i = 0; i < 30; i++) {
    const o0 = tensorsIn(join(output, `s${String(i).padStart(3, "0")}.safetensors`)).get("o0")!;
    expect(o0.toArray()).toEqual(affineOf(rowsOf(10 + i, i)));
  }
});
