import type { Declare } from "../command-entry.js";
import { JSON_OPTION, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { PackOptions } from "./pack-action.js";

export const packCommand: Declare = (command, io) => {
  command
    .argument(
      "<programs...>",
      "NAME=FILE for the program of a file, FILE for all programs of a .pt2 file with their names",
    )
    .requiredOption("-o, --output <file>", "Write to OUT.pt2, for torch.export.pt2_archive.load_pt2")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (programs: readonly string[], options: PackOptions) =>
      (await import("./pack-action.js")).pack(programs, options, io),
    );
};
