import { expect, test } from "vitest";
import { fixture, sconce } from "../command.fixture.js";

test("info --loops tells nests, costs and memory, and what stays with the interpreter", async () => {
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

test("print --format loops gives the nests, each under the nodes that it computes", async () => {
  const { out, code } = await sconce("print", fixture("api_sin_cos"), "--format", "loops");
  expect(code).toBe(0);
  expect(out).toContain("-> b2: f32[10, 10]  # sin, cos, add\n");
});

test("sizes that only a run tells are assumed, and comparisons of sizes stay with the interpreter", async () => {
  const { out, code } = await sconce("info", fixture("ops_indexing"), "--loops", "--json");
  expect(code).toBe(0);
  const { loops } = JSON.parse(out);
  expect(loops).toMatchObject({ sizes: { u0: 18 }, assumed: ["u0"] });
  expect(loops.host).toContainEqual({
    node: "ge",
    target: "operator.ge",
    reason: "it is a number computed from sizes, which no loop makes",
  });
  const text = await sconce("info", fixture("ops_indexing"), "--loops");
  expect(text.out).toContain("at u0=18 (assumed)");
  expect((await sconce("print", fixture("ops_indexing"), "--format", "loops")).code).toBe(0);
});
