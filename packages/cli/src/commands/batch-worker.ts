import type { Declare } from "../command-entry.js";
import { pluginOption } from "../shared-options.js";
import { addQueueOptions } from "./batch.js";
import type { BatchWorkerCommandOptions } from "./batch-worker-action.js";

export const batchWorkerCommand: Declare = (command, io) => {
  addQueueOptions(command, "Take shards from the queue on this Redis")
    .option("--workers <count>", "Score so many shards at once, each in a thread", "1")
    .option(
      "--map <module>",
      "Load the module of `sconce batch --map`, with your rights; a queue names no code",
    )
    .option("--idle <ms>", "End when the queue had no shard for so long; default: never")
    .option("--stalled <ms>", "Let others take a shard whose worker is silent for so long", "30000")
    .option("--grace <ms>", "Finish the shard on SIGTERM within this time, else return it", "20000")
    .option("--json", "Print one line of JSON for each event; errors too, on standard error")
    .addOption(pluginOption("operators that the run has by its own --plugin"))
    .action(async (options: BatchWorkerCommandOptions) =>
      (await import("./batch-worker-action.js")).batchWorker(options, io),
    );
};
