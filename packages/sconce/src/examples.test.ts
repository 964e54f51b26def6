import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const bytesOf = (path: string): Buffer => readFileSync(new URL(path, import.meta.url));

test.each([
  ["mlp.pt2", "api_decomposition_tables/program.pt2"],
  ["digits.pt2", "digits/program.pt2"],
  ["digits-images.safetensors", "digits/digits_test.safetensors"],
])("examples/%s is a file that PyTorch wrote: %s", (copy, original) => {
  expect(bytesOf(`../examples/${copy}`).equals(bytesOf(`../../testing/fixtures/programs/${original}`))).toBe(
    true,
  );
});
