import type { Declare } from "../command-entry.js";
import { JSON_OPTION } from "../shared-options.js";
import type { ExportCommandOptions } from "./export-action.js";

export const exportCommand: Declare = (command, io) => {
  command
    .argument(
      "<module>",
      "A module of JavaScript or TypeScript that exports `model` and `args`; it runs with your rights",
    )
    .requiredOption(
      "-o, --output <file>",
      "Write to OUT.sir, and OUT.safetensors beside it; - writes both to standard output as one text",
    )
    .option(...JSON_OPTION)
    .action(async (module: string, options: ExportCommandOptions) =>
      (await import("./export-action.js")).exportModule(module, options, io),
    );
};
