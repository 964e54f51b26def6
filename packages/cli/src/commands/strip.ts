import type { Declare } from "../command-entry.js";
import { FILE_ARGUMENT, JSON_OPTION, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { StripCommandOptions } from "./strip-action.js";

export const stripCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption(
      "-o, --output <file>",
      "Write to OUT.pt2 for PyTorch, or to OUT.sir with OUT.safetensors beside it; - writes one text to standard output",
    )
    .option("--drop-weights", "Remove the values of parameters, buffers and constants too")
    .option("--drop-modules", "Remove the paths of modules too")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: StripCommandOptions) =>
      (await import("./strip-action.js")).stripFile(file, options, io),
    );
};
