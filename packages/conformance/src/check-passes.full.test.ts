/**
 * @file Checks raise no alarm for any built-in pass, on every program of the corpus and on 300
 * generated ones.
 */
import { readdirSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import type { CheckReport } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { PROGRAMS } from "./fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });
const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(`${PROGRAMS}${entry.name}`).includes("program.pt2"))
  .map(({ name }) => name);

/** Behind lowering; lowering itself and `functionalize` are run on the programs as they are. */
const PASSES = [
  "canonicalize",
  "fold-constants{weights=true}",
  "cse",
  "dce",
  "sink-transposes",
  "remove-type-promotion",
  "fold-batch-norm",
  "fuse-regions",
  "propagate-shapes",
  "strip-metadata{module-stack=true}",
];

/** What says that nothing can be compared: no numbers, inputs or state that are not known. */
const NOTHING = new Set(["NOTHING_COMPARED", "NO_SAMPLE_INPUTS", "NO_VALUES"]);
/** Why a region may not be run by itself. */
const REASONS = /^it writes in place|^it draws random numbers|^no sample runs on it: Expected input/;

/** Runs a pipeline with checks; the program is given back where nothing can be compared. */
function checked(program: ExportedProgram, pipeline: string, reports: CheckReport[] = []): ExportedProgram {
  try {
    return sconce.transform(program, pipeline, {
      check: true,
      observers: [({ check }) => check !== undefined && reports.push(check)],
    });
  } catch (error) {
    if (isSconceError(error) && NOTHING.has(error.code)) return program;
    throw error;
  }
}

async function opened(name: string): Promise<ExportedProgram | undefined> {
  try {
    return await openPt2File(`${PROGRAMS}${name}/program.pt2`, { operators: sconce.operators });
  } catch (error) {
    // Some folders hold programs that are to be refused.
    if (isSconceError(error)) return undefined;
    throw error;
  }
}

describe("no alarm on the corpus", () => {
  test.each(names)("%s", async (name) => {
    const program = await opened(name);
    if (program === undefined) return;
    const reports: CheckReport[] = [];
    checked(program, "functionalize", reports);
    checked(program, "decompose", reports);
    const lowered = sconce.transform(program, "decompose");
    for (const pass of PASSES) checked(lowered, pass, reports);
    const unchecked = reports.flatMap(({ coverage }) => coverage?.unchecked ?? []);
    expect(unchecked.filter(({ reason }) => !REASONS.test(reason))).toEqual([]);
  });
});

test("no alarm on 300 generated programs", () => {
  let regions = 0;
  const pipeline = ["decompose", ...PASSES].join(",");
  const holds = fc.property(arbitraryProgram({ mutations: true, maxNodes: 10 }), (program) => {
    const reports: CheckReport[] = [];
    checked(program, pipeline, reports);
    for (const { coverage } of reports) regions += coverage?.checkedRegions ?? 0;
  });
  fc.assert(holds, { seed: 19_491_001, numRuns: 300 });
  expect(regions).toBeGreaterThan(500);
});
