import type { Declare } from "../command-entry.js";
import { FILE_ARGUMENT, JSON_OPTION, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { InfoOptions } from "./info-text.js";

export const infoCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .option(...JSON_OPTION)
    .option("--loops", "Add the loop nests of the program: nodes, FLOPs, bytes, planned memory")
    .option("--no-hash", "Leave the content hashes out of --json, and the weights unread")
    .option("--security", "List what PyTorch would execute or evaluate in the file; nothing is executed")
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: InfoOptions) =>
      (await import("./info-action.js")).info(file, options, io),
    );
};
