import type { Declare } from "../command-entry.js";
import {
  BACKEND_NAMES,
  JSON_OPTION,
  limitOption,
  pluginOption,
  repeatable,
  WEIGHTS_OPTION,
} from "../shared-options.js";
import type { BenchOptions } from "./bench-action.js";

export const benchCommand: Declare = (command, io) => {
  command
    .argument("<file>", "A .pt2 or .sir file, or - for standard input")
    .option("--inputs <file>", "Read inputs from a safetensors file, by name (x) or position (i0)")
    .option(
      "--input <name=value>",
      "Give one input: x=FILE.safetensors, x=FILE.npy, or JSON such as 'x=[[1, 2.5]]' (repeatable)",
      repeatable,
    )
    .option("--samples", "Run on the inputs that the program was exported with")
    .option("--random <seed>", "Draw the inputs that are not given; the same seed gives the same inputs")
    .option("--size <symbol=size>", "Set a symbolic size for --random: s0=4 (repeatable)", repeatable)
    .option(
      "--scalars <json>",
      'Give inputs that are not tensors, by position: {"1": 3, "2": {"float": "inf"}}',
    )
    .option(...WEIGHTS_OPTION)
    .option(
      "--backend <backends>",
      `Select the backends, separated by commas: ${BACKEND_NAMES}, or backends of a plugin`,
      "cpu,wasm",
    )
    .option("--threads <count>", "Set the threads of the backends that can have several")
    .option("--rounds <count>", "Set how often each backend runs a burst", "5")
    .option("--milliseconds <count>", "Set the length of a burst", "200")
    .option(...JSON_OPTION)
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .action(async (file: string, options: BenchOptions) =>
      (await import("./bench-action.js")).bench(file, options, io),
    );
};
