import { readFileSync } from "node:fs";
import { type ExportedProgram, programText } from "@sconce/ir";
import { loadValues } from "@sconce/ir/load-values";
import { printIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import type { RandomAccess } from "../source.js";
import type { ReadPt2Options } from "./options.js";
import { makeLargePt2, makePt2, makeRecords } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";
import { pt2Pieces } from "./write/write.js";

const layouts = new URL("../../../testing/fixtures/pt2-layouts/", import.meta.url);
const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(`${name}.pt2`, layouts)));
const LAYOUTS = ["current", "deflated", "flat", "flat_old_schema", "pickled_weights"];

/** Bytes as a source of ranges, which counts what it gives. */
function counting(bytes: Uint8Array) {
  const counted = { bytes: 0, reads: 0 };
  const source: RandomAccess = {
    size: bytes.length,
    read: async (offset, length) => {
      counted.bytes += length;
      counted.reads++;
      return bytes.slice(offset, offset + length);
    },
  };
  return { source, counted };
}

const lazily = (source: RandomAccess, options: ReadPt2Options = {}): Promise<ExportedProgram> =>
  readPt2(source, { weights: "lazy", ...options });

/** An archive with the byte of some data changed. */
function damaged(bytes: Uint8Array, data: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy[Buffer.from(copy).indexOf(data)]! ^= 1;
  return copy;
}

describe("weights that are read when they are needed", () => {
  test.each(LAYOUTS)("%s: the program is the same, and so are its values [S-122]", async (name) => {
    const bytes = fixture(name);
    const want = await readPt2(bytes);
    const { source } = counting(bytes);
    const program = await lazily(source);
    const filled = [...program.stateDict, ...program.constants].filter(([, { numel }]) => numel > 0);
    expect(filled.map(([, { isLoaded, hasValues }]) => [isLoaded, hasValues])).toEqual(
      filled.map(() => [false, true]),
    );
    expect(programText(program)).toBe(programText(want));
    expect(printIr(program)).toBe(printIr(want));
    expect(verify(program)).toEqual([]);
    await loadValues(program);
    for (const [key, tensor] of [...want.stateDict, ...want.constants])
      expect([key, program.tensor(key)!.toArray()]).toEqual([key, tensor.toArray()]);
    expect(program.tensor("tied")!.storage).toBe(program.tensor("linear.bias")!.storage);
  });

  test("the graph of 50 MB takes less than 2 % of the bytes, and a tensor only its entry", async () => {
    const bytes = makeLargePt2(6_553_600);
    expect(bytes.length).toBeGreaterThan(50 * 2 ** 20);
    const { source, counted } = counting(bytes);
    const program = await lazily(source);
    expect(programText(program)).toContain("torch.ops.aten.mul.Tensor");
    expect(counted.bytes).toBeLessThan(bytes.length * 0.02);
    const before = counted.bytes;
    const v = await program.tensor("v")!.load();
    expect(counted.bytes - before).toBeLessThan(v.storage.byteLength + 2048);
    expect([v.data[0], v.data[999]]).toEqual([(6_553_600 - 1) % 1000, (6_553_600 - 1000) % 1000]);
    expect(program.tensor("w")!.isLoaded).toBe(false);
    const after = counted.bytes;
    const part = await program.tensor("w")!.storage.read(4 * 1001, 8);
    expect([...new Float32Array(part.buffer, part.byteOffset, 2)]).toEqual([1, 2]);
    expect(counted.bytes - after).toBeLessThan(2048);
  });

  test("values that are needed at once are a typed error, and are shown as not loaded", async () => {
    const program = await lazily(counting(makePt2()).source);
    const w = program.tensor("w")!;
    for (const access of [
      () => w.data,
      () => w.toArray(),
      () => w.storage.bytes,
      () => w.asStrided([1], [1]).toArray(),
    ])
      expect(access).toThrow(
        expect.objectContaining({ code: "VALUES_NOT_LOADED", where: "m/data/weights/weight_0" }),
      );
    expect(String(w)).toBe("tensor(..., not loaded, size=(3,), requires_grad=True)");
    expect(w.toJSON()).toEqual({ dtype: "float32", shape: [3] });
    await w.load();
    expect(String(w)).toBe("tensor([1., 2., 3.], requires_grad=True)");
  });

  test("checksums are compared when the data are read", async () => {
    const bytes = damaged(makePt2(), new Uint8Array(new Float32Array([1, 2, 3]).buffer));
    await expect(readPt2(bytes)).rejects.toMatchObject({ code: "ZIP_CRC" });
    const program = await lazily(counting(bytes).source);
    const w = program.tensor("w")!;
    await expect(w.load()).rejects.toMatchObject({ code: "ZIP_CRC", where: "m/data/weights/weight_0" });
    expect(w.isLoaded).toBe(false);
    const saving = async (): Promise<void> => {
      for await (const piece of pt2Pieces(program)) void piece;
    };
    await expect(saving()).rejects.toMatchObject({ code: "ZIP_CRC" });
    // A part alone cannot show it.
    expect(await w.storage.read(4, 8)).toHaveLength(8);
    expect(await w.storage.read(4, 9)).toHaveLength(8);
  });

  test("entries that are too short, and bombs, are refused with the program", async () => {
    const records = makeRecords();
    records.set("data/weights/weight_0", new Uint8Array(8));
    await expect(lazily(counting(makePt2(records)).source)).rejects.toMatchObject({ code: "PT2_WEIGHT" });
    const deflated = await lazily(counting(fixture("deflated")).source, { limits: { bytes: 20_000 } });
    expect(deflated.stateDict.size).toBeGreaterThan(0);
    await expect(
      lazily(counting(fixture("deflated")).source, { limits: { bytes: 10 } }),
    ).rejects.toMatchObject({ code: "ZIP_BOMB" });
  });

  test("a source of another length, and one that fails for a while", async () => {
    const bytes = makePt2();
    let fails = false;
    const source = {
      size: bytes.length,
      read: async (offset: number, length: number) => {
        if (fails) throw new Error("offline");
        return bytes.slice(offset, offset + length);
      },
    };
    const program = await lazily(source);
    fails = true;
    await expect(loadValues(program)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
    fails = false;
    await loadValues(program);
    expect(program.tensor("w")!.toArray()).toEqual([1, 2, 3]);
  });
});

describe("concurrent reading", () => {
  test("several callers share one read; one that gives up does not stop the others", async () => {
    const bytes = makeLargePt2(1000);
    const { source, counted } = counting(bytes);
    const program = await lazily(source);
    const before = counted.bytes;
    const given = new AbortController();
    const results = [
      expect(loadValues(program, { signal: given.signal })).rejects.toMatchObject({
        code: "ABORTED",
        cause: { message: "enough" },
      }),
      loadValues(program),
      program.tensor("w")!.load(),
      program.tensor("v")!.load(),
    ];
    given.abort(new Error("enough"));
    await Promise.all(results);
    expect(counted.bytes - before).toBeLessThan(bytes.length);
  });

  test("a part of a tensor that is given up does not stop the others", async () => {
    const program = await lazily(counting(makeLargePt2(1000)).source);
    const { storage } = program.tensor("w")!;
    const given = new AbortController();
    const part = storage.read(4, 4, given.signal);
    const other = storage.read(8, 4);
    given.abort(new Error("enough"));
    await expect(part).rejects.toMatchObject({ code: "ABORTED", cause: { message: "enough" } });
    expect([...new Float32Array((await other).slice().buffer)]).toEqual([2]);
  });

  test("when all give up the source is stopped, and the next caller reads anew", async () => {
    const bytes = makeLargePt2(100_000);
    const signals: (AbortSignal | undefined)[] = [];
    let holds = false;
    const source: RandomAccess = {
      size: bytes.length,
      read: async (offset, length, signal) => {
        signals.push(signal);
        if (holds) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        return bytes.slice(offset, offset + length);
      },
    };
    const program = await lazily(source);
    holds = true;
    const controller = new AbortController();
    const loading = loadValues(program, { signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: "ABORTED" });
    expect(signals.at(-1)!.aborted).toBe(true);
    holds = false;
    await loadValues(program);
    expect(program.tensor("w")!.data[1]).toBe(1);
  });

  test.each([
    ["current", 8],
    ["flat", 3],
  ])("%s: is aborted at every entry, and leaves nothing behind", async (name, least) => {
    const bytes = fixture(name);
    for (const weights of ["eager", "lazy"] as const) {
      const entries = new Set<string>();
      await readPt2(bytes, { weights, onProgress: ({ item }) => void entries.add(item) });
      expect(entries.size).toBeGreaterThan(least);
      for (const entry of [...entries].filter((item) => item !== "")) {
        const controller = new AbortController();
        const extraFiles = new Map<string, Uint8Array>();
        const onProgress = ({ item }: { item: string }) => item === entry && controller.abort();
        const options = { weights, extraFiles, signal: controller.signal, onProgress };
        await expect(readPt2(counting(bytes).source, options)).rejects.toMatchObject({ code: "ABORTED" });
        expect(extraFiles.size).toBe(0);
      }
    }
    expect(programText(await readPt2(bytes))).toBe(programText(await lazily(counting(bytes).source)));
  });

  test("progress goes from 0 to the bytes that are read", async () => {
    const bytes = makeLargePt2(1000);
    const seen: [number, number][] = [];
    const onProgress = ({ done, total }: { done: number; total: number }) => void seen.push([done, total]);
    const program = await lazily(counting(bytes).source, { onProgress });
    expect([seen[0]![0], seen.at(-1)![0]]).toEqual([0, seen[0]![1]]);
    expect(seen[0]![1]).toBeLessThan(bytes.length - 8000);
    seen.length = 0;
    await loadValues(program, { onProgress, parallel: 1 });
    expect(seen).toEqual([
      [0, 8000],
      [4000, 8000],
      [8000, 8000],
    ]);
    seen.length = 0;
    await loadValues(program, { onProgress, names: ["w"] });
    expect(seen).toEqual([]);
    await expect(loadValues(program, { names: ["u"] })).rejects.toMatchObject({ code: "UNKNOWN_STATE" });
    await expect(loadValues(program, { parallel: 0 })).rejects.toMatchObject({ code: "OPTION_VALUE" });
  });
});
