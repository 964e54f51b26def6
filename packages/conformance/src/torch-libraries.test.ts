/**
 * @file Programs that call torchvision and transformers: texts, lowering and numbers with the
 * plugin of those libraries.
 */
import { readdirSync } from "node:fs";
import { createSconce } from "@sconce/session";
import { torchLibraries } from "@sconce/torch-libraries";
import { expect, test } from "vitest";
import { checkProgramFolder } from "./conformance/programs.js";
import { FIXTURES } from "./fixtures.js";

const ROOT = `${FIXTURES}custom-operators/`;
const sconce = createSconce({ plugins: [torchLibraries] });

test.each(readdirSync(ROOT).filter((name) => /^(vision|moe)_/.test(name)))("%s", async (name) => {
  const checks = await checkProgramFolder(`${ROOT}${name}`, sconce);
  const failed = checks.filter(({ problem }) => problem !== undefined).map((check) => check.name);
  expect(failed).toEqual([]);
  expect(checks.filter((check) => check.name.startsWith("run")).length).toBeGreaterThan(1);
});
