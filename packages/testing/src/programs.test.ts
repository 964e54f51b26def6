import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { checkProgramFolder } from "./conformance/programs.js";

const FOLDER = fileURLToPath(new URL("../fixtures/programs/", import.meta.url));
const sconce = createSconce({ plugins: [corpusPlugin] });

describe("programs that PyTorch exported", () => {
  const names = readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  test.each(names)(
    "%s: texts, lowering, numbers and refusals are PyTorch's [S-070, S-094, S-095, S-097]",
    async (name) => {
      const checks = await checkProgramFolder(`${FOLDER}${name}`, sconce);
      expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
    },
  );

  test("the corpus is there and is really checked", async () => {
    expect(names.length).toBeGreaterThan(150);
    const checks = await checkProgramFolder(`${FOLDER}net_gpt`, sconce);
    expect(checks.map((check) => check.name)).toEqual(
      expect.arrayContaining(["load program.pt2", "lower", "run", "run lowered"]),
    );
  });
});
