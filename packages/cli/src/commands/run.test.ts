import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandResult, fixture, PLUGIN, sconce } from "../command.fixture.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-cli-"));
});
afterAll(() => rm(folder, { recursive: true }));

const runProgram = (program: string, ...more: readonly string[]): Promise<CommandResult> =>
  sconce("run", fixture(program), "--inputs", fixture(program, "inputs.safetensors"), ...more);
const expecting = (program: string, ...more: readonly string[]): Promise<CommandResult> =>
  runProgram(program, "--expect", fixture(program, "outputs.safetensors"), ...more);

async function tensorFile(name: string, tensors: Readonly<Record<string, Tensor>>): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, writeSafetensors(Object.entries(tensors)));
  return path;
}

describe("sconce run", () => {
  test("gives PyTorch's numbers", async () => {
    expect(await expecting("net_mlp")).toEqual({
      code: 0,
      out: "o0: float32[3, 5]\noutputs are as expected\n",
      err: "",
    });
  });

  test("kernels of wasm are kept in a folder", async () => {
    const kernels = join(folder, "kernels");
    for (let i = 0; i < 2; i++)
      expect((await expecting("net_mlp", "--backend", "wasm", "--cache", kernels)).err).toBe("");
    expect(await readdir(kernels)).toHaveLength(1);
    const { code, err } = await runProgram("net_mlp", "--backend", "cpu", "--cache", kernels);
    expect(code).toBe(2);
    expect(err).toContain('error OPTION_VALUE: the option "cache" of the backend "cpu" cannot be "a cache"');
  });

  test("floats and ints keep their kind", async () => {
    const { out } = await runProgram("call_float_results");
    expect(out).toMatch(/^o0: float32\[4\]\ntensor\(\[.*\]\)\no1: 2\.0\n/);
    expect(out.slice(out.indexOf("o1"))).toBe("o1: 2.0\no2: 2\no3: true\no4: null\no5: 8\no6: -0.0\n");
    const { outputs } = JSON.parse((await runProgram("call_float_results", "--json")).out) as {
      outputs: unknown[];
    };
    expect(outputs.slice(1, 3)).toEqual([
      { kind: "float", value: 2 },
      { kind: "int", value: 2 },
    ]);
  });

  test("--lower runs the lowered program", async () => {
    expect(await expecting("net_mlp", "--lower")).toMatchObject({ code: 0 });
  });

  test("buffers and inputs that the program changes are compared too", async () => {
    for (const program of ["pm_buffer_updates", "pm_input_mutation"]) {
      expect(await expecting(program)).toMatchObject({ code: 0 });
      expect(await expecting(program, "--lower")).toMatchObject({ code: 0 });
    }
  });

  test("--outputs writes safetensors, and no half-written file stays", async () => {
    const path = join(folder, "out.safetensors");
    expect(await runProgram("net_mlp", "--outputs", path)).toMatchObject({ code: 0 });
    const { tensors } = readSafetensors(await readFile(path));
    expect([...tensors.keys()]).toEqual(["o0"]);
    expect(tensors.get("o0")!.shape).toEqual([3, 5]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("--profile shows what took longest, in text and in JSON", async () => {
    const run = [
      "run",
      fixture("net_mlp"),
      "--inputs",
      fixture("net_mlp", "inputs.safetensors"),
      "--profile",
    ];
    const { out, code } = await sconce(...run, "--backend", "cpu");
    expect(code).toBe(0);
    expect(out).toMatch(/^profile: \d+\.\d{3} ms in \d+ steps\n +\d+\.\d{3} ms +\d+\.\d % {2}\w+ \(aten\./m);
    const kernels = JSON.parse((await sconce(...run, "--backend", "gpujs:cpu", "--json")).out).profile;
    expect(kernels).toHaveLength(9);
    expect(kernels[0]).toEqual({
      node: expect.any(String),
      target: expect.stringMatching(/^aten\./),
      milliseconds: expect.any(Number),
      place: "device",
    });
  });

  test("--backend gpujs:MODE runs in kernels, and --placement shows what did", async () => {
    for (const mode of ["webasm", "cpu"]) {
      const { code, out } = await expecting("net_mlp", "--backend", `gpujs:${mode}`, "--placement");
      expect(code).toBe(0);
      expect(out).toContain("outputs are as expected\n");
      expect(out).toContain(`device ${mode}: gpu.js ${mode}\n`);
      expect(out).toMatch(/^(\d+) of \1 calls on the device, in 1 region and \d+ kernels; 1 tensor copied/m);
    }
    const unknown = await expecting("net_mlp", "--backend", "gpujs:abacus");
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining("UNKNOWN_GPU_MODE") });
  });

  test("--kernels shows loops, source and costs of each kernel", async () => {
    const { code, out } = await expecting("net_mlp", "--backend", "wasm", "--kernels");
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ kernels; \d+ values in [\d.]+ k?B of planned memory$/m);
    expect(out).toMatch(/^kernel 0: \w.*\n[\d.]+ k?flop, [\d.]+ k?B read and written\nnest 0/m);
    const { kernels } = JSON.parse((await expecting("net_mlp", "--kernels", "--json")).out);
    expect(kernels.kernels[0]).toMatchObject({ flops: expect.any(Number), source: expect.any(String) });
    const none = await expecting("net_mlp", "--backend", "cpu", "--kernels");
    expect(none.out).toContain("backend cpu makes no kernels\n");
  });

  test("--json", async () => {
    const { code, out } = await expecting("net_mlp", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      outputs: [{ dtype: "float32", shape: [3, 5] }],
      differences: [],
      ulp: { o0: expect.objectContaining({ finite: 15, max: expect.any(Number), nan: 0, infinite: 0 }) },
    });
  });

  test("scalars are given as JSON; constants of the export need not be", async () => {
    expect(await expecting("shape_int_input", "--scalars", '{"1": 4}')).toMatchObject({ code: 0 });
    expect(await expecting("shape_int_input", "--scalars", '{"1": 4, "2": 2.5}')).toMatchObject({ code: 0 });
  });

  test("a program with a custom operator runs with its plugin only", async () => {
    const refused = await runProgram("pm_custom_op");
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(
      /^error OPAQUE_OPERATORS: [^\n]*mylib\.sin\.default \(node "sin" and 1 more\)/,
    );
    expect(await expecting("pm_custom_op", "--plugin", PLUGIN)).toMatchObject({ code: 0 });
  });
});

describe("exit code 1", () => {
  test("numbers that differ", async () => {
    const want = await tensorFile("zeros.safetensors", { o0: Tensor.empty([3, 5], "float32") });
    const { code, out, err } = await runProgram("net_mlp", "--expect", want);
    expect([code, err]).toEqual([1, ""]);
    expect(out).toMatch(
      /\no0 differs: element \d+ is 0\.\d+, wanted 0\no0: max \S+ ULP, median \S+, 99 % within \S+; 15 finite numbers\n +0 +0\n/,
    );
  });

  test("distances in ULP count NaN and infinity separately, also where all is as expected", async () => {
    const values = [Number.NaN, Infinity, ...Array.from({ length: 13 }, () => 1)];
    const want = await tensorFile("nan.safetensors", { o0: Tensor.from(values, [3, 5], "float32") });
    const { code, out } = await runProgram("net_mlp", "--expect", want);
    expect(code).toBe(1);
    expect(out).toContain("; 13 finite numbers\n");
    expect(out).toMatch(/\n {2}1 NaN, 1 infinite; 2 differ\n$/);
    const near = await expecting("net_mlp", "--stats", "--backend", "wasm");
    expect(near.out).toMatch(/\no0: max \d+ ULP, median \d+, [\s\S]*#\noutputs are as expected\n$/);
  });

  test("wide tolerances accept them", async () => {
    const want = await tensorFile("zeros.safetensors", { o0: Tensor.empty([3, 5], "float32") });
    expect(await runProgram("net_mlp", "--expect", want, "--atol", "1")).toMatchObject({ code: 0 });
  });

  test("another dtype, another shape, an output that is not there", async () => {
    const want = await tensorFile("other.safetensors", {
      o0: Tensor.empty([3, 5], "float64"),
      o1: Tensor.empty([1], "float32"),
    });
    const { code, out } = await runProgram("net_mlp", "--expect", want, "--json");
    expect(code).toBe(1);
    expect((JSON.parse(out) as { differences: unknown }).differences).toEqual([
      { name: "o0", problem: "dtype float32, wanted float64" },
      { name: "o1", problem: "is not a tensor of this run" },
    ]);
  });
});

describe("--first-nonfinite", () => {
  test("says that all is finite, with exit code 0", async () => {
    expect(await runProgram("net_mlp", "--first-nonfinite")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^no NaN or infinity in the results of \d+ calls\n$/),
    });
  });

  test("names inputs and the first call, with exit code 1", async () => {
    const values = Array.from({ length: 36 }, (_, i) => (i === 13 ? Number.NaN : 1));
    const file = await tensorFile("nan.safetensors", { i0: Tensor.from(values, [3, 12], "float32") });
    const result = await runProgram("net_mlp", "--inputs", file, "--first-nonfinite", "nan");
    expect(result.code).toBe(1);
    expect(result.out).toContain(
      "input %x already holds NaN: float32[3, 12], 1 NaN of 36, the first NaN at [1, 1]",
    );
    expect(result.out).toContain("the first result with NaN is of %linear (aten.linear.default)\n  File: ");
    expect(result.out).toMatch(
      / {2}result 0: float32\[3, 24\], 24 NaN of 72, the first NaN at \[1, 0\]; from /,
    );
    expect(result.out).toMatch(/ {2}input %p_net_0_weight: float32\[24, 12\], finite, from -/);
    const asJson = await runProgram("net_mlp", "--inputs", file, "--first-nonfinite", "--json");
    expect(JSON.parse(asJson.out)).toMatchObject({
      sources: [{ kind: "input", name: "x", first: { index: [1, 1], value: "NaN" } }],
      first: { node: "linear", path: [] },
    });
  });

  test.each([
    ["--first-nonfinite: unknown value", ["--first-nonfinite", "zeros"]],
    ["so --outputs has no effect", ["--first-nonfinite", "--outputs", "out.safetensors"]],
    ["--first-nonfinite runs on the interpreter", ["--first-nonfinite", "--backend", "gpujs"]],
  ])("%s", async (message, args) => {
    const result = await runProgram("net_mlp", ...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(message);
  });
});

describe("exit code 2", () => {
  test.each([
    ["USAGE", "--scalars, character 1: it is not JSON", ["--scalars", "{1: 2}"]],
    ["USAGE", "--scalars is not a JSON object", ["--scalars", "[3]"]],
    ["USAGE", '--scalars: "x" is not a position', ["--scalars", '{"x": 3}']],
    ["USAGE", "--scalars: cannot read", ["--scalars", '{"0": {"float": "big"}}']],
    ["UNKNOWN_INPUT", "unknown input i7: the program takes 1", ["--scalars", '{"7": 3}']],
    ["USAGE", '--rtol must be a number of at least 0, got "-1"', ["--rtol=-1"]],
    ["UNKNOWN_BACKEND", 'unknown backend "gpu"', ["--backend", "gpu"]],
    ["INPUT_VALUE", "the input is given twice", ["--scalars", '{"0": 1}']],
    ["FILE", "there is no file or folder", ["--expect", "/absent.safetensors"]],
  ] as const)("%s: %s", async (code, message, args) => {
    const result = await runProgram("net_mlp", ...args);
    expect([result.code, result.out]).toEqual([2, ""]);
    expect(result.err).toContain(`error ${code}: ${message}`);
  });

  test("an input that is missing is reported with what the file has", async () => {
    const file = await tensorFile("named.safetensors", { images: Tensor.empty([1, 12], "float32") });
    const { code, err } = await sconce("run", fixture("net_mlp"), "--inputs", file);
    expect(code).toBe(2);
    expect(err).toMatch(/^error MISSING_INPUT: no value for input 0 \(x\)\n {2}in {2}.*images\n {2}fix .*i0/);
    expect((await sconce("run", fixture("net_mlp"))).err).toMatch(/^error MISSING_INPUT: /);
  });

  test.each([
    ["GUARD_FAILED", Tensor.empty([257, 12], "float32"), "x.size()[0] <= 256"],
    ["GUARD_FAILED", Tensor.empty([3, 11], "float32"), "x.size()[1] == 12"],
    ["INPUT_RANK", Tensor.empty([12], "float32"), "Unexpected number of dimensions"],
    ["INPUT_DTYPE", Tensor.empty([3, 12], "float64"), "float64"],
  ])("%s for a wrong input", async (code, tensor, message) => {
    const file = await tensorFile("wrong.safetensors", { i0: tensor });
    const { code: exit, err } = await sconce("run", fixture("net_mlp"), "--inputs", file);
    expect(exit).toBe(2);
    expect(err).toMatch(new RegExp(`^error ${code}: `));
    expect(err).toContain(message);
  });

  test("an input that the program does not have", async () => {
    const one = Tensor.empty([3, 12], "float32");
    const file = await tensorFile("more.safetensors", { i0: one, i1: one });
    const { code, err } = await sconce("run", fixture("net_mlp"), "--inputs", file);
    expect(code).toBe(2);
    expect(err).toContain("error UNKNOWN_INPUT: unknown input i1: the program takes 1");
  });

  test("expected values that name nothing, or are none", async () => {
    const odd = await tensorFile("odd.safetensors", { logits: Tensor.empty([1], "float32") });
    const empty = await tensorFile("empty.safetensors", {});
    for (const file of [odd, empty]) {
      const { code, err } = await runProgram("net_mlp", "--expect", file);
      expect(code).toBe(2);
      expect(err).toMatch(/^error EXPECTATION: /);
    }
  });

  test("a file that is not safetensors", async () => {
    const { code, err } = await sconce("run", fixture("net_mlp"), "--inputs", fixture("net_mlp"));
    expect(code).toBe(2);
    expect(err).toMatch(/^error OTHER_FORMAT: .*\n {2}in {2}.*program\.pt2/);
  });
});
