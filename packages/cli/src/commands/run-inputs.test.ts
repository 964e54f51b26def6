import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";
import { findInput, type NamedInput } from "./input-names.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-inputs-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function tensorFile(name: string, tensors: Readonly<Record<string, Tensor>>): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, writeSafetensors(Object.entries(tensors)));
  return path;
}

/** `y = x * 2 + n`, and `i` as it is; `batch` holds `x` and `i`. */
const PROGRAM = `sconce-ir 1
program "ATEN" {
  range "s0" [2, 9]
  input %x: USER_INPUT
  input %i: USER_INPUT
  input %n: USER_INPUT
  output %y: USER_OUTPUT
  output %z: USER_OUTPUT
  call "" (({"x": *, "ids": *}, *), {}) -> {"sum": *, "ids": *} names ["batch", "n"]
}
graph(%x: f32[s0, 2], %i: i64[2], %n: int(s1)) {
  %mul: f32[s0, 2] = aten.mul.Tensor(%x, 2)
  %y: f32[s0, 2] = aten.add.Tensor(%mul, %n)
  %z: i64[2] = aten.clone.default(%i)
  return (%y, %z)
}`;
let program: string;
beforeAll(async () => {
  program = join(folder, "program.sir");
  await writeFile(program, PROGRAM);
});
const run = (...args: readonly string[]) => sconce("run", program, ...args);
const outputsOf = (text: string): unknown => JSON.parse(text).outputs;

const X = ["--input", "x=[[1, 2.5], [-3, 4]]"];
const I = ["--input", "i=[7, 9223372036854775807]"];
const N = ["--input", "n=1"];
const RESULT = `o0 ['sum']: float32[2, 2]
tensor([[ 3.,  6.],
        [-5.,  9.]])
o1 ['ids']: int64[2]
tensor([                  7, 9223372036854775807])
`;

describe("inputs by name", () => {
  test("as JSON, and results with their places", async () => {
    expect(await run(...X, ...I, ...N)).toEqual({ code: 0, out: RESULT, err: "" });
  });

  test("by position, and by the way to them", async () => {
    const more = ["--input", "batch['ids']=[7, \"9223372036854775807\"]", "--scalars", '{"2": 1}'];
    expect((await run("--input", "i0=[[1, 2.5], [-3, 4]]", ...more)).out).toBe(RESULT);
    expect((await run("--input", "*args[0]['x']=[[1, 2.5], [-3, 4]]", ...more)).out).toBe(RESULT);
  });

  test("a name of one input that is the position of another is refused", () => {
    const named = (position: number, name: string) =>
      ({ position: `i${position}`, name, path: name, leaf: { place: `*args[${position}]` } }) as NamedInput;
    const inputs = [named(0, "i1"), named(1, "i0"), named(2, "i2")];
    expect(() => findInput(inputs, "i0")).toThrow(/"i0" names two inputs: \*args\[0\] and \*args\[1\]/);
    expect(findInput(inputs, "*args[0]")).toBe(0);
    expect(findInput(inputs, "i2")).toBe(2);
  });

  test("in a file, some by name and some by position", async () => {
    const x = Tensor.from([
      [1, 2.5],
      [-3, 4],
    ]);
    const i = Tensor.from([7n, 2n ** 63n - 1n]);
    const file = await tensorFile("named.safetensors", { x, i1: i });
    expect((await run("--inputs", file, ...N)).out).toBe(RESULT);
    const one = await tensorFile("one.safetensors", { whatever: x });
    const two = await tensorFile("two.safetensors", { "batch['ids']": i, x });
    expect((await run("--input", `x=${one}`, "--input", `i=${two}`, ...N)).out).toBe(RESULT);
  });

  test("what JSON does not have is text: infinities, NaN, and integers past 2^53", async () => {
    const x = '[["nan", "-inf"], [-0.0, 1e39]]';
    const { out } = await run("--input", `x=${x}`, "--input", "i=[-9007199254740993, 3]", ...N, "--json");
    expect(out).toContain('"values": [["nan","-inf"],[1,"inf"]]');
    expect(out).toContain('"values": ["-9007199254740993",3]');
    expect(outputsOf(out)).toMatchObject([{ path: "['sum']", dtype: "float32", shape: [2, 2] }, {}]);
  });
});

describe("a .npy file", () => {
  const npy = (descr: string, order: string, shape: string, data: Uint8Array, version = 1): Uint8Array => {
    const header = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`;
    const length = version === 1 ? [header.length, 0] : [header.length, 0, 0, 0];
    const start = [0x93, ...Buffer.from("NUMPY"), version, 0, ...length];
    return Uint8Array.from([...start, ...Buffer.from(header), ...data]);
  };
  const floats = new Uint8Array(new Float32Array([1, 2.5, -3, 4]).buffer);
  const columns = new Uint8Array(new Float32Array([1, -3, 2.5, 4]).buffer);

  test.each([
    ["rows", npy("<f4", "False", "(2, 2)", floats)],
    ["columns", npy("<f4", "True", "(2, 2)", columns)],
    ["version 2", npy("<f4", "False", "(2, 2)", floats, 2)],
  ])("is read: %s", async (name, bytes) => {
    const path = join(folder, `${name}.npy`);
    await writeFile(path, bytes);
    expect(await run("--input", `x=${path}`, ...I, ...N)).toEqual({ code: 0, out: RESULT, err: "" });
  });

  test.each([
    ["it does not begin with the mark", Uint8Array.from([1, 2, 3])],
    ["its header is cut off", npy("<f4", "False", "(2, 2)", floats).subarray(0, 20)],
    ["its header is cut off", npy("<f4", "False", "(2, 2)", floats).subarray(0, 9)],
    ['its elements are ">f4"', npy(">f4", "False", "(2, 2)", floats)],
    ["its header has no dtype or no shape", npy("<f4", "False", "[2]", floats)],
    ["it has 16 bytes of elements, not 24", npy("<f4", "False", "(2, 3)", floats)],
  ])("is refused: %s", async (message, bytes) => {
    const path = join(folder, "bad.npy");
    await writeFile(path, bytes);
    const { code, err } = await run("--input", `x=${path}`, ...I, ...N);
    expect(code).toBe(2);
    expect(err).toMatch(/^error NPY: .*\n {2}in {2}input i0 \(x: float32\[s0, 2\]\)\n {2}fix /);
    expect(err).toContain(message);
  });
});

describe("drawn inputs", () => {
  test("are the same for a seed, with the sizes that are asked for", async () => {
    const draw = async (seed: string) => (await run("--random", seed, "--size", "s0=5", "--json")).out;
    const first = await draw("4");
    expect(outputsOf(first)).toMatchObject([{ shape: [5, 2] }, { shape: [2] }]);
    expect(await draw("4")).toBe(first);
    expect(await draw("5")).not.toBe(first);
  });

  test("stand in for those that are not given", async () => {
    const { out } = await run("--random", "1", ...I, "--size", "s0=2");
    expect(out).toContain("tensor([                  7, 9223372036854775807])\n");
  });

  test("have the sizes of those that are given", async () => {
    const path = join(folder, "sum.sir");
    await writeFile(
      path,
      `sconce-ir 1
program "ATEN" {
  range "s0" [1, 9]
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %z: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["x", "y"]
}
graph(%x: f32[s0], %y: f32[s0]) {
  %z: f32[s0] = aten.add.Tensor(%x, %y)
  return (%z)
}`,
    );
    const { code, out } = await sconce("run", path, "--random", "1", "--input", "y=[1, 2, 3, 4, 5, 6, 7]");
    expect([code, out.split("\n")[0]]).toEqual([0, "o0: float32[7]"]);
  });

  test("of the export: --samples", async () => {
    const { code, out } = await sconce("run", fixture("net_mlp"), "--samples", "--head", "2");
    expect([code, out]).toEqual([
      0,
      "o0: float32[3, 5], the first 2 of 15 elements\ntensor([0.2000, 0.2551])\n",
    ]);
  });
});

describe("errors name the input and the choices", () => {
  const ALL = "the inputs are i0 x (batch['x']): float32[s0, 2], i1 i (batch['ids']): int64[2], i2 n: int";

  test.each<[readonly string[], string, string]>([
    [[], "error MISSING_INPUT: no value for input 0 (x)\n", `--random SEED on random ones; ${ALL}\n`],
    [[...X, ...I], "error MISSING_INPUT: no value for input 2 (n)\n", "give --input n=VALUE"],
    [["--input", "y=[1]"], 'error UNKNOWN_INPUT: unknown input "y"\n', `fix ${ALL}\n`],
    [
      ["--input", "batch['idx']=[1]"],
      "error UNKNOWN_INPUT: ",
      `did you mean "batch['ids']" or "batch['x']"?`,
    ],
    [["--input", "i3=[1]"], "error UNKNOWN_INPUT: unknown input i3: the program takes 3", "fix "],
    [["--input", "x"], 'error USAGE: --input "x" has no name and value', "fix write --input NAME="],
    [[...X, ...X], "error INPUT_VALUE: the input is given twice", "in  input i0 (x: float32[s0, 2])"],
    [
      ["--input", "x=file.txt"],
      'error INPUT_VALUE: "file.txt" is not JSON, nor a .safetensors or .npy file',
      "in  input i0",
    ],
    [
      ["--input", "x=[[1, 2], [3]]"],
      "error TENSOR_VALUES: expected sequence of length 2 at dim 1 (got 1)",
      "in  input i0 (x: float32[s0, 2]): values[1]",
    ],
    [
      ["--input", "i=[1.5, 2]"],
      "error INPUT_VALUE: 1.5 is not an integer, as elements of int64 are",
      "in  input i1",
    ],
    [["--input", 'x=[["big", 2]]'], 'error INPUT_VALUE: "big" is not an element', "in  input i0"],
    [["--input", "x=missing.safetensors"], "error FILE: ", "missing.safetensors"],
    [["--samples"], "error NO_SAMPLE_INPUTS: the file has no example inputs", "give --random SEED"],
    [["--samples", "--random", "1"], "error USAGE: --samples and --random both give the inputs", "leave one"],
    [["--random", "x"], 'error USAGE: --random: "x" is not a seed', "whole number"],
    [["--random", "1", "--size", "s0"], 'error USAGE: --size "s0"', "--size s0=4"],
    [
      ["--random", "1", "--size", "s9=3"],
      'error NO_SAMPLE_INPUTS: inputs cannot be sampled: the inputs have no symbol "s9"',
      "s0",
    ],
    [["--random", "1", "--size", "s0=1"], "error NO_SAMPLE_INPUTS: ", "s0 = 1"],
    [["--size", "s0=3", ...X], "error USAGE: --size is of use with --random only", "--random SEED"],
    [
      [...X, ...I, ...N, "--head", "-1"],
      'error USAGE: --head: "-1" is not a number of elements',
      "such as 10",
    ],
  ])("%j", async (args, message, more) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
    expect(err).toContain(more);
  });

  test("a name of a file that no input has is refused where inputs are drawn", async () => {
    const file = await tensorFile("stray.safetensors", { xs: Tensor.from([[1.5, 2]]) });
    const { code, err } = await run("--inputs", file, "--random", "1");
    expect(code).toBe(2);
    expect(err).toMatch(/^error UNKNOWN_INPUT: unknown input "xs"\n {2}in {2}.*stray\.safetensors\n/);
  });
});

describe("printed results", () => {
  const all = [...X, ...I, ...N];

  test("--stats prints a summary in place of the values, --head some of them", async () => {
    expect((await run(...all, "--stats")).out).toBe(
      "o0 ['sum']: float32[2, 2]\n  min -5, max 9, mean 3.25, std 6.0208, 0 NaN, 0 Inf, 0 -Inf\n" +
        "o1 ['ids']: int64[2]\n  min 7, max 9223372036854775807, mean 4.61169e+18, std 6.52191e+18, 0 NaN, 0 Inf, 0 -Inf\n",
    );
    expect((await run(...all, "--stats", "--head", "1")).out).toContain("0 -Inf\ntensor([3.])\n");
    expect(outputsOf((await run(...all, "--stats", "--json")).out)).toMatchObject([
      { statistics: { min: -5, max: 9, mean: 3.25, nan: 0, positiveInfinity: 0 } },
      { statistics: { min: 7, max: "9223372036854775807" } },
    ]);
  });

  test("--head gives a flat list as JSON", async () => {
    const [first] = outputsOf((await run(...all, "--head", "3", "--json")).out) as [object];
    expect(first).toEqual({ path: "['sum']", dtype: "float32", shape: [2, 2], head: [3, 6, -5] });
  });

  test("JSON that is written can be read as an input again", async () => {
    const [{ values }] = outputsOf((await run(...all, "--json")).out) as [{ values: unknown }];
    const again = await run("--input", `x=${JSON.stringify(values)}`, ...I, ...N);
    expect(again.out).toContain("tensor([[ 7., 13.],\n        [-9., 19.]])");
  });

  test("a result that is written or compared prints no values", async () => {
    const path = join(folder, "out.safetensors");
    expect((await run(...all, "--outputs", path)).out).toBe(
      "o0 ['sum']: float32[2, 2]\no1 ['ids']: int64[2]\n",
    );
    expect((await run(...all, "--expect", path, "--head", "1")).out).toContain("tensor([3.])");
  });
});
