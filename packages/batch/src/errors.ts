/** @file Every error that the package raises itself. */
import {
  didYouMean,
  fileFault,
  internalError,
  isSconceError,
  SconceError,
  type SconceErrorJson,
  systemCode,
  thrownText,
} from "@sconce/errors";

/** Returns the error for a program that cannot be scored row by row. */
export const notByRows = (message: string, fix: string, where?: string): SconceError =>
  new SconceError({ code: "BATCH_PROGRAM", message, where, fix });

/** Returns the error for rows whose results depend on the other rows of their batch. */
export const rowsMix = (output: string, row: number): SconceError =>
  new SconceError({
    code: "BATCH_ROWS_MIX",
    message: `the results of a row depend on other rows of its batch, or on chance: row ${row} of ${output} changes with them`,
    fix: "export the model in evaluation mode (`model.eval()`), without operators over the batch dimension",
  });

/** Returns the error for what a shard holds, at the row where it is known. */
export const badShard = (message: string, fix: string, row?: number, cause?: unknown): SconceError =>
  new SconceError({
    code: "BATCH_SHARD",
    message,
    where: row === undefined ? undefined : rowText(row),
    fix,
    cause,
  });

/** Rows count from 0 in places of errors, as tensors do. */
export const rowText = (row: number): string => `row ${row}`;

/** Returns the error for a column that the program takes and the shard does not have. */
export const noColumn = (
  wanted: string,
  position: string,
  type: string,
  held: readonly string[],
): SconceError => {
  const shown = held.slice(0, MOST_NAMES).join(", ") || "none";
  return badShard(
    `there is no column ${JSON.stringify(wanted)} or "${position}" for the input ${type}`,
    didYouMean(wanted, held, `name a column so, or make it in \`before\` of --map; the columns are ${shown}`),
  );
};

const MOST_NAMES = 12;

/** Returns the error for a module of --map. */
export const badMap = (path: string, why: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "BATCH_MAP", message: `the module ${path} ${why}`, fix, cause });

/** Returns the error for what a function of --map throws or returns. */
export const mapFailed = (name: string, why: string, where: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "BATCH_MAP",
    message: `\`${name}\` of the map ${why}`,
    where,
    fix: "correct the function, or the rows that it gets",
    cause,
  });

/** Returns the error for a module of a plugin. */
export const badPlugin = (path: string, why: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "PLUGIN", message: `the plugin ${path} ${why}`, fix, cause });

/** Returns the error for a file that cannot be opened, read or written. */
const fileFailed = (what: string, path: string, cause: unknown, remedy?: string): SconceError => {
  const { message, fix } = fileFault(path, systemCode(cause) ?? "", thrownText(cause));
  return new SconceError({ code: "FILE", message: `${what}${message}`, fix: remedy ?? fix, cause });
};

/** Returns the error for an output file that cannot be written. */
export const outputFailed = (path: string, cause: unknown): SconceError =>
  fileFailed(
    "the output cannot be written: ",
    path,
    cause,
    systemCode(cause) === "EISDIR" ? "remove the folder, or give another --output" : undefined,
  );

/** Returns the error for a file that cannot be read. */
export const inputFailed = (path: string, cause: unknown): SconceError => fileFailed("", path, cause);

/** Returns the error for options that do not go together, or have no such value. */
export const badBatch = (message: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "BATCH_OPTION", message, fix, cause });

/** Returns the error for an optional package that is needed and not installed. */
export const notInstalled = (names: string, use: string, cause: unknown): SconceError =>
  new SconceError({
    code: "BATCH_PACKAGE",
    message: `${use} needs packages that are not installed: ${names}`,
    fix: `run \`npm install ${names}\``,
    cause,
  });

/** Returns the error for a program whose bytes are not those that were named. */
export const otherProgram = (source: string, wanted: string, got: string): SconceError =>
  new SconceError({
    code: "BATCH_PROGRAM_CHANGED",
    message: `the program ${source} has the SHA-256 ${got}, not ${wanted}`,
    fix: "start the run again: the file was changed after the run began",
  });

/** Returns the error for a program that is not an archive of PyTorch. */
export const notArchive = (source: string): SconceError =>
  new SconceError({
    code: "BATCH_PROGRAM",
    message: `${source} is not a .pt2 file`,
    fix: "write the program as one file: `sconce convert FILE model.pt2`",
  });

/** Returns the error for a thread that ended while it scored a shard. */
export const threadEnded = (cause: unknown): SconceError =>
  new SconceError({
    code: "BATCH_THREAD",
    message: `the worker thread ended: ${thrownText(cause)}`,
    fix: "give smaller shards, a smaller --batch-size or fewer --workers: the thread may have had too little memory",
    cause,
  });

/**
 * Returns what threads and queues send of an error: all but its cause. One that Sconce did not make
 * is a fault of Sconce.
 */
export function sentError(error: unknown, place?: string): SconceErrorJson {
  const text = error instanceof Error ? (error.stack ?? error.message) : thrownText(error);
  const own = isSconceError(error) ? error : internalError(text);
  const typed = place === undefined ? own : own.at(place);
  const { name, code, message, where, fix, docs } = typed;
  return { name, code, message, fix, docs, ...(where !== undefined && { where }) };
}

/** Returns an error from the parts that {@link sentError} gives. */
export const errorOf = ({ code, message, where, fix }: SconceErrorJson): SconceError =>
  new SconceError({ code, message, where, fix: fix ?? "" });

/** Returns the error for a Redis that does not answer. */
export const noQueue = (address: string, cause: unknown): SconceError =>
  new SconceError({
    code: "BATCH_QUEUE",
    message: `the queue ${address} does not answer: ${thrownText(cause)}`,
    fix: "start Redis, or check the address, the password and the network",
    cause,
  });

/** Returns the error for a job that a worker does not take. */
export const badJob = (message: string, fix: string): SconceError =>
  new SconceError({ code: "BATCH_JOB", message, fix });

/** Returns the error for a folder that paths of jobs are relative to, and that is not there. */
export const noRoot = (root: string): SconceError =>
  badBatch(
    `the root ${root} is not a folder`,
    "give --root the folder that holds the program, the shards and the output folder",
  );

/** Returns the error for a shard whose workers ended again and again. */
export const stalledTooOften = (reason: string): SconceError =>
  new SconceError({
    code: "BATCH_STALLED",
    message: `workers that scored the shard ended again and again: ${reason}`,
    fix: "look at the memory of the workers: the shard may be what ends them",
  });
