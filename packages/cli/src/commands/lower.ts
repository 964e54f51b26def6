import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  repeatable,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { LowerOptions } from "./lower-action.js";

export const lowerCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption(
      "-o, --output <file>",
      "Write to OUT.pt2 for PyTorch, or to OUT.sir, with OUT.safetensors beside it; - writes IR text and tensors to standard output as one text",
    )
    .option("--keep <operator>", "Keep an operator as it is (repeatable)", repeatable)
    .option("--passes <pipeline>", "Run these passes in place of run_decompositions()")
    .option(...WEIGHTS_OPTION)
    .option("--check", "Compare numbers before and after each pass, on sampled inputs");
  addPassRunOptions(command)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators and passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: LowerOptions) =>
      (await import("./lower-action.js")).lower(file, options, io),
    );
};
