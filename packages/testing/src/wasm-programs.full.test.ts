/** @file Every program that PyTorch exported, as it is, lowered and optimized, in WebAssembly. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { wasmBackend } from "@sconce/backend-wasm";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { checkProgramFolder } from "./conformance/programs.js";

const FOLDER = fileURLToPath(new URL("../fixtures/programs/", import.meta.url));
const names = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe.each([
  ["one thread", { threads: 1, relaxed: false }],
  ["two threads", { threads: 2 }],
] as const)("programs that PyTorch exported, with %s", (_, options) => {
  const sconce = createSconce({ plugins: [corpusPlugin], backends: [wasmBackend(options)] });
  test.each(names)("%s", async (name) => {
    const checks = await checkProgramFolder(`${FOLDER}${name}`, sconce, { backend: "wasm" });
    expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
  });
});
