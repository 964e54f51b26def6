import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

const bench = (...more: readonly string[]) =>
  sconce("bench", fixture("net_mlp"), "--samples", "--rounds", "2", "--milliseconds", "1", ...more);

let folder: string;
let pluginModule: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-bench-"));
  pluginModule = join(folder, "plugin.mjs");
  const session = fileURLToPath(new URL("../../../session/dist/index.js", import.meta.url));
  await writeFile(
    pluginModule,
    `import { cpuBackend } from ${JSON.stringify(session)};
export default { name: "zeros", backends: [{ ...cpuBackend(), name: "zeros" }] };`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

describe("sconce bench", () => {
  test("shows a line for each backend", async () => {
    const { code, out } = await bench();
    const lines = out.trimEnd().split("\n");
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/program\.pt2: 2 backends, times in milliseconds$/);
    expect(lines[1]).toMatch(/^backend +compile +first run +median +least +CPU +CPU \/ least CPU +runs$/);
    expect(lines.slice(2).map((line) => line.split(/ +/)[0])).toEqual(["cpu", "wasm"]);
  });

  test("prints JSON: each time, and what computed", async () => {
    const { code, out } = await bench("--backend", "gpujs:cpu,cpu", "--json");
    expect(code).toBe(0);
    const time = expect.any(Number);
    const times = { compile: time, first: time, median: time, least: time, cpu: time, runs: time };
    const { results, threads } = JSON.parse(out);
    expect(threads).toBe(1);
    expect(results).toEqual([
      { backend: "gpujs:cpu", device: expect.any(String), ...times },
      { backend: "cpu", ...times },
    ]);
    for (const { least, median, runs } of results) {
      expect(least).toBeGreaterThan(0);
      expect(median).toBeGreaterThanOrEqual(least);
      expect(runs).toBeGreaterThanOrEqual(2);
    }
  });

  test("keeps inputs and results in the memory of backends that have one", async () => {
    const { code, out } = await bench("--backend", "cpu,wasm,gpujs:cpu", "--resident");
    expect(code).toBe(0);
    expect(out).toMatch(/\ncpu +.*\nwasm +.*\ngpujs:cpu +/);
  });

  test("makes inputs as `run` does", async () => {
    const { code, err } = await sconce("bench", fixture("net_mlp"), "--backend", "cpu");
    expect(code).toBe(2);
    expect(err).toContain("error MISSING_INPUT: ");
    const { out } = await sconce(
      ...[
        "bench",
        fixture("net_mlp"),
        "--random",
        "1",
        "--backend",
        "cpu",
        "--rounds",
        "1",
        "--milliseconds",
        "1",
      ],
    );
    expect(out).toMatch(/\ncpu +/);
  });

  test("threads are for the backends that can have several", async () => {
    const { code, out } = await bench("--backend", "cpu,auto", "--threads", "2");
    expect(code).toBe(0);
    expect(out).toMatch(/\ncpu +.*\nauto +/);
  });
  test("threads are not for backends of plugins", async () => {
    const { code, err } = await bench("--backend", "zeros", "--threads", "2", "--plugin", pluginModule);
    expect(code).toBe(2);
    expect(err).toContain('error USAGE: --threads has no effect on the backend "zeros" of a plugin');
    expect((await bench("--backend", "zeros", "--plugin", pluginModule)).out).toMatch(/\nzeros +/);
  });

  test("kernels are kept in a folder", async () => {
    const kernels = join(folder, "kernels");
    const cached = async (): Promise<unknown> => {
      const { code, err } = await bench("--backend", "cpu,wasm", "--cache", kernels);
      expect(`${code}${err}`).toBe("0");
      return readdir(kernels);
    };
    const files = await cached();
    expect(files).toHaveLength(1);
    expect(await cached()).toEqual(files);
    const { err } = await bench("--backend", "zeros", "--plugin", pluginModule, "--cache", kernels);
    expect(err).toContain('error USAGE: --cache has no effect on the backend "zeros" of a plugin');
  });

  test.each([
    ['USAGE: --backend takes names of backends, got "cpu,"', ["--backend", "cpu,"]],
    ['USAGE: --backend names "cpu" twice', ["--backend", "cpu,wasm,cpu"]],
    ['USAGE: --rounds: "0" is not a count', ["--rounds", "0"]],
    ['USAGE: --threads: "two" is not a count', ["--threads", "two"]],
    ["UNKNOWN_BACKEND: unknown backend", ["--backend", "cpu,gpu"]],
    [
      'OPTION_VALUE: the option "threads" of the backend "cpu" cannot be 2',
      ["--backend", "cpu", "--threads", "2"],
    ],
    [
      'OPTION_VALUE: the option "cache" of the backend "cpu" cannot be "a cache"',
      ["--backend", "cpu", "--cache", "kernels"],
    ],
    [
      'OPTION_VALUE: the option "threads" of the backend "gpujs:cpu" cannot be 2',
      ["--backend", "gpujs:cpu", "--threads", "2"],
    ],
  ] as const)("%s", async (message, more) => {
    const { code, out, err } = await bench(...more);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`error ${message}`);
  });
});
