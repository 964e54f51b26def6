/** @file Built modules with several kinds of kernels: for threads, and with relaxed SIMD. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { wasmBackend } from "@sconce/backend-wasm";
import { buildModule } from "@sconce/build";
import { Dim, exportProgram, nn, torch } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bitsOf, leavesOf, moduleTensor, withModule } from "./built-modules.fixture.js";
import { PROGRAMS } from "./fixtures.js";

afterEach(() => vi.restoreAllMocks());

/** Adds each input to what it keeps, and multiplies twice: kernels are large enough for threads. */
class Sums extends nn.Module {
  readonly first = new nn.Linear(96, 96);
  readonly second = new nn.Linear(96, 96);
  declare total: Tensor;

  constructor() {
    super();
    this.registerBuffer("total", torch.zeros([96]));
  }

  override forward(x: Tensor): Tensor {
    this.total.add_(x.sum(0));
    return this.second(this.first(x).tanh()).add(this.total);
  }
}
function sums(): ExportedProgram {
  torch.manualSeed(3);
  const rows = Dim("rows", { min: 2, max: 4096 });
  return exportProgram(new Sums().eval(), [rowsOf(3, 0)], { dynamicShapes: { x: { 0: rows } } });
}
const rowsOf = (rows: number, seed: number): Tensor =>
  torch
    .arange(rows * 96)
    .add(seed)
    .sin()
    .reshape([rows, 96]);
const given = (rows: number, seed: number) => ({ x: moduleTensor(rowsOf(rows, seed)) });

describe("threads", () => {
  test("give the bits of one thread, state and results in the order of calls", async () => {
    for (const inline of [false, true])
      await withModule(sums(), { threads: true, inline }, async ({ load }) => {
        const seen = new Set<string>();
        for (const threads of [1, 2, 3]) {
          const model = await load({ threads });
          expect(model.threads).toBe(threads);
          const runs = [400, 2, 700, 400].map((rows, seed) => model.run(given(rows, seed)));
          const bits = (await Promise.all(runs)).map((one) => bitsOf(leavesOf(one)[0]));
          model.reset();
          bits.push(bitsOf(leavesOf(await model.run(given(400, 0)))[0]));
          expect(bits.at(-1)).toBe(bits[0]);
          expect(bits[3]).not.toBe(bits[0]);
          seen.add(String(bits));
          model.dispose();
        }
        expect(seen.size).toBe(1);
      });
  });

  test("are as many as are asked for, one where memory cannot be shared", async () => {
    await withModule(sums(), { threads: true }, async ({ load, ModelError }) => {
      for (const threads of [0, -1, 1.5, "all", 1e9, null])
        await expect(load({ threads })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
      await expect(load({ threads: 0 })).rejects.toBeInstanceOf(ModelError);
      expect((await load({ threads: "auto" })).threads).toBeGreaterThan(0);
      expect((await load()).threads).toBe(1);
      vi.stubGlobal("SharedArrayBuffer", undefined);
      try {
        const model = await load({ threads: 4 });
        expect(model.threads).toBe(1);
        await model.run(given(5, 0));
      } finally {
        vi.unstubAllGlobals();
      }
    });
  });

  test("do not begin runs of a model that was disposed of", async () => {
    await withModule(sums(), { threads: true }, async ({ load }) => {
      const model = await load({ threads: 2 });
      const run = model.run(given(900, 0));
      const refused = model.run(given(900, 1));
      model.dispose();
      await expect(run).rejects.toMatchObject({ code: "DISPOSED" });
      await expect(refused).rejects.toMatchObject({ code: "DISPOSED" });
      await expect(model.run(given(4, 0))).rejects.toMatchObject({ code: "DISPOSED" });
    });
  });

  test("take kernels by the names of their files", async () => {
    await withModule(sums(), { threads: true, relaxed: true }, async ({ load }, { files }) => {
      const asked: string[] = [];
      const wasm = (name: string): Uint8Array => {
        asked.push(name);
        return files.get(name)!;
      };
      vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
      for (const threads of [1, 2]) (await load({ wasm, threads })).dispose();
      expect(asked).toEqual(["model.wasm", "model.threads.wasm"]);
      expect((await load({ wasm: files.get("model.wasm") })).threads).toBe(1);
      await expect(load({ wasm: files.get("model.wasm"), threads: 2 })).rejects.toThrow(
        /give `wasm` as a function/,
      );
    });
  });

  test("are refused for modules of one thread", async () => {
    for (const kind of ["threads", "relaxed"])
      await expect(buildModule(sums(), { targets: ["js"], [kind]: true })).rejects.toMatchObject({
        code: "OPTION_VALUE",
      });
    await withModule(sums(), { relaxed: true }, async ({ load }) => {
      await expect(load({ threads: 2 })).rejects.toThrow(/build it with threads/);
      expect((await load({ threads: "auto" })).threads).toBe(1);
    });
  });
});

test("threads share kernels around steps of the host, with the same bits and in the order of calls", async () => {
  torch.manualSeed(5);
  class Chosen extends nn.Module {
    readonly first = new nn.Linear(96, 96);
    readonly second = new nn.Linear(96, 96);
    declare total: Tensor;
    constructor() {
      super();
      this.registerBuffer("total", torch.zeros([96]));
    }
    override forward(x: Tensor): Tensor {
      const hidden = this.first(x).lgamma();
      const rows = hidden.sum(1).gt(0).nonzero().reshape(-1);
      this.total.add_(hidden.sum(0));
      return this.second(hidden).tanh().add(rows.sum()).add(this.total);
    }
  }
  const rows = Dim("rows", { min: 2, max: 4096 });
  const program = exportProgram(new Chosen().eval(), [rowsOf(3, 0)], { dynamicShapes: { x: { 0: rows } } });
  using executable = await wasmBackend({ threads: 1, relaxed: false }).compile(program);
  const inputs = [400, 2, 1200, 400].map((count, seed) => [count, seed] as const);
  const wanted: string[] = [];
  for (const [count, seed] of inputs) {
    const [y] = (await executable.run([rowsOf(count, seed)])) as [Tensor];
    wanted.push(bitsOf(y));
  }
  await withModule(program, { threads: true }, async ({ load }, { report }) => {
    expect(report.hostCalls.map(({ target }) => target)).toContain("aten.lgamma.default");
    for (const threads of [1, 2, 3]) {
      const model = await load({ threads });
      expect(model.threads).toBe(threads);
      const all = await Promise.all(inputs.map(([count, seed]) => model.run(given(count, seed))));
      expect(all.map((one) => bitsOf(leavesOf(one)[0]))).toEqual(wanted);
      model.dispose();
    }
    const model = await load({ threads: 2 });
    const run = model.run(given(900, 0));
    model.dispose();
    await expect(run).rejects.toMatchObject({ code: "DISPOSED" });
  });
});

test("engines with relaxed SIMD take kernels with it, others do not", async () => {
  // Flags hold for a whole process, so another one has the engine that is asked for.
  const flag = /^v20\./.test(process.version) ? ["--experimental-wasm-relaxed-simd"] : [];
  for (const options of [{}, { packed: true }, { threads: true }])
    await withModule(sums(), { relaxed: true, ...options }, async (_, { files }, folder) => {
      const data = [...moduleTensor(rowsOf(40, 1)).data];
      writeFileSync(
        join(folder, "main.mjs"),
        `import { readFileSync } from "node:fs";
import { load } from "./model.mjs";
const asked = [];
const wasm = (name) => {
  asked.push(name);
  return readFileSync(new URL(name, import.meta.url));
};
const x = { data: Float32Array.of(${data.join(",")}), shape: [40, 96] };
const { data } = await (await load({ wasm${"threads" in options ? ", threads: 2" : ""} })).run({ x });
console.log(JSON.stringify([asked, [...data]]));
`,
      );
      const run = (flags: readonly string[]): [string[], number[]] =>
        JSON.parse(
          execFileSync(process.execPath, [...flags, join(folder, "main.mjs")], { encoding: "utf8" }),
        );
      const [asked, relaxed] = run(flag);
      const kind = "threads" in options ? ".threads" : "";
      expect(asked).toEqual([`model.relaxed${kind}.wasm`]);
      expect(files.has(asked[0]!)).toBe(true);
      const [others, plain] = run(["--no-experimental-wasm-relaxed-simd"]);
      if (flag.length > 0) expect(others).toEqual([`model${kind}.wasm`]);
      using executable = await wasmBackend({ threads: 1, relaxed: false }).compile(sums());
      const [wanted] = (await executable.run([rowsOf(40, 1)])) as [Tensor];
      if (flag.length > 0) expect(plain).toEqual([...wanted.toArray()]);
      expect(relaxed).not.toEqual(plain);
      for (const [at, value] of relaxed.entries()) expect(value).toBeCloseTo(plain[at]!, 4);
    });
});

test("errors of steps between kernels are of the module's class", async () => {
  const program = await openPt2File(`${PROGRAMS}pm_nonzero_check/program.pt2`);
  await withModule(program, {}, async ({ load, ModelError }) => {
    const model = await load();
    const [name] = program.graphSignature.inputSpecs.flatMap(({ kind, arg }) =>
      kind === "USER_INPUT" ? [arg.name] : [],
    );
    const { shape } = program.graph.node(name!).meta.val as FakeTensor;
    const zeros = moduleTensor(torch.zeros(shape.map(Number)));
    const error: unknown = await model.run({ [name!]: zeros }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ModelError);
  });
});
