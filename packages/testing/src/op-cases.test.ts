import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { describe, expect, test } from "vitest";
import { checkOpFolder } from "./conformance/op-folder.js";

const FOLDER = fileURLToPath(new URL("../fixtures/op-cases/", import.meta.url));
const sconce = createSconce();

describe("operators on recorded calls", () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".safetensors"));
  test.each(names)("%s", async (name) => {
    const results = await checkOpFolder(`${FOLDER}${name}`, sconce, "cpu");
    expect(results.length).toBeGreaterThan(0);
    expect(results.filter((result) => result.problem !== undefined)).toEqual([]);
  });
});
