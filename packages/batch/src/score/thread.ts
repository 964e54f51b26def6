/** @file The script of a thread that scores shards. */
import { internalError, isSconceError, type SconceErrorJson, thrownText } from "@sconce/errors";
import type { Failed, OpenTask, ShardAnswer, ShardTask } from "../task.js";
import { scorerFor } from "./open-scorer.js";
import { scoreShard } from "./score-shard.js";

/** Scores a shard; errors are answers. */
export default async function thread(task: ShardTask): Promise<ShardAnswer> {
  try {
    return await scoreShard(task);
  } catch (error) {
    return { state: "failed", error: sent(error, task.name) };
  }
}

/** Opens a program, which is kept for its shards. */
export async function openProgram(task: OpenTask): Promise<Failed | undefined> {
  try {
    await scorerFor(task);
    return undefined;
  } catch (error) {
    return { state: "failed", error: sent(error, task.program) };
  }
}

function sent(error: unknown, place: string): SconceErrorJson {
  const text = error instanceof Error ? (error.stack ?? error.message) : thrownText(error);
  const typed = isSconceError(error) ? error.at(place) : internalError(text, place);
  const { name, code, message, where, fix, docs } = typed;
  return { name, code, message, fix, docs, ...(where !== undefined && { where }) };
}
