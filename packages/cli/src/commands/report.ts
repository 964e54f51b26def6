import type { Declare } from "../command-entry.js";
import {
  addInputOptions,
  addPassRunOptions,
  BACKEND_NAMES,
  limitOption,
  modelOption,
  pluginOption,
} from "../shared-options.js";
import type { ReportOptions } from "./report-action.js";

export const reportCommand: Declare = (command, io, outcome) => {
  addPassRunOptions(
    addInputOptions(command.argument("<file>", "A .pt2 or .sir file, or - for standard input")),
  )
    .requiredOption("-o, --output <file>", "Write the page to this file; - writes it to standard output")
    .option("--passes <pipeline>", 'Run these passes first, for example "decompose,fold-constants,cse,dce"')
    .option(
      "--backend <backends>",
      `Select the backends, separated by commas: ${BACKEND_NAMES}, or backends of a plugin`,
      "cpu,wasm",
    )
    .option("--fold <count>", "Draw modules at this depth of the hierarchy as one box", "2")
    .addOption(pluginOption("operators, passes and backends"))
    .addOption(limitOption())
    .addOption(modelOption())
    .action(async (file: string, options: ReportOptions) =>
      (await import("./report-action.js")).report(file, options, io, outcome),
    );
};
