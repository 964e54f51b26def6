import { describe, expect, test } from "vitest";
import { PLUGIN, sconce } from "../command.fixture.js";

interface Row {
  readonly target: string;
  readonly schema: string;
  readonly tags: readonly string[];
  readonly decomposition: string;
  readonly backends: Readonly<Record<string, string>>;
}

const rows = async (...args: readonly string[]): Promise<Row[]> =>
  JSON.parse((await sconce("ops", "--json", ...args)).out) as Row[];

describe("sconce ops", () => {
  test("says how each is lowered and run, and counts", async () => {
    const { code, out, err } = await sconce("ops");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^aten\.relu\.default +core {2}kept {8}cpu: kernel, wasm: loops, gpujs: loops$/m);
    expect(out).toMatch(/^aten\.silu\.default +decomposed {2}cpu: kernel, wasm: loops, gpujs: loops$/m);
    expect(out).toMatch(
      /^aten\.reshape\.default +decomposed {2}cpu: decomposition, wasm: loops, gpujs: loops$/m,
    );
    expect(out).toMatch(/^aten\.detach_\.default +kept +cpu: shape rule, wasm: loops, gpujs: loops$/m);
    expect(out).toMatch(/^\d+ operators: \d+ core, \d+ composite, \d+ decomposed by default/m);
    expect(out).toMatch(/^cpu: \d+ kernel, \d+ decomposition/m);
    expect(out).toMatch(/^PyTorch's \d+ overloads: \d+ have a row, \d+ in-place and out= ones follow/m);
  });

  test("--schema", async () => {
    const { out } = await sconce("ops", "--name", "aten.relu.", "--schema");
    expect(out).toMatch(
      /^core {2}kept +cpu: kernel, wasm: loops, gpujs: loops +aten::relu\(Tensor self\) -> Tensor\n1 operator: 1 core/,
    );
  });

  test("--json, --backend and --plugin", async () => {
    const all = await rows("--backend", "cpu", "--plugin", PLUGIN);
    expect(all.find(({ target }) => target === "aten.relu.default")).toEqual({
      target: "aten.relu.default",
      schema: "aten::relu(Tensor self) -> Tensor",
      tags: ["core", "pointwise"],
      decomposition: "none",
      backends: { cpu: "kernel", wasm: "loops", gpujs: "loops" },
    });
    expect(all.find(({ target }) => target === "mylib.sin.default")).toMatchObject({
      decomposition: "on request",
      backends: { cpu: "decomposition", wasm: "decomposition", gpujs: "decomposition" },
    });
    expect(all.every(({ backends }) => Object.hasOwn(backends, "cpu"))).toBe(true);
  });

  test("--core, --composite and --name", async () => {
    const core = await rows("--core");
    expect(core.length).toBeGreaterThan(150);
    expect(core.every(({ tags }) => tags.includes("core"))).toBe(true);
    const pools = await rows("--composite", "--name", "pool");
    expect(pools.length).toBeGreaterThan(0);
    expect(pools.every(({ target, tags }) => target.includes("pool") && tags.includes("composite"))).toBe(
      true,
    );
  });

  test("--missing lists PyTorch's overloads without a row, and why they are refused", async () => {
    const { out } = await sconce("ops", "--missing", "--name", "cudnn_convolution");
    expect(out).toMatch(
      /^refused as device, \d+ overloads: each runs on one kind of device only\n {2}aten::/,
    );
    expect(out).toContain("  aten::cudnn_convolution(");
    expect(out).toMatch(/\n\d+ of PyTorch's overloads are refused by class, 0 are not implemented\n$/);
    const missing = JSON.parse((await sconce("ops", "--missing", "--json")).out) as {
      readonly schema: string;
      readonly class: string | null;
      readonly reason: string | null;
    }[];
    expect(missing.some(({ schema }) => /^aten::relu_?\(/.test(schema))).toBe(false);
    const sparse = missing.find(({ schema }) => schema.startsWith("aten::to_sparse("));
    expect(sparse).toMatchObject({ class: "sparse", reason: expect.stringContaining("sparse tensor") });
  });

  test("an unknown backend", async () => {
    const { code, out, err } = await sconce("ops", "--backend", "gpu");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      'error UNKNOWN_BACKEND: unknown backend "gpu"; the backend for GPUs is "gpujs"\n' +
        '  fix use the name "gpujs"\n  see sconce explain UNKNOWN_BACKEND\n',
    );
  });

  test("--missing takes no filter that only rows have", async () => {
    const { code, err } = await sconce("ops", "--missing", "--core");
    expect(code).toBe(2);
    expect(err).toContain("error USAGE: --missing and --core do not go together");
  });
});
