import type { Declare } from "../command-entry.js";
import { FILE_ARGUMENT, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { TypesOptions } from "./types-action.js";

export const typesCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .option("-o, --output <file>", "Write to this file; - is standard output", "-")
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: TypesOptions) =>
      (await import("./types-action.js")).writeTypes(file, options, io),
    );
};
