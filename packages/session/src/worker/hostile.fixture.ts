/** @file Programs and passes for tests of passes in a worker. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { expect } from "vitest";
import { createSconce } from "../index.js";

/** Returns the path of a module of the fixtures. */
export const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/${name}.js`, import.meta.url));
/** A plugin with passes that do not end, take all memory, throw, and behave well. */
export const HOSTILE: string = pathOf("hostile-passes");

/** A session without plugins. */
export const sconce: ReturnType<typeof createSconce> = createSconce();

/** Returns a program that PyTorch exported. */
export const fixture = (name: string): Promise<ExportedProgram> => {
  const file = new URL(`../../../testing/fixtures/programs/${name}/program.pt2`, import.meta.url);
  return sconce.load(readFileSync(fileURLToPath(file)));
};
export const mlp: ExportedProgram = await fixture("net_mlp");

/** Returns the error that a run ends with. */
export const failure = (run: Promise<unknown>): Promise<SconceError> =>
  run.then(
    () => expect.unreachable(),
    (error: unknown) => error as SconceError,
  );

/** Returns how errors name a pass of the plugin. */
export const placeOf = (name: string, step = 1): string =>
  `pass "${name}" of plugin "hostile" (step ${step})`;
