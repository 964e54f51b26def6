/** @file Names of reads of sizes where equal sizes are separate objects, beside PyTorch's. */
import { expect, test } from "vitest";
import { exportNames, nameCases, withoutPlaces } from "./dynamic-names.fixture.js";

/**
 * Models that read equal sizes of several tensors. A trace that identifies sizes by their values
 * numbers them otherwise.
 */
const EQUAL_SIZES = [4, 8, 44, 49, 78, 84, 109, 158, 192, 226, 227];

test.each(EQUAL_SIZES)("model %i has PyTorch's text, with all numbers of names", (position) => {
  const entry = nameCases[position]!;
  expect(withoutPlaces(String(exportNames(entry)))).toBe(entry.result.text);
});
