/**
 * @file Programs with operators of the user's as TypeScript, before and after lowering, where
 * operators that write to arguments are functional: the text gives the same programs again.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportProgram, library } from "@sconce/capture";
import { typescriptText } from "@sconce/capture/typescript";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { afterAll, describe, expect, test } from "vitest";
import { CASES, OPERATORS } from "./custom-operators.fixture.js";
import { comparable } from "./harness.fixture.js";
import { exportModule, runModule } from "./source-out.fixture.js";
import { typeErrors } from "./type-check.fixture.js";

const written = mkdtempSync(fileURLToPath(new URL("../../dist/.written-", import.meta.url)));
afterAll(() => rmSync(written, { recursive: true }));

const sconce = createSconce({ plugins: [library.plugin("o", OPERATORS)] });

/** The program of a case; undefined where the export is refused. */
function exported(name: string): ExportedProgram | undefined {
  const [model, args, dynamicShapes] = CASES[name]!;
  try {
    return exportProgram(model as never, args, { dynamicShapes, onWarning: () => undefined });
  } catch (error) {
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

/** The program without numbers of names: reads of sizes that nothing uses take numbers, too. */
const shown = (program: ExportedProgram): string =>
  comparable(String(program))
    .replace(/\b([a-z_]+?)(_\d+)+\b/g, "$1")
    .replace(/VR\[-?\w+, \w+\]/g, "VR");

const programs = Object.keys(CASES).flatMap((name): [string, ExportedProgram][] => {
  const program = exported(name);
  return program === undefined ? [] : [[name, program]];
});

describe("source out of programs with operators of the user's", () => {
  test.each(programs)("%s", (name, program) => {
    const text = typescriptText(program);
    expect(shown(exportModule(runModule(text)))).toBe(shown(program));
    const lowered = sconce.runDecompositions(program);
    const again = typescriptText(lowered);
    expect(shown(sconce.runDecompositions(exportModule(runModule(again))))).toBe(shown(lowered));
    const file = name.replaceAll(/\W/g, "_");
    writeFileSync(join(written, `${file}.ts`), text);
    writeFileSync(join(written, `${file}_lowered.ts`), again);
  });

  test("what is written has the right types", async () => {
    expect(programs.length).toBeGreaterThan(20);
    expect(await typeErrors(written)).toBe("");
  });
});
