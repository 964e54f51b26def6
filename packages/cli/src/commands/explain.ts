import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  repeatable,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { ExplainOptions } from "./explain-action.js";

export const explainCommand: Declare = (command, io) => {
  command
    .argument(
      "[code|file]",
      "An error code, such as NO_VALUES, or a .pt2 or .sir file, or - for standard input",
    )
    .option("--codes", "List the error codes")
    .option("--rule <name>", "Explain this rule (repeatable); the default is all rules", repeatable)
    .option("--pattern <text>", "Explain this pattern: aten.add.Tensor($x, 0)")
    .option("--list", "List the rules")
    .option("--no-lower", "Keep the program as it is; the default lowers it with run_decompositions()")
    .option("--passes <pipeline>", "Run these passes first")
    .option(...WEIGHTS_OPTION);
  addPassRunOptions(command)
    .addOption(pluginOption("rules"))
    .addOption(limitOption())
    .addOption(modelOption())
    .option(...JSON_OPTION)
    .action(async (file: string | undefined, options: ExplainOptions) =>
      (await import("./explain-action.js")).explain(file, options, io),
    );
};
