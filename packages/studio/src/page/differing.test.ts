import { expect, test } from "vitest";
import type { ComparisonView } from "../engine/protocol.js";
import { differingKeys, toleranceText } from "./differing.js";

const row = { target: "aten.sin.default", type: "float32[2]", maxAbsolute: 1, maxRelative: 1 } as const;
const view: ComparisonView = {
  inputs: "random",
  backends: ["cpu", "wasm"],
  first: "b",
  tolerances: [
    { dtype: "float32", atol: 1e-5, rtol: 1e-4 },
    { dtype: "float8_e8m0fnu", atol: 0, rtol: 1 },
  ],
  rows: [
    { ...row, key: ":a", node: "a", elements: 2, differing: 0, differs: false, problem: undefined },
    { ...row, key: ":b", node: "b", elements: 2, differing: 1, differs: true, problem: undefined },
    { ...row, key: undefined, node: "c", elements: 2, differing: 2, differs: true, problem: undefined },
  ],
};

test("names the rule, the backends and the bounds of each dtype", () => {
  expect(toleranceText(view)).toBe(
    "An element a on wasm differs from the element b on cpu when |a − b| > atol + rtol · |b|. " +
      "The values of atol and rtol are 1e-5 and 1e-4 for float32, 0 and 1 for float8_e8m0fnu. " +
      "Integers and bools must be equal.",
  );
  expect(toleranceText({ ...view, tolerances: [] })).toBe("Integers and bools must be equal.");
});

test("names the nodes that differ", () => {
  expect(differingKeys(view)).toEqual([":b"]);
  expect(differingKeys(undefined)).toEqual([]);
});
