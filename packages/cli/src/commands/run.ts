import type { Declare } from "../command-entry.js";
import {
  addInputOptions,
  addPassRunOptions,
  BACKEND_NAMES,
  CACHE_OPTION,
  DEFAULT_BACKEND,
  limitOption,
  modelOption,
  pluginOption,
} from "../shared-options.js";
import type { RunOptions } from "./run-action.js";

export const runCommand: Declare = (command, io, outcome) => {
  addInputOptions(
    command.argument(
      "<file>",
      "A .pt2 or .sir file, a reproducer of `sconce bisect`, which has its inputs, or - for standard input",
    ),
  )
    .option("--outputs <file>", "Write the results o0, o1, ... to a safetensors file")
    .option(
      "--expect <file>",
      "Compare with the tensors o0, o1, ... of a safetensors file (exit code 1 when they differ)",
    )
    .option(
      "--compare <backends>",
      "Run two backends, the expected one first (cpu,gpujs), and find the first node whose values differ (exit code 1)",
    )
    .option("--rtol <ratio>", "Set the relative tolerance of --expect and --compare; the default is 1e-4")
    .option("--atol <number>", "Set the absolute tolerance of --expect and --compare; the default is 1e-5")
    .option(
      "--backend <name>",
      `Select the backend: ${BACKEND_NAMES}, or a backend of a plugin`,
      DEFAULT_BACKEND,
    )
    .option(...CACHE_OPTION)
    .option("--placement", "Show which calls ran on the backend's device, and why the others did not")
    .option("--kernels", "Show the kernels that the backend made: loops, source, operations and bytes")
    .option("--profile", "Show what took longest, by nodes or by kernels")
    .option("--lower", "Lower the program with run_decompositions() first")
    .option(
      "--first-nonfinite [what]",
      "Find the first result with NaN or infinity (any), or with NaN only (nan); exit code 1 when there is one",
    )
    .option("--head <count>", "Print only the first elements of each result")
    .option("--stats", "Print range, mean, deviation and counts of NaN and infinity instead of the values")
    .option("--json", "Print JSON, with values as nested lists; errors and warnings too, on standard error")
    .addOption(pluginOption("operators"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: RunOptions) =>
      (await import("./run-action.js")).run(file, options, io, outcome),
    );
  addPassRunOptions(command);
};
