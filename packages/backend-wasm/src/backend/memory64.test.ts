/** @file The option `memory64`: values above 4 GiB, and the same bits as with 32-bit addresses. */
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { memoryCache } from "../cache/kernel-cache.js";
import { MemoryOwner } from "../device/wasm-memory.js";
import { wideMemory } from "../device/wide-memory.js";
import { enableWideMemory, ownerAbove4GiB } from "../wide-memory.fixture.js";
import { autoBackend, reportWasm, wasmBackend } from "./backend.js";
import { backendOn } from "./open.js";

const wave = (shape: readonly number[], step: number) =>
  Tensor.fromData(
    Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i * step)),
    "float32",
    shape,
  );
const WEIGHT = wave([32, 32, 3, 3], 0.29);
const program = parseIr(
  `sconce-ir 1
program "ATEN" {
  parameter "k": f32[32, 32, 3, 3]
  input %k: PARAMETER "k"
  input %x: USER_INPUT
  input %w: USER_INPUT
  output %s: USER_OUTPUT
  output %v: USER_OUTPUT
  output %t: USER_OUTPUT
}
graph(%k: f32[32, 32, 3, 3], %x: f32[1, 32, 12, 12], %w: f32[144, 40]) {
  %c: f32[1, 32, 12, 12] = aten.convolution.default(%x, %k, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
  %m: f32[32, 144] = aten.view.default(%c, [32, 144])
  %a: f32[32, 40] = aten.mm.default(%m, %w)
  %g: f32[32, 40] = aten.gelu.default(%a)
  %s: f32[32, 40] = aten._softmax.default(%g, 1, false)
  %f: f32[32, 40] = aten.flip.default(%g, [1])
  %v: f32[40, 32] = aten.permute.default(%f, [1, 0])
  %t: f32[32, 40] = aten.cumsum.default(%f, 0)
  return (%s, %v, %t)
}`,
  { tensors: new Map([["k", WEIGHT]]) },
);
const inputs = [wave([1, 32, 12, 12], 0.37), wave([144, 40], 0.11)];
const bitsOf = (values: readonly unknown[]): string[] =>
  (values as Tensor[]).map((value) => Buffer.from(value.contiguous().storage.bytes).toString("base64"));

beforeAll(enableWideMemory);
afterEach(() => vi.restoreAllMocks());

describe.each([1, 2])("with %i threads", (threads) => {
  test("values above 4 GiB have the same bits", async () => {
    const owner = ownerAbove4GiB(threads);
    const narrow = await backendOn(new MemoryOwner(threads, { least: 0 })).compile(program);
    const wide = await backendOn(owner, { options: { memory64: true } }).compile(program);
    expect(wide.placement!().nodes.every(({ place }) => place === "device")).toBe(true);
    const wanted = bitsOf(await narrow.run(inputs));
    for (let run = 0; run < 3; run++) expect(bitsOf(await wide.run(inputs))).toEqual(wanted);
    // Nothing lies in the first 4 GiB.
    expect(new Uint8Array(owner.open().memory.buffer, 0, 2 ** 20).every((byte) => byte === 0)).toBe(true);
    wide.dispose();
    narrow.dispose();
    owner.close();
    owner.close();
  });
});

test("the option is a backend's own, and executables report it", async () => {
  const executable = await wasmBackend({ memory64: true, threads: 1 }).compile(program);
  expect(executable.placement!().device).toMatch(/^WebAssembly with .*, 64-bit addresses: 1 thread$/);
  executable.dispose();
  expect(() => wasmBackend({ memory64: 1 as unknown as boolean })).toThrow(
    expect.objectContaining({ code: "OPTION_VALUE" }),
  );
});

test("a cache has separate modules for both widths", async () => {
  const cache = memoryCache();
  const bits: string[][] = [];
  for (const memory64 of [false, true, false, true]) {
    const executable = await wasmBackend({ memory64, cache, threads: 1 }).compile(program);
    bits.push(bitsOf(await executable.run(inputs)));
    executable.dispose();
  }
  for (const other of bits) expect(other).toEqual(bits[0]);
});

test("tensors whose places need more than 32 bits run on the host", async () => {
  const large = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %c: USER_OUTPUT }
graph(%x: f32[1]) {
  %e: f32[65536, 32768] = aten.expand.default(%x, [65536, 32768])
  %c: f32[65536, 32768] = aten.cumsum.default(%e, 1)
  return (%c)
}`);
  const executable = await wasmBackend({ memory64: true, threads: 1 }).compile(large);
  // It is too large for the host, too, which allocates nothing.
  await expect(executable.run([wave([1], 1)])).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(executable.placement!().nodes.at(-1)).toMatchObject({
    place: "host",
    reason: "it takes a buffer of 8589934592 bytes, the device's largest has 2147483584",
  });
  executable.dispose();
});

test("full memory names the option", () => {
  const fixOf = (owner: MemoryOwner): unknown => {
    try {
      owner.open().take(2 ** 45);
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ code: "OUT_OF_MEMORY" });
      return (error as { fix: string }).fix;
    } finally {
      owner.close();
    }
  };
  expect(fixOf(new MemoryOwner(1))).toMatch("make the backend with `memory64: true`");
  expect(fixOf(new MemoryOwner(1, { wide: wideMemory() }))).not.toMatch("memory64");
});

test.each([1, 2])("memory of %i threads grows beyond 4 GiB where the engine can", (threads) => {
  const owner = new MemoryOwner(threads, { wide: wideMemory() });
  const memory = owner.open();
  const grow = (): number => [memory.take(2 ** 32), memory.take(100)].at(-1)!;
  // Node 20 has 64-bit addresses, and no more than 4 GiB.
  if (Number(process.versions.node.split(".")[0]) < 22)
    expect(grow).toThrow(expect.objectContaining({ code: "OUT_OF_MEMORY" }));
  else {
    const address = grow();
    expect(address).toBeGreaterThanOrEqual(2 ** 32);
    memory.write(address, Uint8Array.of(1, 2, 3));
    expect([...memory.read(address, 3)]).toEqual([1, 2, 3]);
  }
  owner.close();
});

test("an engine without 64-bit addresses is a typed error", async () => {
  // What the engine has besides is known by now.
  expect(reportWasm().reason).toBeUndefined();
  vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
  for (const make of [wasmBackend, autoBackend])
    await expect(make({ memory64: true }).compile(program)).rejects.toMatchObject({
      code: "NO_WASM",
      fix: expect.stringMatching("Node 24") as string,
    });
});
