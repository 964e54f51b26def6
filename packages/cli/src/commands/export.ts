import type { Declare } from "../command-entry.js";
import { JSON_OPTION } from "../shared-options.js";
import type { ExportCommandOptions } from "./export-action.js";

const PACKAGE = "sconce";

const EXAMPLE = `
A module, model.mjs:
  import { Dim, nn, torch } from "${PACKAGE}";

  class Net extends nn.Module {
    fc = new nn.Linear(4, 3);
    forward(x) {
      return this.fc(x).relu();
    }
  }

  export const model = new Net();
  export const args = [torch.randn(2, 4)];
  export const dynamicShapes = { x: { 0: Dim("batch") } };

Node 22.18, 23.6 and later also load TypeScript.`;

export const exportCommand: Declare = (command, io) => {
  command
    .addHelpText("after", EXAMPLE)
    .argument(
      "<module>",
      "A module that exports `model`, an nn.Module or a function, and `args`, an array of example arguments; `dynamicShapes` and `kwargs` are optional. It runs with your rights",
    )
    .requiredOption(
      "-o, --output <file>",
      "Write to OUT.sir, and OUT.safetensors beside it; - writes both to standard output as one text",
    )
    .option(...JSON_OPTION)
    .action(async (module: string, options: ExportCommandOptions) =>
      (await import("./export-action.js")).exportModule(module, options, io),
    );
};
