import { symbolSources } from "@sconce/trace";
import { expect, test } from "vitest";
import { programOf } from "../programs.fixture.js";

/** The numbers are PyTorch's for these inputs. */
test("a symbol belongs to the input whose name gives its number", () => {
  const program = programOf(`graph(%x: f32[s77, s27], %y: f32[s77, s94]) {
    %z: f32[s77, s27] = aten.relu.default(%x)
    return (%z)
  }`);
  expect([...symbolSources(program)].map(([name, { placeholder, dim }]) => [name, placeholder, dim])).toEqual(
    [
      ["s77", "x", 0],
      ["s27", "x", 1],
      ["s94", "y", 1],
    ],
  );
});

test("a symbol whose number was taken has the next one", () => {
  const program = programOf(`graph(%y: f32[s18, 3]) {
    %z: f32[s18, 3] = aten.relu.default(%y)
    return (%z)
  }`);
  expect(symbolSources(program).get("s18")).toMatchObject({ placeholder: "y", dim: 0 });
});

test("a symbol of another number has no source", () => {
  const program = programOf(`graph(%x: f32[s50, 3]) {
    %z: f32[s50, 3] = aten.relu.default(%x)
    return (%z)
  }`);
  expect(symbolSources(program).size).toBe(0);
});

/** PyTorch's numbers for `forward(self, *x)`, whose inputs are `L['x'][0]` and `L['x'][1]`. */
test("an input of a list of arguments is found by its place", () => {
  const program = programOf(`graph(%x_0: f32[s53, 4, s71], %x_1: f32[s53, 4, s71]) {
    %y: f32[s53, 4, s71] = aten.add.Tensor(%x_1, %x_0)
    return (%y)
  }`);
  expect([...symbolSources(program)].map(([name, { placeholder, dim }]) => [name, placeholder, dim])).toEqual(
    [
      ["s53", "x_0", 0],
      ["s71", "x_0", 2],
    ],
  );
});
