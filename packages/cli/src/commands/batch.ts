import { type Command, Option } from "commander";
import type { Declare } from "../command-entry.js";
import { BACKEND_NAMES, DEFAULT_BACKEND, modelOption, pluginOption, repeatable } from "../shared-options.js";
import type { BatchCommandOptions } from "./batch-action.js";

const FORMATS = ["safetensors", "ndjson", "csv", "arrow", "parquet"] as const;

export const batchCommand: Declare = (command, io, outcome) => {
  command
    .argument("<file>", "A .pt2 file: its path, or its address (https://...)")
    .requiredOption(
      "--inputs <pattern>",
      "Read shards of safetensors, NDJSON, CSV, Arrow or Parquet, by the endings of their names (repeatable)",
      repeatable,
    )
    .requiredOption("--output <folder>", "Write one file for each shard to this folder")
    .addOption(
      new Option("--format <name>", "Write another format than that of each shard").choices([...FORMATS]),
    )
    .option("--batch-size <count>", "Run so many rows at once, at most", "64")
    .option(
      "--workers <count>",
      "Score so many shards at once without --queue, each in a thread; default: one for each core",
    )
    .option("--threads <count>", "Compute with so many threads in each worker", "1")
    .option("--backend <name>", `Select the backend: ${BACKEND_NAMES}`, DEFAULT_BACKEND)
    .option(
      "--map <module>",
      "Load a module with functions that run before and after the program, with your rights",
    )
    .option("--keep <column>", "Write a column of the shard beside the results (repeatable)", repeatable)
    .option("--part <part>", "Score each N-th shard only, from the I-th on")
    .option("--attempts <count>", "Set a shard aside after so many failures", "3")
    .option("--backoff <ms>", "Wait before the second attempt; each later wait is twice as long", "1000")
    .option(
      "--grace <ms>",
      "Wait for shards that are scored when SIGTERM ends the command, without --queue",
      "20000",
    );
  addQueueOptions(
    command,
    "Add the shards to a queue on Redis, for `sconce batch-worker` with the same --map and --plugin",
  )
    .option("--json", "Print one line of JSON for each event; errors too, on standard error")
    .addOption(pluginOption("operators"))
    .addOption(modelOption())
    .action(async (file: string, options: BatchCommandOptions) =>
      (await import("./batch-action.js")).batch(file, options, io, outcome),
    );
};

/** Adds what both sides of a queue take. */
export const addQueueOptions = (command: Command, use: string): Command =>
  command
    .option("--queue <address>", use)
    .option("--queue-name <name>", "Name the queue", "sconce-batch")
    .option(
      "--root <folder>",
      "Name files of jobs from this folder, which may lie elsewhere on each machine; default: the current one",
    )
    .option("--cache <folder>", "Keep programs of addresses and of other machines in this folder");
