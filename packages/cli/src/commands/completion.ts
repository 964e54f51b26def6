import { Argument } from "commander";
import type { Declare } from "../command-entry.js";
import { SHELLS } from "../shared-options.js";

export const completionCommand: Declare = (command, io, _outcome, entries) => {
  command
    .addArgument(new Argument("<shell>", "The shell that the script is for").choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) =>
      (await import("./completion-action.js")).completion(shell, entries, io),
    );
};
