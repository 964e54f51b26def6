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
import type { HistoryOptions } from "./history-action.js";

export const historyCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption("--passes <pipeline>", 'Run these passes, for example "decompose,cse,dce"')
    .option("--node <name>", "Trace a node of the result back to passes, rules and source lines")
    .option(...WEIGHTS_OPTION);
  addPassRunOptions(command)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators and passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: HistoryOptions) =>
      (await import("./history-action.js")).history(file, options, io),
    );
};
