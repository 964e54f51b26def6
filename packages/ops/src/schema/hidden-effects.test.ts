import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ALIAS_SINGLE_OPERAND, HIDDEN_WRITES } from "./hidden-effects.js";
import { OBSERVED_EFFECTS } from "./observed-effects.js";

const fixture = new URL("../../../testing/fixtures/functionalize/hidden-effects.json", import.meta.url);
const observed = JSON.parse(readFileSync(fixture, "utf8")) as Record<string, readonly string[]>;

test("observed-effects.ts has the recorded effects; -u writes it", async () => {
  const lines = Object.entries(observed).map(
    ([target, effects]) => `  "${target}": [${effects.map((effect) => `"${effect}"`).join(", ")}],\n`,
  );
  await expect(
    "/** @file Generated: effects that PyTorch's schemas hide; see hidden-effects.test.ts. */\n" +
      `export const OBSERVED_EFFECTS: Readonly<Record<string, readonly string[]>> = {\n${lines.join("")}};\n`,
  ).toMatchFileSnapshot("./observed-effects.ts");
});

test("the conditions are about operators with recorded effects", () => {
  for (const target of ALIAS_SINGLE_OPERAND) expect(OBSERVED_EFFECTS).toHaveProperty([target]);
  const written = Object.keys(HIDDEN_WRITES).filter((target) => Object.hasOwn(observed, target));
  expect(written).toHaveLength(4);
});
