/** @file Random models over shared and derived dynamic sizes: PyTorch's verdicts and texts. */
import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { exportNames, type NameCase, nameCases, withoutPlaces } from "./dynamic-names.fixture.js";

/** The text of an export; undefined where Sconce refuses it. */
function textOf(entry: NameCase): string | undefined {
  try {
    return withoutPlaces(String(exportNames(entry)));
  } catch (failure) {
    if (!isSconceError(failure) || failure.code === "INTERNAL") throw failure;
    return undefined;
  }
}

const texts = nameCases.map(textOf);

test("verdicts are PyTorch's", () => {
  const differing = nameCases.flatMap(({ result }, i) =>
    (result.error === undefined) === (texts[i] !== undefined) ? [] : [i],
  );
  expect(differing).toEqual([]);
});

test("texts are PyTorch's, with all names", () => {
  const accepted = nameCases.flatMap(({ result: { text } }, i) => (text === undefined ? [] : [[i, text]]));
  expect(accepted.length).toBeGreaterThan(140);
  for (const [i, text] of accepted as [number, string][]) expect([i, texts[i]]).toEqual([i, text]);
});
