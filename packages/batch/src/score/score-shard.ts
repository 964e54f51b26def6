/** @file Scores one shard: reads it, runs its rows, writes the results once. */
import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { VERSION } from "@sconce/errors";
import { inputFailed } from "../errors.js";
import { sha256Of } from "../files.js";
import { formatOf } from "../shard-format.js";
import { readTable, writeTable } from "../table/read-write.js";
import type { ShardResult, ShardTask } from "../task.js";
import { scorerFor } from "./open-scorer.js";
import { writeOnce } from "./write-once.js";

/** The folder beside the outputs that says which shards are done. */
export const DONE_FOLDER = ".sconce-batch";

/** What is kept of a shard that is done. */
interface Done {
  /** Of the program, the shard and the options. */
  readonly key: string;
  /** SHA-256 of the output. */
  readonly sha256: string;
  readonly rows: number;
}

/** Returns the path of what is kept of the shard that is written to a file. */
const doneFile = (output: string): string => join(dirname(output), DONE_FOLDER, `${basename(output)}.json`);

/**
 * Scores a shard, unless its output is there and was made of the same program, rows and options.
 * @throws SconceError with the shard as its place
 */
export async function scoreShard(task: ShardTask): Promise<ShardResult> {
  const started = performance.now();
  const milliseconds = (): number => performance.now() - started;
  const bytes = await readFile(task.input).catch((error: unknown) => {
    throw inputFailed(task.input, error);
  });
  const [from, to] = [formatOf(task.input), formatOf(task.output)];
  const key = sha256Of(JSON.stringify([VERSION, task.options, from, to, sha256Of(bytes)]));
  const done = await doneBefore(task.output);
  if (done?.key === key) return { state: "skipped", rows: done.rows, milliseconds: milliseconds() };
  const scorer = await scorerFor(task);
  const table = await readTable(bytes, from);
  const results = await scorer.score(table, task.name);
  const written = await writeTable(results, to);
  await writeOnce(task.output, task.temporary, written);
  const kept: Done = { key, sha256: sha256Of(written), rows: table.rows };
  const keptFile = doneFile(task.output);
  const temporary = join(dirname(keptFile), basename(task.temporary));
  await writeOnce(keptFile, temporary, Buffer.from(`${JSON.stringify(kept)}\n`));
  return { state: "written", rows: table.rows, milliseconds: milliseconds() };
}

/** Returns what was done before, where the output is still what was written. */
async function doneBefore(output: string): Promise<Done | undefined> {
  try {
    const done = JSON.parse(await readFile(doneFile(output), "utf8")) as Done;
    return sha256Of(await readFile(output)) === done.sha256 ? done : undefined;
  } catch {
    return undefined;
  }
}
