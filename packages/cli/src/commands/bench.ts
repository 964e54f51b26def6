import type { Declare } from "../command-entry.js";
import {
  addInputOptions,
  BACKEND_NAMES,
  CACHE_OPTION,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
} from "../shared-options.js";
import type { BenchOptions } from "./bench-action.js";

export const benchCommand: Declare = (command, io) => {
  addInputOptions(command.argument("<file>", "A .pt2 or .sir file, or - for standard input"))
    .option(
      "--backend <backends>",
      `Select the backends, separated by commas: ${BACKEND_NAMES}, or backends of a plugin`,
      "cpu,wasm",
    )
    .option("--threads <count>", "Set the threads of the backends that can have several")
    .option(...CACHE_OPTION)
    .option("--resident", "Keep inputs and results in the memory of the backends")
    .option("--rounds <count>", "Set how often each backend runs a burst", "5")
    .option("--milliseconds <count>", "Set the length of a burst", "200")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: BenchOptions) =>
      (await import("./bench-action.js")).bench(file, options, io),
    );
};
