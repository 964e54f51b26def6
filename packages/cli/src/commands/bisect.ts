import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { BisectCommandOptions } from "./bisect-action.js";

export const bisectCommand: Declare = (command, io, outcome) => {
  command
    .argument("<file>", "A .pt2 or .sir file, a reproducer, which needs no options, or - for standard input")
    .option("--passes <pipeline>", "Check these passes")
    .option(
      "--inputs <file>",
      "Read inputs from a safetensors file, by name (x) or position (i0); the default samples them",
    )
    .option("--scalars <json>", "Give inputs that are not tensors, by position")
    .option(...WEIGHTS_OPTION)
    .option("--rtol <ratio>", "Set the relative tolerance; the default depends on the dtype")
    .option("--atol <number>", "Set the absolute tolerance; the default depends on the dtype")
    .option("--seed <seed>", "Set the seed of the sampled inputs; the default is 0")
    .option(
      "-o, --output <file>",
      "Write a reproducer: one text file with program, inputs and passes; - is standard output",
    );
  addPassRunOptions(command)
    .option(...JSON_OPTION)
    .addOption(pluginOption("passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: BisectCommandOptions) =>
      (await import("./bisect-action.js")).bisect(file, options, io, outcome),
    );
};
