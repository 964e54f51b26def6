/** @file Programs of the corpus as the tests of capabilities use them. */
import { openPt2File } from "@sconce/formats/node";
import type { ExportedProgram } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { expect } from "vitest";
import { DOCUMENT_MODELS } from "../capture/documents.fixture.js";
import { DYNAMIC_MODELS } from "../capture/dynamic.fixture.js";
import { type CorpusExport, exportFromCorpus, runFromCorpus } from "../capture/harness.fixture.js";
import { LANGUAGE_MODELS } from "../capture/language.fixture.js";
import { STATIC_NETWORKS } from "../capture/networks.fixture.js";
import { OPERATOR_MODELS } from "../capture/operators.fixture.js";
import { SHAPE_MODELS } from "../capture/shapes.fixture.js";
import { STATE_MODELS } from "../capture/state.fixture.js";
import { UNBACKED_MODELS } from "../capture/unbacked.fixture.js";
import { corpusPlugin } from "../conformance/corpus-plugin.js";
import { checkProgramFolder } from "../conformance/programs.js";
import { PROGRAMS } from "../fixtures.js";

/** Models in TypeScript by the names of their programs. */
const MODELS = {
  ...DOCUMENT_MODELS,
  ...DYNAMIC_MODELS,
  ...LANGUAGE_MODELS,
  ...STATIC_NETWORKS,
  ...OPERATOR_MODELS,
  ...SHAPE_MODELS,
  ...STATE_MODELS,
  ...UNBACKED_MODELS,
};

/** Exports and their runs by name: several tests look at one. */
const exports = new Map<string, Promise<CorpusExport>>();
const runs = new Map<string, ReturnType<typeof runFromCorpus>>();

/** The session of the tests. */
export const sconce = createSconce({ plugins: [corpusPlugin] });

/** Exports a model, which gives PyTorch's program and lowered program. */
export async function exported(name: string): Promise<CorpusExport> {
  if (!exports.has(name)) exports.set(name, exportFromCorpus(name, MODELS[name]!));
  const result = await exports.get(name)!;
  expect(result.text).toBe(result.wanted);
  expect(result.problems).toEqual([]);
  if (result.lowered !== undefined) expect(result.lowered[0]).toBe(result.lowered[1]);
  return result;
}

/**
 * Exports a model, as {@link exported}, and makes the recorded calls: its program and the model
 * itself give PyTorch's results and state, and refuse what PyTorch refuses.
 */
export async function exportedAndRun(name: string): Promise<CorpusExport> {
  const result = await exported(name);
  if (!runs.has(name)) runs.set(name, runFromCorpus(name, MODELS[name]!, result));
  expect(await runs.get(name)).toEqual({ program: [], eager: undefined });
  return result;
}

/** Reads a file that PyTorch saved. */
export const saved = (name: string, file = "program"): Promise<ExportedProgram> =>
  openPt2File(`${PROGRAMS}${name}/${file}.pt2`);

/**
 * Checks all files of a program that PyTorch saved: texts, lowered programs, results and refused
 * calls are PyTorch's. Returns the names of what was compared.
 */
export async function checked(name: string): Promise<readonly string[]> {
  const checks = await checkProgramFolder(`${PROGRAMS}${name}`, sconce);
  expect(checks.filter((check) => check.problem !== undefined)).toEqual([]);
  return checks.map((check) => check.name);
}
