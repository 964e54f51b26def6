import type { Declare } from "../command-entry.js";
import {
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { VerifyOptions } from "./verify-action.js";

export const verifyCommand: Declare = (command, io, outcome) => {
  command
    .argument(...FILE_ARGUMENT)
    .option(...WEIGHTS_OPTION)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: VerifyOptions) =>
      (await import("./verify-action.js")).verify(file, options, io, outcome),
    );
};
