/** @file One shard as a job of a queue: plain data, which a worker checks. */
import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { VERSION } from "@sconce/errors";
import { badBatch, badJob, noRoot } from "../errors.js";
import { isUrl } from "../program/cached-program.js";
import type { ScoreOptions } from "../task.js";

/** The data of a job. Paths are relative to the root of each machine, with slashes. */
export interface ShardJob {
  /** The version of Sconce that results are of. */
  readonly version: string;
  /** The address of the program, or its path. */
  readonly program: string;
  readonly input: string;
  readonly output: string;
  readonly options: ScoreOptions;
}

/** Checks the folder that paths of jobs are relative to. @throws SconceError `BATCH_OPTION` */
export async function requireRoot(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) throw noRoot(root);
}

/**
 * Returns a path as jobs name it. @throws SconceError `BATCH_OPTION` for one outside of the root
 */
export function jobPath(root: string, path: string): string {
  const inside = relative(root, resolve(path));
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw badBatch(
      `${path} lies outside of the root ${root}`,
      "give a --root that holds the program, the shards and the output folder",
    );
  return inside.split(sep).join("/");
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length < 4096;
const isHash = (value: unknown): boolean => isText(value) && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= 65_536;

const OPTION_CHECKS: { readonly [K in keyof Required<ScoreOptions>]: (value: unknown) => boolean } = {
  programHash: isHash,
  model: (value) => value === undefined || isText(value),
  backend: isText,
  threads: isCount,
  batchSize: isCount,
  mapHash: (value) => value === undefined || isHash(value),
  keep: (value) => Array.isArray(value) && value.every(isText),
};

/** Checks the data of a job. @throws SconceError `BATCH_JOB` */
export function checkedJob(data: unknown): ShardJob {
  const job = (typeof data === "object" && data !== null ? data : {}) as Partial<ShardJob>;
  const { version, program, input, output } = job;
  const options = (job.options ?? {}) as unknown as Readonly<Record<string, unknown>>;
  const texts = { version, program, input, output };
  const wrong =
    Object.entries(texts).find(([, value]) => !isText(value)) ??
    Object.entries(OPTION_CHECKS).find(([name, check]) => !check(options[name]));
  if (wrong !== undefined)
    throw badJob(
      `a job of the queue is not one of \`sconce batch\`: ${wrong[0]}`,
      "use a separate queue for batches: --queue-name",
    );
  if (version !== VERSION)
    throw badJob(
      `the job is of Sconce ${version}, and this worker is ${VERSION}`,
      "install the same version on all machines",
    );
  return { ...(texts as Readonly<Record<keyof typeof texts, string>>), options: job.options! };
}

/**
 * Returns the path of a file of a job below the root, links followed.
 * @throws SconceError `BATCH_JOB` for one outside, `BATCH_OPTION` for a root that is not there
 */
export async function pathBelow(root: string, path: string): Promise<string> {
  const full = resolve(root, path);
  const inside = await realpath(root).catch(() => {
    throw noRoot(root);
  });
  const folder = await realpath(full).catch(() => existing(dirname(full)));
  const way = relative(inside, folder);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  if (!isAbsolute(path) && isInside) return full;
  throw badJob(
    `${path} lies outside of the root ${root} of the worker`,
    "give the worker the --root that the paths are relative to",
  );
}

/** Returns the nearest folder that is there: an output folder may be made later. */
async function existing(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    const above = dirname(folder);
    return above === folder ? folder : existing(above);
  }
}

/** Returns where a worker fetches a program from. */
export const programSource = async (root: string, program: string): Promise<string> =>
  isUrl(program) ? program : pathBelow(root, program);
