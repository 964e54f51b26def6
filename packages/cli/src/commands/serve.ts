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
    .option("--port <port>", "Listen on this port, 0 for a free one; the default is 8080")
    .option("--host <host>", "Listen on this address, 0.0.0.0 for all; the default is this machine alone")
    .option(
      "--allow-host <host>",
      "Answer to this name of the server, too, while it listens for this machine alone (repeatable)",
      repeatable,
    )
    .option("--workers <count>", "Compute in so many threads, each with its own weights; the default is 1")
    .option("--backend <name>", `Select the backend of each worker: ${BACKEND_NAMES}`, DEFAULT_BACKEND)
    .option(
      "--threads <count>",
      "Let each backend take so many threads; the default shares those of the machine",
    )
    .option(
      "--max-batch <count>",
      "Run several requests at once, up to so many rows, where the rows of a program do not depend on each other",
    )
    .option("--batch-delay <ms>", "Let a request wait so long for others to run with; the default is 0")
    .option("--queue <count>", "Let so many requests wait, and answer 429 to others; the default is 256")
    .option("--timeout <ms>", "Answer 504 where results take longer; the default is 30000")
    .option(
      "--request-timeout <ms>",
      "Answer 408 to requests that take longer to arrive; the default is 30000",
    )
    .option("--max-body <bytes>", "Answer 413 to larger bodies; the default is 67108864")
    .option("--max-pending <bytes>", "Answer 429 where bodies take more in all; the default is 268435456")
    .option("--max-depth <count>", "Refuse JSON that is nested deeper; the default is 64")
    .option("--drain <ms>", "Accept connections for so long after SIGTERM; the default is 0")
    .option("--stop-timeout <ms>", "Cut what is left so long after SIGTERM; the default is 30000")
    .option("--log-requests", "Write a line for each request")
    .option("--json", "Write the log as JSON, one object a line; errors and warnings too, on standard error")
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (programs: readonly string[], options: ServeCommandOptions) =>
      (await import("./serve-action.js")).serveFiles(programs, options, io),
    );
};
