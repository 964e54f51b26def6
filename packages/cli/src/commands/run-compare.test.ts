import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-compare-"));
});
afterAll(() => rm(folder, { recursive: true }));

const compare = (backends: string, ...more: readonly string[]) =>
  sconce("run", fixture("net_mlp"), "--samples", "--compare", backends, ...more);

describe("sconce run --compare", () => {
  test("shows a line for each node", async () => {
    const { code, out } = await compare("cpu,gpujs:cpu");
    const lines = out.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toBe("gpujs:cpu compared with cpu: 8 nodes, 1 result");
    expect(lines[1]).toMatch(
      /^node +operator +dtype +shape +max abs +max rel +max ULP +median ULP +differs +ran on$/,
    );
    expect(lines[3]).toMatch(
      /^relu +aten\.relu\.default +float32 +\[3, 24\] +\S+ +\S+ +\d+ +\d+ +no +device$/,
    );
    expect(lines.slice(10)).toEqual([
      expect.stringMatching(/^o0: softmax +aten\.softmax\.int /),
      expect.stringMatching(/^o0: softmax: max \d+ ULP, median \d+, 99 % within \d+; 15 finite numbers$/),
      ...lines.slice(12, -1).map(() => expect.stringMatching(/^ +[\d-]+ +\d+ *#*$/)),
      "nothing differs",
    ]);
  });

  test("names calls as the program does, whatever functionalization names them", async () => {
    const { out } = await sconce("run", fixture("net_resnet"), "--samples", "--compare", "cpu,wasm");
    const calls = out.split("\n").filter((line) => / (device|host)$/.test(line));
    expect(calls.map((line) => line.split(/\s+/)[0])).toEqual(
      expect.arrayContaining(["conv2d", "relu_", "relu", "add_", "add__1", "linear"]),
    );
    expect(out).toMatch(/\nbatch_norm {2,}aten\._native_batch_norm/);
  });

  test("names the first node whose values differ, with exit code 1", async () => {
    const { code, out } = await compare("cpu,gpujs:cpu", "--rtol", "0", "--atol", "0");
    expect(code).toBe(1);
    expect(out).toMatch(/\nlinear .* yes {6}device\n/);
    expect(out).toMatch(
      /\nthe first node that differs is %linear \(aten\.linear\.default\): \d+ of 72 elements differ, the first at \[0, 0\]\n {2}\S+networks\.py:\d+\n$/,
    );
  });

  test("a backend of a plugin; JSON has the table and the first difference", async () => {
    const session = fileURLToPath(new URL("../../../session/dist/index.js", import.meta.url));
    const path = join(folder, "plugin.mjs");
    await writeFile(
      path,
      `import { cpuBackend, Tensor } from ${JSON.stringify(session)};
const kernels = { "aten.relu.default": ({ self }) => Tensor.empty(self.shape, self.dtype) };
export default { name: "zeros", backends: [{ ...cpuBackend({ kernels }), name: "zeros" }] };`,
    );
    const { code, out } = await compare("cpu,zeros", "--plugin", path, "--json");
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(report).toMatchObject({
      backends: ["cpu", "zeros"],
      differs: true,
      first: {
        node: "relu",
        target: "aten.relu.default",
        maxRelative: 1,
        ulp: { finite: 72, nan: 0, infinite: 0, max: expect.any(Number), histogram: expect.any(Array) },
      },
    });
    expect(report.nodes).toHaveLength(8);
    expect(report.outputs).toMatchObject([{ node: "softmax", differs: true }]);
  });

  test("with --lower the nodes of the lowered program", async () => {
    expect((await compare("cpu,gpujs:cpu", "--lower")).out).toMatch(/\naddmm +aten\.addmm\.default /);
  });

  test.each([
    ['USAGE: --compare takes two backends, got "cpu"', ["cpu"]],
    ['USAGE: --compare takes two backends, got "cpu,,gpujs"', ["cpu,,gpujs"]],
    [
      "USAGE: --compare reports how nodes differ, so --outputs has no effect",
      ["cpu,gpujs:cpu", "--outputs", "x"],
    ],
    [
      "USAGE: --compare names the backends, so --backend has no effect",
      ["cpu,gpujs:cpu", "--backend", "gpujs"],
    ],
    ["UNKNOWN_BACKEND: unknown backend", ["cpu,gpu"]],
    ["UNKNOWN_GPU_MODE: ", ["cpu,gpujs:abacus"]],
  ] as const)("%s", async (message, [backends, ...more]) => {
    const { code, out, err } = await compare(backends, ...more);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`error ${message}`);
  });

  test("and --first-nonfinite are two searches", async () => {
    const { code, err } = await compare("cpu,gpujs:cpu", "--first-nonfinite");
    expect(code).toBe(2);
    expect(err).toContain("so --compare has no effect");
  });
});
