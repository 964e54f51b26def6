/** @file What several test files of a run need, and what takes long to make: made by the first. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Returns a folder that one test file of the run fills; the others wait for it. A failure is that
 * of each of them. Readers change nothing in it: they copy what they change.
 *
 * @param make fills the folder, which is there and empty
 */
export async function sharedFolder(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: the run sets it, for its own processes.
  const run = process.env["SCONCE_RUN_FOLDER"];
  if (run === undefined)
    throw new Error("only the longer suites have a folder of the run: npm run test:full");
  const folder = join(run, name);
  const end = `${folder}.end`;
  if (isFirst(folder)) {
    let problem = "";
    try {
      await make(folder);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      writeFileSync(`${end}.new`, problem);
      renameSync(`${end}.new`, end);
    }
    return folder;
  }
  while (!existsSync(end)) await wait(200);
  const problem = readFileSync(end, "utf8");
  if (problem !== "") throw new Error(`another test file could not make ${name}: ${problem}`);
  return folder;
}

/** Whether no process has made the folder before: then this one makes it. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
