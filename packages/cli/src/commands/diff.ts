import type { Declare } from "../command-entry.js";
import { JSON_OPTION, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { DiffCommandOptions } from "./diff-action.js";

export const diffCommand: Declare = (command, io, outcome) => {
  command
    .argument("<a>", "A .pt2 or .sir file, or - for standard input")
    .argument("<b>", "A .pt2 or .sir file, or - for standard input")
    .option("--ignore-names", "Ignore the names of nodes and nested graphs")
    .option("--ignore-metadata", "Ignore stack traces, module stacks and origins")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (a: string, b: string, options: DiffCommandOptions) =>
      (await import("./diff-action.js")).diff(a, b, options, io, outcome),
    );
};
