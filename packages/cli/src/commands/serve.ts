import type { Declare } from "../command-entry.js";
import {
  BACKEND_NAMES,
  DEFAULT_BACKEND,
  limitOption,
  modelOption,
  pluginOption,
  repeatable,
} from "../shared-options.js";
import type { ServeCommandOptions } from "./serve-action.js";

export const serveCommand: Declare = (command, io) => {
  command
    .argument(
      "<programs...>",
      "FILE, NAME=FILE or NAME@VERSION=FILE; all programs of a .pt2 file with their names, or the one of --model",
    )
    .option("--port <port>", "Listen on this port; 0 takes a free one", "8080")
    .option("--host <host>", "Listen on this address, 0.0.0.0 for all; default: this machine alone")
    .option(
      "--allow-host <host>",
      "Answer to this name of the server, too, while it listens for this machine alone (repeatable)",
      repeatable,
    )
    .option("--workers <count>", "Start so many threads, each with its own copy of the weights", "1")
    .option("--backend <name>", `Select the backend of each worker: ${BACKEND_NAMES}`, DEFAULT_BACKEND)
    .option(
      "--threads <count>",
      "Let the backend of each worker take so many threads; default: cores by workers, at most 8",
    )
    .option(
      "--max-batch <rows>",
      "Run waiting requests together, up to so many rows, if rows do not depend on each other",
      "1",
    )
    .option("--batch-delay <ms>", "Let a request wait so long for others to run with", "0")
    .option("--queue <count>", "Answer 429 while so many requests wait for a worker", "256")
    .option("--timeout <ms>", "Answer 504 if results take longer", "30000")
    .option("--request-timeout <ms>", "Answer 408 if a request takes longer to arrive", "30000")
    .option("--max-body <bytes>", "Answer 413 to a larger body", "67108864")
    .option("--max-pending <bytes>", "Answer 429 if the bodies of all requests take more", "268435456")
    .option("--max-depth <count>", "Answer 400 to JSON with more levels", "64")
    .option(
      "--drain <ms>",
      "Accept connections for so long after SIGTERM; part of the time of --stop-timeout",
      "0",
    )
    .option("--stop-timeout <ms>", "Cut what is left so long after SIGTERM", "30000")
    .option("--log-requests", "Write a line for each request")
    .option("--json", "Write the log as JSON, one object a line; errors and warnings too, on standard error")
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (programs: readonly string[], options: ServeCommandOptions) =>
      (await import("./serve-action.js")).serveFiles(programs, options, io),
    );
};
