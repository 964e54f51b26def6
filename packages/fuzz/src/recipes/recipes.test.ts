import { Budget, type SconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { MOST_WORK } from "../support/driver.js";
import { golden } from "./golden-inputs.js";
import { failureOf, isComplete } from "./measure.js";
import { FORMATS, READ, type RecipeFormat } from "./recipe.js";
import { RECIPES } from "./recipes.js";

const formats = Object.keys(FORMATS) as RecipeFormat[];
const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

test("there are 450 recipes, which are all different", () => {
  expect(RECIPES.length).toBeGreaterThanOrEqual(450);
  const files = RECIPES.map(({ format, make }) => `${format} ${keyOf(make())}`);
  expect(new Set(files).size).toBe(RECIPES.length);
});

test.each(formats)("%s: the file that recipes begin with is sound", async (format) => {
  const bytes = golden(FORMATS[format]);
  await READ[format](bytes, new Budget(bytes.length));
});

describe.each(formats)("%s: each recipe is rejected with code, place and fix, and little work", (format) => {
  const recipes = RECIPES.filter((recipe) => recipe.format === format);
  test.each(recipes.map((recipe) => [recipe.name, recipe] as const))("%s", async (_, recipe) => {
    const bytes = recipe.make();
    const budget = new Budget(bytes.length);
    const { nodes, terms, bytes: unpacked } = budget.limits;
    const error = await failureOf(recipe, bytes, budget);
    expect(isComplete(error), String(error)).toBe(true);
    const { code, where } = error as SconceError;
    expect([code, where]).toEqual([recipe.code, recipe.where]);
    expect(nodes - budget.left("nodes") + terms - budget.left("terms")).toBeLessThan(MOST_WORK);
    expect(unpacked - Math.max(budget.left("bytes"), 0)).toBeLessThanOrEqual(4 * bytes.length + 64e6);
  });
});
