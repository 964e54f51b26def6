import { Option } from "commander";
import type { Declare } from "../command-entry.js";
import {
  FILE_ARGUMENT,
  JSON_OPTION,
  limitOption,
  modelOption,
  pluginOption,
  repeatable,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { QuantizeOptions } from "./quantize-action.js";

export const quantizeCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .requiredOption("-o, --output <file>", "Write the program to OUT.pt2 for PyTorch, or to OUT.sir")
    .addOption(
      new Option(
        "--mode <mode>",
        "Store weights only; or compute in int8: with scales of activations from calibration, or chosen in each run",
      )
        .choices(["weights", "static", "dynamic"])
        .default("weights"),
    )
    .addOption(new Option("--bits <bits>", "Bits of a weight").choices(["8", "4", "2"]).default("8"))
    .addOption(
      new Option("--group <group>", "Elements that share a scale; auto: channels, 64 or 32 by bits")
        .choices(["auto", "32", "64", "128", "channel"])
        .default("auto"),
    )
    .option("--asymmetric", "Store zero points, for weights that are not centered at 0")
    .addOption(
      new Option(
        "--scheme <scheme>",
        "Keep the largest magnitude, search the least squared error, or keep the outputs of linear layers near (with --calibrate)",
      )
        .choices(["absmax", "mse", "gptq"])
        .default("absmax"),
    )
    .addOption(
      new Option("--half <dtype>", "Store halves in place of codes").choices(["float16", "bfloat16"]),
    )
    .addOption(
      new Option("--observer <observer>", "How --mode static finds the range of an activation")
        .choices(["histogram", "min-max", "moving-average", "percentile"])
        .default("histogram"),
    )
    .option("--include <weight>", "Quantize these weights, modules or calls only (repeatable)", repeatable)
    .option("--exclude <weight>", "Leave these weights, modules or calls (repeatable)", repeatable)
    .option(
      "--max-error <ratio>",
      "Give the worst weights 8 bits, then leave them in float, until no output is off by more, relative to its largest magnitude",
    )
    .option(
      "--calibrate <folder>",
      "Measure on the samples of a folder: each safetensors file holds the inputs of one run",
    )
    .option("--seed <integer>", "Draw the inputs to measure on, when no samples are given", "0")
    .option("--report <file>", "Write a page with the errors of each weight and layer")
    .option(...WEIGHTS_OPTION)
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: QuantizeOptions) =>
      (await import("./quantize-action.js")).quantize(file, options, io),
    );
};
