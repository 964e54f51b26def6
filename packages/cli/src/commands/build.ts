import { Option } from "commander";
import type { Declare } from "../command-entry.js";
import {
  addPassRunOptions,
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { BuildCommandOptions } from "./build-action.js";

export const buildCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption("-o, --output <folder>", "Write NAME.mjs and the files beside it to this folder")
    .option("--name <name>", "Name the files NAME.mjs, NAME.wasm, ...; by default like FILE")
    .addOption(
      new Option(
        "--target <what>",
        "What kernels are written in; the second one is used where the first cannot run",
      )
        .choices(["wasm", "js", "wasm,js"])
        .default("wasm"),
    )
    .option("--inline", "Write one file, NAME.mjs, that holds kernels and weights")
    .option("--packed", "Write weights in the orders that kernels read them in: the module starts sooner")
    .option("--relaxed", "Write kernels with relaxed SIMD besides, for engines that have it")
    .option("--threads", "Write kernels for several threads besides, and a worker: load({ threads })")
    .addOption(
      new Option("--winograd <side>", "Side of the tiles of 3x3 convolutions")
        .choices(["0", "2", "4"])
        .default("2"),
    )
    .option("--passes <pipeline>", "Run these passes first")
    .option(...WEIGHTS_OPTION);
  addPassRunOptions(command)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators and passes"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: BuildCommandOptions) =>
      (await import("./build-action.js")).build(file, options, io),
    );
};
