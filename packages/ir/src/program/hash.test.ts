import { SymExpr } from "@sconce/symbolic";
import { Storage, Tensor } from "@sconce/tensor";
import { afterEach, describe, expect, test, vi } from "vitest";
import { edit } from "../graph/edit.js";
import { parseIr } from "../ir-text/parse-program.js";
import type { ExportedProgram } from "./program.js";

const TEXT = `sconce-ir 1
program "ATEN" {
  range "s77" [2, 64]
  range "u0" [0, 9]
  parameter "w": f32[2, 2]
  buffer "b": f32[2]
  constant "c": i64[]
  input %p_w: PARAMETER "w"
  input %b_b: BUFFER "b" persistent
  input %c_c: CONSTANT_TENSOR "c"
  input %x: USER_INPUT
  output %add: USER_OUTPUT
  call "" ((*), {}) -> *
}
graph(%p_w: f32[2, 2], %b_b: f32[2], %c_c: i64[], %x: f32[s77, 2]) {
  %mul: f32[s77, 2] = aten.mul.Tensor(%x, %b_b)
  %add: f32[s77, 2] = aten.add.Tensor(%mul, %c_c, alpha=1.0)
  return (%add)
}`;
const tensors = (): Map<string, Tensor> =>
  new Map([
    ["w", Tensor.from([1, 2, 3, 4], [2, 2], "float32")],
    ["b", Tensor.from([5, 6], [2], "float32")],
    ["c", Tensor.from([7n], [], "int64")],
  ]);
const program = parseIr(TEXT, { tensors: tensors() });
const reversed = <K, V>(map: ReadonlyMap<K, V>): Map<K, V> => new Map([...map].reverse());
/** Which of the hashes of two programs are equal. */
async function equal(a: ExportedProgram, b: ExportedProgram): Promise<Record<string, boolean>> {
  const [left, right] = [await a.hash(), await b.hash()];
  return {
    graph: left.graph === right.graph,
    weights: left.weights === right.weights,
    program: left.program === right.program,
  };
}
const ALL = { graph: true, weights: true, program: true };
const GRAPH = { graph: true, weights: false, program: false };
const WEIGHTS = { graph: false, weights: true, program: false };

afterEach(() => vi.unstubAllGlobals());

describe("content hashes", () => {
  test("are the same in every release of this version of the format", async () => {
    // A hash that something stored must stay valid: a change needs a new number in the hashed text.
    expect(await program.hash()).toMatchInlineSnapshot(`
      {
        "graph": "09642c0ed8b0fe93e81d796740fff3508cdadff81c1daa5ed3dbdeba9df6f951",
        "program": "ea5b34138c1e498b26e7bad1832fed2922b51c329e95e531e3855a8a6d86beed",
        "weights": "cde147d391ba3b7bc6b21ca1c5b9613dd5e1715b2da448c5fa04103cfc8765c5",
      }
    `);
  });

  test("do not depend on the order of maps, on metadata, examples, versions and history", async () => {
    const noted = edit(program.graph, (e) =>
      e.setMeta("mul", { ...e.node("mul").meta, stackTrace: "File m.py, line 1" }),
    );
    const other = program.with({
      graph: noted,
      stateDict: reversed(program.stateDict),
      rangeConstraints: reversed(program.rangeConstraints),
      torchVersion: "2.9.0",
      opsetVersion: { aten: 3 },
      symbolHints: new Map([["s77", 8]]),
      graphMetadata: { note: "x" },
      exampleInputs: { leaves: [Tensor.empty([3, 2], "float32")] },
    });
    expect(other.graph).not.toBe(program.graph);
    expect(await equal(program, other)).toEqual(ALL);
  });

  test("a changed weight changes `weights` and `program` alone", async () => {
    for (const [name, value] of [
      ["w", Tensor.from([1, 2, 3, 5], [2, 2], "float32")],
      ["b", Tensor.from([5, -0], [2], "float32")],
      ["c", Tensor.from([8n], [], "int64")],
    ] as const)
      expect(await equal(program, program.withState({ [name]: value }))).toEqual(GRAPH);
  });

  test.each([
    ["an operator", TEXT.replace("aten.mul.Tensor", "aten.div.Tensor")],
    ["an integer in place of a float", TEXT.replace("alpha=1.0", "alpha=1")],
    ["another keyword argument", TEXT.replace("alpha=1.0", "alpha=1.5")],
    ["a range", TEXT.replace("[2, 64]", "[2, 65]")],
    ["the name of an input", TEXT.replaceAll("%x", "%y")],
    ["the dialect", TEXT.replace('program "ATEN" {', 'program "TRAINING" {')],
    ["the calling convention", TEXT.replace("((*), {})", '((), {"x": *})')],
    ["a type", TEXT.replace("%x: f32[s77, 2]", "%x: f64[s77, 2]")],
  ])("%s changes `graph` and `program`", async (_, text) => {
    expect(text).not.toBe(TEXT);
    expect(await equal(program, parseIr(text, { tensors: tensors() }))).toEqual(WEIGHTS);
  });

  test("values are compared in row-major order, whatever the layout", async () => {
    const moved = new Storage(new Uint8Array(Float32Array.of(0, 1, 3, 2, 4).buffer));
    const w = new Tensor({
      dtype: "float32",
      shape: [2, 2],
      strides: [1, 2],
      storageOffset: 1,
      storage: moved,
    });
    expect(w.toArray()).toEqual([1, 2, 3, 4]);
    const stateDict = new Map([...program.stateDict, ["w", w] as const]);
    expect(await equal(program, program.with({ stateDict }))).toEqual(ALL);
  });

  test("state without values has another hash", async () => {
    const w = Tensor.withoutValues({ dtype: "float32", shape: [2, 2] });
    const stateDict = new Map([...program.stateDict, ["w", w] as const]);
    expect(await equal(program, program.with({ stateDict }))).toEqual(GRAPH);
  });

  test("are the same where there is no crypto.subtle, also for many chunks", async () => {
    const long = Tensor.from(new Float32Array(2 ** 20 + 3).fill(0.5), [2 ** 20 + 3], "float32");
    const large = program.with({ constants: new Map([...program.constants, ["long", long]]) });
    const expected = await large.hash();
    vi.stubGlobal("crypto", undefined);
    expect(await large.hash()).toEqual(expected);
  });

  test("report progress in bytes, and stop", async () => {
    const seen: [number, number, string][] = [];
    await program.hash({
      onProgress: ({ phase, done, total, item }) => {
        expect(phase).toBe("hash");
        seen.push([done, total, item]);
      },
    });
    expect(seen).toEqual([
      [0, 32, "w"],
      [16, 32, "b"],
      [24, 32, "c"],
      [32, 32, ""],
    ]);
    await expect(program.hash({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    await expect(program.hash({ sginal: undefined } as never)).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });

  test("expressions are content", async () => {
    expect(program.graph.node("x").meta.val).toMatchObject({ shape: [expect.any(SymExpr), 2] });
    const text = TEXT.replace("%x: f32[s77, 2]", "%x: f32[2*s77, 2]");
    expect(await equal(program, parseIr(text, { tensors: tensors() }))).toEqual(WEIGHTS);
  });
});
