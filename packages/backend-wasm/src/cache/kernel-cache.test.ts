import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { detectFeatures, ModuleBuilder } from "@sconce/wasm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { wasmBackend } from "../backend/backend.js";
import type { WasmBackendOptions } from "../backend/options.js";
import { folderCache } from "./folder-cache-node.js";
import { type KernelCache, memoryCache } from "./kernel-cache.js";

const SIZE = 24;
const programOf = (op: string) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[${SIZE}, ${SIZE}], %x: f32[${SIZE}, ${SIZE}]) {
  %m: f32[${SIZE}, ${SIZE}] = aten.mm.default(%x, %w)
  %y: f32[${SIZE}, ${SIZE}] = aten.${op}.default(%m)
  return (%y)
}`).with({ stateDict: new Map([["w", filled(0.5)]]) });
const filled = (value: number): Tensor =>
  Tensor.fromData(new Float32Array(SIZE * SIZE).fill(value), "float32", [SIZE, SIZE]);

/** Compiles and runs; returns the first number, and how many modules were generated. */
async function ran(cache: KernelCache, op = "neg", options: WasmBackendOptions = {}) {
  const build = vi.spyOn(ModuleBuilder.prototype, "build");
  const before = build.mock.calls.length;
  const executable = await wasmBackend({ threads: 1, cache, ...options }).compile(programOf(op));
  const generated = build.mock.calls.length - before;
  const [y] = (await executable.run([filled(1)])) as Tensor[];
  executable.dispose();
  return [generated, y!.data[0]];
}
/** The negated sums. */
const NEGATIVE = -SIZE / 2;

// Features are found by modules, too.
detectFeatures();

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-cache-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

describe("a cache in memory", () => {
  test("gives equal kernels, and no others", async () => {
    const cache = memoryCache();
    expect(await ran(cache)).toEqual([1, NEGATIVE]);
    expect(await ran(cache)).toEqual([0, NEGATIVE]);
    expect(await ran(cache, "abs")).toEqual([1, -NEGATIVE]);
    expect(await ran(cache, "neg", { relaxed: false, winograd: 0 })).toEqual([1, NEGATIVE]);
    expect(await ran(cache, "abs")).toEqual([0, -NEGATIVE]);
  });

  test("keeps so many bytes", async () => {
    const cache = memoryCache({ maxBytes: 6 });
    const bytes = (count: number) => new Uint8Array(count);
    for (const name of ["a", "b"]) await cache.set(name, bytes(3));
    await cache.get("a");
    await cache.set("c", bytes(3));
    await cache.set("d", bytes(7));
    const kept = await Promise.all(["a", "b", "c", "d"].map((name) => cache.get(name)));
    expect(kept.map((one) => one?.length)).toEqual([3, undefined, 3, undefined]);
    await cache.set("a", bytes(6));
    expect([await cache.get("a"), await cache.get("c")]).toEqual([bytes(6), undefined]);
  });
});

describe("a cache in a folder", () => {
  const files = async () => (await readdir(folder)).map((name) => join(folder, name));

  test("outlives what made it", async () => {
    expect(await ran(folderCache(folder))).toEqual([1, NEGATIVE]);
    expect(await ran(folderCache(folder))).toEqual([0, NEGATIVE]);
    expect(await files()).toHaveLength(1);
  });

  test.each<[what: string, damage: (bytes: Buffer) => Uint8Array]>([
    ["a changed byte", (bytes) => bytes.map((byte, i) => (i === bytes.length - 9 ? byte ^ 1 : byte))],
    ["a changed digest", (bytes) => bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte))],
    ["half of it", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["nothing", () => new Uint8Array()],
    ["something else", () => new TextEncoder().encode("not a module")],
    ["a module alone", (bytes) => bytes.subarray(48)],
  ])("never runs a file with %s, and replaces it", async (_, damage) => {
    await ran(folderCache(folder));
    const [file] = await files();
    const good = await readFile(file!);
    await writeFile(file!, damage(good));
    expect(await ran(folderCache(folder))).toEqual([1, NEGATIVE]);
    expect(await readFile(file!)).toEqual(good);
    expect(await ran(folderCache(folder))).toEqual([0, NEGATIVE]);
  });

  test("never runs the file of other kernels", async () => {
    await ran(folderCache(folder), "abs");
    const [other] = await files();
    await ran(folderCache(folder), "neg");
    const [file] = (await files()).filter((name) => name !== other);
    await writeFile(file!, await readFile(other!));
    expect(await ran(folderCache(folder))).toEqual([1, NEGATIVE]);
  });

  test("serves several at once, and leaves no other files", async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => (await ran(folderCache(folder), i % 2 ? "neg" : "abs"))[1]),
    );
    expect(all).toEqual([0, 1, 2, 3, 4, 5].map((i) => (i % 2 ? NEGATIVE : -NEGATIVE)));
    expect(await files()).toHaveLength(2);
  });

  test("fails with the reason where it cannot be", async () => {
    const path = join(folder, "file");
    await writeFile(path, "");
    await expect(ran(folderCache(path))).rejects.toMatchObject({ code: "CACHE_FAILED" });
  });
});

test("what a cache throws has a code, and what it returns is checked", async () => {
  const broken = { get: () => Promise.reject(new Error("no disk")), set: () => undefined };
  await expect(ran(broken)).rejects.toMatchObject({
    code: "CACHE_FAILED",
    message: "the cache of kernels failed: no disk",
  });
  const strange = { get: () => "text", set: () => undefined } as unknown as KernelCache;
  expect(await ran(strange)).toEqual([1, NEGATIVE]);
  expect(() => wasmBackend({ cache: {} as KernelCache })).toThrow('"cache" of wasmBackend');
});
