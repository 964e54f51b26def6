/** @file Removes what processes that were killed left of outputs. */
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DONE_FOLDER } from "../score/score-shard.js";
import type { Shard } from "./shards.js";

const TEMPORARY = /^\.(.+)\.sconce-[\w-]+\.part$/;

/** Removes temporary files of shards; nothing may write them any more. */
export async function removeTemporaries(shards: readonly Shard[]): Promise<void> {
  const folders = new Map<string, Set<string>>();
  for (const { output } of shards) {
    const names = folders.get(dirname(output)) ?? new Set();
    folders.set(dirname(output), names.add(basename(output)));
  }
  for (const [folder, names] of folders)
    for (const place of [folder, join(folder, DONE_FOLDER)]) {
      const found = await readdir(place).catch(() => []);
      for (const name of found) {
        const [, output] = TEMPORARY.exec(name) ?? [];
        if (output !== undefined && names.has(output)) await rm(join(place, name), { force: true });
      }
    }
}
