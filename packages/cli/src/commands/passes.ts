import type { Declare } from "../command-entry.js";
import { JSON_OPTION, pluginOption } from "../shared-options.js";
import type { PassesOptions } from "./passes-action.js";

export const passesCommand: Declare = (command, io) => {
  command
    .option("--complete <text>", "Print completions of a partial pipeline, one per line")
    .addOption(pluginOption("passes"))
    .option(...JSON_OPTION)
    .action(async (options: PassesOptions) => (await import("./passes-action.js")).passes(options, io));
};
