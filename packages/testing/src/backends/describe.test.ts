import { cpuBackend } from "@sconce/backend-cpu";
import type { Backend } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { type BackendSuite, describeBackends, type Runner, unsupportedNodes } from "./describe.js";
import { outputs } from "./spec-programs.js";

const cpu = cpuBackend();
const noAdd: Backend = {
  ...cpu,
  name: "no-add",
  supports: (node, graph) =>
    node.target === "aten.add.Tensor" ? { reason: "adds nothing", path: [] } : cpu.supports(node, graph),
};

/** What is registered, in order. */
class Recorder implements Runner {
  readonly titles: string[] = [];
  readonly bodies: (() => unknown)[] = [];

  describe(title: string, body: () => void): void {
    this.titles.push(`${title}:`);
    body();
  }
  test(title: string, body: () => unknown): void {
    this.titles.push(title);
    this.bodies.push(body);
  }
  skip(title: string): void {
    this.titles.push(`skipped: ${title}`);
  }
}

test("each backend has a suite, and what is left out says why", () => {
  const runner = new Recorder();
  const sources = ["cpu", noAdd, "abacus", { name: "gpu", unavailable: "no adapter" }] as const;
  describeBackends(sources, (suite) => suite.testProgram("adds", outputs, () => {}), { runner });
  expect(runner.titles).toEqual([
    "backend cpu:",
    "adds",
    "backend no-add:",
    "skipped: adds (no-add does not run %add = aten.add.Tensor: adds nothing)",
    "skipped: backend abacus is not available: the session has no backend of this name, only auto, cpu, wasm",
    "skipped: backend gpu is not available: no adapter",
  ]);
});

test("a test of a program gets it compiled", async () => {
  const runner = new Recorder();
  let results = 0;
  const suite = (context: BackendSuite): void =>
    context.testProgram("runs", outputs, async (executable, program) => {
      expect(program).toBe(outputs);
      results = (await executable.run([Tensor.empty([2, 2], "float32"), Tensor.empty([2], "float32")]))
        .length;
    });
  describeBackends([cpu], suite, { runner });
  await runner.bodies[0]!();
  expect(results).toBe(3);
});

describeBackends(["cpu"], (suite) => {
  test("runs and compiles programs", async () => {
    const inputs = [Tensor.empty([2, 2], "float32"), Tensor.empty([2], "float32")];
    expect(await suite.run(outputs, inputs)).toHaveLength(3);
    using executable = await suite.compile(outputs);
    expect(await executable.run(inputs)).toHaveLength(3);
    expect(suite.unsupported(outputs)).toEqual([]);
    expect(unsupportedNodes(noAdd, outputs)).toEqual([
      { node: "add", target: "aten.add.Tensor", reason: "adds nothing", path: [] },
    ]);
  });
});
