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
