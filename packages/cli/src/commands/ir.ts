import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { IrOptions } from "./ir-action.js";

export const irCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption("-o, --output <file>", "Write the JSON there; - writes to standard output")
    .option("--name <name>", "Name the model; the default is the name of the file")
    .option("--weights-output <file>", "Write parameters and buffers there, as safetensors")
    .option("--lower", "Lower the program with run_decompositions() first")
    .option("--passes <pipeline>", "Run these passes first")
    .option(...WEIGHTS_OPTION);
  addPassRunOptions(command)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators and passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: IrOptions) =>
      (await import("./ir-action.js")).writeIR(file, options, io),
    );
};
