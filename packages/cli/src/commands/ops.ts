import type { Declare } from "../command-entry.js";
import { JSON_OPTION, pluginOption } from "../shared-options.js";
import type { OpsOptions } from "./ops-action.js";

export const opsCommand: Declare = (command, io) => {
  command
    .option("--name <text>", "List only operators whose name contains this text")
    .option("--core", "List only the core ATen set")
    .option("--composite", "List only composites, which are decomposed first")
    .option(
      "--missing",
      "List the overloads of PyTorch that Sconce refuses, with the reason, or does not implement",
    )
    .option("--backend <name>", "List only operators that this backend supports")
    .option("--schema", "Print schemas in place of names")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .action(async (options: OpsOptions) => (await import("./ops-action.js")).ops(options, io));
};
