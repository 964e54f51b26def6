/** @file Built modules: what they take and refuse, state, files, and how they load. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildModule } from "@sconce/build";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { describe, expect, test, vi } from "vitest";
import { bitsOf, leavesOf, type ModuleExports, moduleTensor, withModule } from "./built-modules.fixture.js";
import { PROGRAMS } from "./fixtures.js";

const open = (name: string): Promise<ExportedProgram> => openPt2File(`${PROGRAMS}${name}/program.pt2`);

/** A program with a weight, a buffer that runs write to, and a dynamic size of 2 to 9. */
function counter(): ExportedProgram {
  const values = (list: readonly number[]): Tensor => Tensor.from(list, { dtype: "float32" });
  const tensors = new Map([
    ["weight", values([2, 3])],
    ["total", values([0, 0])],
  ]);
  return parseIr(
    `program "ATEN" {
  range "s0" [2, 9]
  hint "s0" 3
  parameter "weight": f32[2]
  buffer "total": f32[2]
  input %w: PARAMETER "weight"
  input %t: BUFFER "total" persistent
  input %x: USER_INPUT
  output %next: BUFFER_MUTATION "total"
  output %y: USER_OUTPUT
  call "" ((*), {}) -> {"y": *} names ["x"]
}
graph(%w: f32[2], %t: f32[2], %x: f32[s0, 2]) {
  %y: f32[s0, 2] = aten.mul.Tensor(%x, %w)
  %sum: f32[2] = aten.sum.dim_IntList(%y, [0])
  %next: f32[2] = aten.add.Tensor(%t, %sum)
  return (%next, %y)
}
`,
    { tensors },
  );
}

/** Returns a file of weights with this header, and 64 bytes of data. */
function safetensors(header: string): Uint8Array {
  const file = new Uint8Array(8 + header.length + 64);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(new TextEncoder().encode(header), 8);
  return file;
}

const x = (rows: number): { shape: number[]; data: Float32Array } => ({
  shape: [rows, 2],
  data: new Float32Array(rows * 2).fill(1),
});

describe("a built module", () => {
  test("keeps what it writes between calls, and restores it", async () => {
    await withModule(counter(), {}, async ({ load }) => {
      const model = await load();
      for (const rows of [2, 5, 9])
        expect(leavesOf(await model.run({ x: x(rows) })).map(bitsOf)).toEqual([
          bitsOf(
            Tensor.from(
              Array.from({ length: rows }, () => [2, 3]),
              { dtype: "float32" },
            ),
          ),
        ]);
      model.reset();
      model.dispose();
      await expect(model.run({ x: x(2) })).rejects.toThrow("disposed");
    });
  });

  test("computes in JavaScript where nothing compiles WebAssembly", async () => {
    const sums = async (targets: readonly ("wasm" | "js")[], forbids: boolean): Promise<string[]> =>
      withModule(counter(), { targets }, async ({ load }, { files }) => {
        expect(files.has("model.wasm")).toBe(targets.includes("wasm"));
        if (forbids) vi.spyOn(WebAssembly, "compile").mockRejectedValue(new WebAssembly.CompileError("no"));
        const model = await load().finally(() => vi.restoreAllMocks());
        expect(model.target).toBe(forbids || !targets.includes("wasm") ? "js" : "wasm");
        const texts: string[] = [];
        // The memory grows with the sizes of calls, and keeps what is in it.
        for (const rows of [2, 9])
          texts.push(
            leavesOf(await model.run({ x: x(rows) }))
              .map(bitsOf)
              .join(),
          );
        model.reset();
        return texts;
      });
    const wanted = await sums(["wasm"], false);
    expect(await sums(["js"], false)).toEqual(wanted);
    expect(await sums(["wasm", "js"], false)).toEqual(wanted);
    expect(await sums(["wasm", "js"], true)).toEqual(wanted);
    await expect(sums(["wasm"], true)).rejects.toThrow("no");
    for (const targets of [[], ["gpu"], "js"])
      await expect(buildModule(counter(), { targets } as object)).rejects.toMatchObject({
        code: "OPTION_VALUE",
      });
  });

  test("in JavaScript grows its memory, and keeps weights and state", async () => {
    const program = parseIr(
      `program "ATEN" {
  range "s0" [2, 1000000]
  hint "s0" 3
  buffer "last": f32[2]
  input %t: BUFFER "last" persistent
  input %x: USER_INPUT
  output %next: BUFFER_MUTATION "last"
  output %y: USER_OUTPUT
  call "" ((*), {}) -> {"y": *} names ["x"]
}
graph(%t: f32[2], %x: f32[s0, 2]) {
  %y: f32[s0, 2] = aten.add.Tensor(%x, %t)
  %sum: f32[2] = aten.sum.dim_IntList(%x, [0])
  %next: f32[2] = aten.add.Tensor(%t, %sum)
  return (%next, %y)
}
`,
      { tensors: new Map([["last", Tensor.from([0, 0], { dtype: "float32" })]]) },
    );
    await withModule(program, { targets: ["js"] }, async ({ load }) => {
      const model = await load();
      const first = async (rows: number): Promise<number> =>
        (leavesOf(await model.run({ x: x(rows) }))[0] as { data: Float32Array }).data.at(-1)!;
      expect([await first(2), await first(200_000), await first(3)]).toEqual([1, 3, 200_003]);
      model.reset();
      expect(await first(2)).toBe(1);
    });
  });

  test("refuses what the program does not take, in its words", async () => {
    await withModule(counter(), {}, async ({ load, ModelError }) => {
      const model = await load();
      const refused = async (inputs: unknown): Promise<string> => {
        const error = await model.run(inputs).catch((one: unknown) => one);
        expect(error).toBeInstanceOf(ModelError);
        return `${(error as { code: string }).code} ${(error as Error).message}`;
      };
      expect(await refused({ x: x(10) })).toBe("GUARD_FAILED Guard failed: x.size()[0] <= 9");
      expect(await refused({ x: { shape: [3, 4], data: new Float32Array(12) } })).toBe(
        "GUARD_FAILED Guard failed: x.size()[1] == 2",
      );
      expect(await refused({ x: { shape: [6], data: new Float32Array(6) } })).toMatch(/^INPUT_RANK /);
      expect(await refused({ x: { shape: [3, 2], data: new Float64Array(6) } })).toMatch(
        /^INPUT_DTYPE .*Float32Array/,
      );
      expect(await refused({ x: { shape: [3, 2], data: new Float32Array(5) } })).toMatch(
        /^INPUT_ARRAY Expected 6/,
      );
      expect(await refused({ x: { shape: [-3, -2], data: new Float32Array(6) } })).toMatch(/^INPUT_RANK /);
      expect(await refused({ y: x(2) })).toBe(
        'KEYWORD_MISMATCH there is no argument "y"; the arguments are x',
      );
      expect(await refused({})).toMatch(/^INPUT_TYPE .*float32\[s0, 2\]/);
      expect(await refused(x(2).data)).toMatch(/^INVALID_ARGUMENT /);
      // A bare array says its shape where one size is dynamic.
      expect(leavesOf(await model.run({ x: new Float32Array(6) }))).toHaveLength(1);
    });
  });

  test("loads its files from where the caller says, with other weights too", async () => {
    const weights = writeSafetensors([
      ["weight", Tensor.from([1, 10], { dtype: "float32" })],
      ["total", Tensor.from([0, 0], { dtype: "float32" })],
    ]);
    await withModule(counter(), {}, async ({ load }, _, folder) => {
      const wasm = readFileSync(join(folder, "model.wasm"));
      const progress = vi.fn();
      const ways = [
        { weights, wasm: new WebAssembly.Module(wasm) },
        { weights: new Response(weights as Uint8Array<ArrayBuffer>), wasm },
        {
          weights: "https://files.example/w",
          fetch: async () => new Response(weights as Uint8Array<ArrayBuffer>),
          wasm,
        },
        { weights: weights.buffer, onProgress: progress },
      ];
      for (const way of ways) {
        const [y] = leavesOf(await (await load(way)).run({ x: x(2) }));
        expect(bitsOf(y)).toBe(
          bitsOf(
            Tensor.from(
              [
                [1, 10],
                [1, 10],
              ],
              { dtype: "float32" },
            ),
          ),
        );
      }
      expect(progress).toHaveBeenCalledWith({ file: "wasm", loaded: wasm.length, total: wasm.length });
      const failed = async (options: Readonly<Record<string, unknown>>): Promise<string> =>
        ((await load(options).catch((error: unknown) => error)) as Error).message;
      expect(await failed({ weights: weights.slice(0, 20) })).toMatch(/cut off/);
      expect(await failed({ weights: writeSafetensors([["weight", Tensor.from([1, 2, 3])]]) })).toMatch(
        /"weight" is I64\[3\]/,
      );
      expect(await failed({ weights: new Uint8Array(9) })).toMatch(/not JSON/);
      expect(await failed({ weights: safetensors("null") })).toMatch(/header is not an object/);
      for (const [offsets, message] of [
        ["[0,0]", /"weight" has 0 bytes, and 8 are needed/],
        ["[0,4]", /"weight" has 4 bytes, and 8 are needed/],
        ["[0,64]", /"weight" has 64 bytes, and 8 are needed/],
        ["7", /the bytes of "weight" are not in the file/],
      ] as const) {
        const entry = `{"dtype":"F32","shape":[2],"data_offsets":${offsets}}`;
        expect(await failed({ weights: safetensors(`{"weight":${entry},"total":${entry}}`) })).toMatch(
          message,
        );
      }
      await expect(load({ weights: "missing:here" })).rejects.toThrow(TypeError);
      const stopped = AbortSignal.abort(new Error("stopped"));
      expect(await failed({ signal: stopped })).toBe("stopped");
    });
  });

  test("reads weights that come in parts of any size", async () => {
    for (const packed of [false, true]) {
      const program = await open("net_resnet");
      const data = Float32Array.from({ length: 2 * 3 * 16 * 16 }, (_, i) => Math.sin(i));
      const x = { data, shape: [2, 3, 16, 16] };
      await withModule(program, { packed }, async ({ load }, { files }) => {
        const file = files.get("model.safetensors")!;

        const parts = (size: number, end = file.length): Response =>
          new Response(
            new ReadableStream({
              start(controller) {
                for (let at = 0; at < end; at += size)
                  controller.enqueue(file.slice(at, Math.min(end, at + size)));
                controller.close();
              },
            }),
          );
        const result = async (weights?: Response): Promise<string> =>
          bitsOf(leavesOf(await (await load({ weights })).run({ x }))[0]);
        const wanted = await result();
        for (const size of [3, 1000, 4096, file.length - 1]) expect(await result(parts(size))).toBe(wanted);
        for (const end of [0, 7, 100, file.length - 1])
          await expect(load({ weights: parts(999, end) })).rejects.toMatchObject({ code: "STATE_MISMATCH" });
        const stop = new AbortController();
        const onProgress = ({ file: which }: { readonly file: string }): void => {
          if (which === "weights") stop.abort(new Error("stopped"));
        };
        await expect(load({ weights: parts(999), signal: stop.signal, onProgress })).rejects.toThrow(
          "stopped",
        );
      });
    }
  });

  test("runs where modules have no address, from what the caller gives", async () => {
    await withModule(counter(), {}, async (_, { files }, folder) => {
      const text = readFileSync(join(folder, "model.mjs"), "utf8").replaceAll("import.meta.url", "undefined");
      writeFileSync(join(folder, "elsewhere.mjs"), text);
      const { load } = (await import(pathToFileURL(join(folder, "elsewhere.mjs")).href)) as ModuleExports;
      const wasm = new WebAssembly.Module(files.get("model.wasm") as Uint8Array<ArrayBuffer>);
      const model = await load({ wasm, weights: files.get("model.safetensors") });
      expect(leavesOf(await model.run({ x: x(2) }))).toHaveLength(1);
      for (const [given, missing] of [
        [{}, "wasm"],
        [{ wasm }, "weights"],
      ] as const)
        await expect(load(given)).rejects.toMatchObject({
          code: "FILE",
          message: expect.stringContaining(`pass "${missing}" to load`),
        });
    });
  });

  test("in one file, packed, and with both gives the same bits", async () => {
    const program = await open("net_resnet");
    const tensor = moduleTensor(
      Tensor.from(
        Array.from({ length: 2 * 3 * 16 * 16 }, (_, i) => Math.sin(i)),
        { dtype: "float32" },
      ),
    );
    const results: string[] = [];
    for (const options of [{}, { inline: true }, { packed: true }, { inline: true, packed: true }])
      await withModule(program, options, async ({ load }, { files }) => {
        if ("inline" in options)
          expect([...files.keys()].filter((name) => !name.endsWith("ts"))).toEqual(["model.mjs"]);
        const model = await load();
        const { shape } = inputOf(program);
        results.push(
          leavesOf(await model.run({ x: { data: tensor.data, shape: [2, ...shape.slice(1)] } }))
            .map(bitsOf)
            .join(),
        );
      });
    expect(new Set(results).size).toBe(1);
  });

  test("has the same bytes each time", async () => {
    const program = await open("net_bert");
    const [first, second] = [await buildModule(program), await buildModule(program)];
    expect([...first.files.keys()]).toEqual([
      "model.mjs",
      "model.d.ts",
      "model.d.mts",
      "model.wasm",
      "model.safetensors",
    ]);
    for (const [name, bytes] of first.files) expect(Buffer.compare(bytes, second.files.get(name)!)).toBe(0);
    expect(first.report).toEqual(second.report);
  });

  test("refuses indices outside of a table before it computes", async () => {
    await withModule(await open("net_bert"), {}, async ({ load }) => {
      const model = await load();
      const ids = (value: bigint): unknown => ({ shape: [2, 4], data: new BigInt64Array(8).fill(value) });
      const run = (value: bigint): Promise<unknown> =>
        model
          .run({ input_ids: ids(value), attention_mask: ids(1n), token_type_ids: ids(0n) })
          .catch((error: unknown) => error);
      for (const value of [-1n, 1_000_000n, 2n ** 62n])
        expect(await run(value)).toMatchObject({ code: "INDEX_OUT_OF_RANGE" });
    });
  });

  test("names every call that no module can hold, and writes nothing", async () => {
    const program = parseIr(`program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> * names ["x"]
}
graph(%x: f32[4]) {
  %total: f32[] = aten.sum.default(%x)
  %item: float(zuf0) = aten._local_scalar_dense.default(%total)
  %rounded: float(zuf1) = builtins.round(%item, 2)
  %z: f32[4] = aten.mul.Tensor(%x, %rounded)
  %again: f32[] = aten.sum.default(%z)
  %other: float(zuf2) = aten._local_scalar_dense.default(%again)
  %last: float(zuf3) = builtins.round(%other, 2)
  %y: f32[4] = aten.mul.Tensor(%z, %last)
  return (%y,)
}
`);
    const error = await buildModule(program).catch((one: unknown) => one);
    expect(isSconceError(error, "BUILD_UNSUPPORTED") && error.message).toMatch(
      /%rounded \(builtins\.round\): .* other call: %last \(builtins\.round\)/,
    );
    await expect(buildModule(counter(), { name: "../x" })).rejects.toMatchObject({ code: "OPTION_VALUE" });
    await expect(buildModule(counter(), { wasm: true } as object)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });
});

/** The shape of the first user input, with 2 for dynamic sizes. */
function inputOf({ graph, graphSignature }: ExportedProgram): { readonly shape: readonly number[] } {
  const { arg } = graphSignature.inputSpecs.find(({ kind }) => kind === "USER_INPUT")!;
  const { shape } = graph.node(arg.name).meta.val as { readonly shape: readonly unknown[] };
  return { shape: shape.map((size) => (typeof size === "number" ? size : 2)) };
}
