import { parseIr } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";
import { loopsOf } from "./loops.js";

test("info --loops shows nests, costs and memory, and what stays with the interpreter", async () => {
  const { out, code } = await sconce("info", fixture("net_resnet"), "--loops", "--json");
  expect(code).toBe(0);
  const { loops } = JSON.parse(out);
  expect(loops).toMatchObject({ kernels: 9, sizes: { s77: 2 }, host: [] });
  const [region] = loops.regions;
  expect(region.peakBytes).toBeLessThanOrEqual(1.3 * region.liveBytes);
  expect(region.flops).toBe(
    region.nests.reduce((total: number, nest: { flops: number }) => total + nest.flops, 0),
  );
});

test("a program that cannot be lowered is the interpreter's, with the reason", () => {
  const shared = Tensor.from([1, 2], [2], "float32");
  const program = parseIr(
    'sconce-ir 1\nprogram "TRAINING" {\n  buffer "a": f32[2]\n  buffer "b": f32[2]\n' +
      '  input %a: BUFFER "a" persistent\n  input %b: BUFFER "b" persistent\n  output %c: USER_OUTPUT\n}\n' +
      "graph(%a: f32[2], %b: f32[2]) {\n  %w: f32[2] = aten.add_.Tensor(%a, 1)\n" +
      "  %c: f32[2] = aten.mul.Tensor(%b, %w)\n  return (%c)\n}\n",
    {
      tensors: new Map([
        ["a", shared],
        ["b", shared.withLayout([1], 0)],
      ]),
    },
  );
  const { lowered } = loopsOf(program, createSconce());
  expect(lowered.regions).toEqual([]);
  expect(lowered.left.map(({ node }) => node)).toEqual(["w", "c"]);
  expect(lowered.left[0]?.reason).toContain("the program cannot be lowered: ");
});

test("info --loops shows how many kernels are left where nests over the same rows are one", async () => {
  const { out } = await sconce("info", fixture("net_bert"), "--loops", "--json");
  const { kernels, rowKernels } = JSON.parse(out).loops;
  expect(rowKernels).toBeLessThan(kernels);
  const text = await sconce("info", fixture("net_bert"), "--loops");
  expect(text.out).toContain(
    `loops: ${kernels} nests (${rowKernels} kernels where those over the same rows are one)`,
  );
});

test("print --format loops gives the nests, each under the nodes that it computes", async () => {
  const { out, code } = await sconce("print", fixture("api_sin_cos"), "--format", "loops");
  expect(code).toBe(0);
  expect(out).toContain("-> b2: f32[10, 10]  # sin, cos, add\n");
});

test("sizes that only a run decides are assumed, and comparisons of sizes stay with the interpreter", async () => {
  const { out, code } = await sconce("info", fixture("ops_indexing"), "--loops", "--json");
  expect(code).toBe(0);
  const { loops } = JSON.parse(out);
  expect(loops).toMatchObject({ sizes: { u0: 18 }, assumed: ["u0"] });
  expect(loops.host).toContainEqual({
    node: "ge_4",
    target: "operator.ge",
    reason: "it is a number computed from sizes, which no loop makes",
  });
  const text = await sconce("info", fixture("ops_indexing"), "--loops");
  expect(text.out).toContain("at u0=18 (assumed)");
  expect((await sconce("print", fixture("ops_indexing"), "--format", "loops")).code).toBe(0);
});
