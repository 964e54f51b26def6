/** @file The script of a thread that scores shards. */
import { isSconceError } from "@sconce/errors";
import { sentError } from "../errors.js";
import type { Failed, OpenTask, ShardAnswer, ShardTask } from "../task.js";
import { scorerFor } from "./open-scorer.js";
import { scoreShard } from "./score-shard.js";

/** Scores a shard; errors are answers. */
export default async function thread(task: ShardTask): Promise<ShardAnswer> {
  try {
    return await scoreShard(task);
  } catch (error) {
    return { state: "failed", error: sentError(error, task.name) };
  }
}

/** Opens a program, which is kept for its shards. */
export async function openProgram(task: OpenTask): Promise<Failed | undefined> {
  try {
    await scorerFor(task);
    return undefined;
  } catch (error) {
    // Errors of modules name their module.
    const ofModule = isSconceError(error, "BATCH_MAP") || isSconceError(error, "PLUGIN");
    return { state: "failed", error: sentError(error, ofModule ? undefined : task.program) };
  }
}
