import { Option } from "commander";
import type { Declare } from "../command-entry.js";
import { FILE_ARGUMENT, modelOption, repeatable } from "../shared-options.js";
import type { ViewOptions } from "./view-action.js";

export const viewCommand: Declare = (command, io) => {
  command
    .argument(...FILE_ARGUMENT)
    .option("-o, --output <file>", "Write one page with the program in it, which needs no server")
    .option("--passes <pipeline>", 'Run these passes in the page, for example "decompose,cse,dce"')
    .addOption(
      new Option(
        "--connect <server>",
        "Let the page open programs on a server, for example https://example.org (repeatable)",
      ).argParser(repeatable),
    )
    .addOption(modelOption())
    .option("--port <port>", "Serve the page at this port; the default is a free one")
    .option("--no-open", "Do not start a browser; print the address alone")
    .action(async (file: string, options: ViewOptions) =>
      (await import("./view-action.js")).view(file, options, io),
    );
};
