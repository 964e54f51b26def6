import type { Declare } from "../command-entry.js";
import {
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { ConvertOptions } from "./convert-action.js";

export const convertCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .argument(
      "<output>",
      "OUT.pt2 for PyTorch, or OUT.sir, with OUT.safetensors beside it; - writes IR text to standard output",
    )
    .option(...WEIGHTS_OPTION)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, output: string, options: ConvertOptions) =>
      (await import("./convert-action.js")).convert(file, output, options, io),
    );
};
