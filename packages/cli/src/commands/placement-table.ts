import { Option } from "commander";
import type { Declare } from "../command-entry.js";
import { FILE_ARGUMENT, JSON_OPTION, limitOption, modelOption, pluginOption } from "../shared-options.js";
import type { PlacementOptions } from "./placement-action.js";

export const placementCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .option(
      "--backends <names>",
      "Ask these backends, with commas between them: wasm,gpujs,cpu; the default is all that are installed",
    )
    .addOption(
      new Option("--by <what>", "Show a row for each node, or for each operator")
        .choices(["node", "operator"])
        .default("node"),
    )
    .option("--lower", "Lower the program with run_decompositions() first")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators and backends"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: PlacementOptions) =>
      (await import("./placement-action.js")).placement(file, options, io),
    );
};
