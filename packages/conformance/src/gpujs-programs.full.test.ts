/**
 * @file Every program that PyTorch exported, as it is, lowered and optimized, on gpu.js: each
 * second one on WebGPU too.
 */
import { readdirSync } from "node:fs";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { checkProgramFolder } from "./conformance/programs.js";
import { PROGRAMS } from "./fixtures.js";
import { hasWebgpu } from "./test-device.fixture.js";

const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const isThere = await hasWebgpu();

describe.each(["webasm", "webgpu"] as const)("programs that PyTorch exported, in mode %s", (mode) => {
  const backend = "gpujs";
  const sconce = createSconce({ plugins: [corpusPlugin], backends: [gpujsBackend({ mode })] });
  test.skipIf(mode === "webgpu" && !isThere).each(names.filter((_, at) => mode === "webasm" || at % 2 === 0))(
    "%s",
    async (name) => {
      const checks = await checkProgramFolder(`${PROGRAMS}${name}`, sconce, { backend, runsOnly: true });
      expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
    },
  );
});
