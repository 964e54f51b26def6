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

export const exportCommand: Declare = (command, io, outcome) => {
  command
    .addHelpText("after", EXAMPLE)
    .argument(
      "<module>",
      "A module that exports `model`, an nn.Module or a function, and `args`, an array of example arguments; `dynamicShapes` and `kwargs` are optional. It runs with your rights",
    )
    .option(
      "-o, --output <file>",
      "Write to OUT.pt2 for PyTorch, or to OUT.sir, with OUT.safetensors beside it; - writes IR text and tensors to standard output as one text. Required without --draft",
    )
    .option(
      "--draft",
      "Export a draft even where the model is refused, and print a report of all that must be fixed (exit status 1 if anything)",
    )
    .option("--strict", "Refuse code whose effects the trace cannot see, such as Math.random()")
    .option(...JSON_OPTION)
    .action(async (module: string, options: ExportCommandOptions) =>
      (await import("./export-action.js")).exportModule(module, options, io, outcome),
    );
};
