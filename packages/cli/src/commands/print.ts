import { Option } from "commander";
import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  FILE_ARGUMENT,
  limitOption,
  modelOption,
  PRINT_FORMATS,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { PrintOptions } from "./print-action.js";

export const printCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .addOption(new Option("--format <name>", "Select the format").choices(PRINT_FORMATS).default("program"))
    .option("--fold <count>", "In a diagram, draw each module at this depth of the hierarchy as one box")
    .option("--modules", "In a diagram, draw a frame around the calls of each module")
    .option("--lower", "Lower the program with run_decompositions() first")
    .option("--passes <pipeline>", 'Run these passes first, for example "decompose,fold-constants,cse,dce"')
    .option(...WEIGHTS_OPTION);
  addPassRunOptions(command)
    .addOption(pluginOption("operators and passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: PrintOptions) =>
      (await import("./print-action.js")).print(file, options, io),
    );
};
