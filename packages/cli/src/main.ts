/** @file The `sconce` command. */
import { isSconceError, SconceError } from "@sconce/errors";
import { Command, CommanderError } from "commander";
import { bisectCommand } from "./commands/bisect.js";
import { diffCommand } from "./commands/diff.js";
import { explainCommand } from "./commands/explain.js";
import { historyCommand } from "./commands/history.js";
import { infoCommand } from "./commands/info.js";
import { lowerCommand } from "./commands/lower.js";
import { opsCommand } from "./commands/ops.js";
import { passesCommand } from "./commands/passes.js";
import { printCommand } from "./commands/print.js";
import { runCommand } from "./commands/run.js";
import { verifyCommand } from "./commands/verify.js";
import { errorSections } from "./error-page.js";
import { EXIT, type Io, type Outcome, processIo, withoutControls } from "./io.js";

const COMMANDS = [
  infoCommand,
  printCommand,
  lowerCommand,
  runCommand,
  verifyCommand,
  diffCommand,
  bisectCommand,
  historyCommand,
  opsCommand,
  passesCommand,
  explainCommand,
];
const HELP = `
Exit codes: 0 done, 1 numbers or programs differ, 2 bad usage or bad input.
\`sconce explain CODE\` explains an error code.`;

/**
 * Parses arguments and runs a command; gives the exit code (0 done, 1 differences, 2 bad usage or
 * input).
 */
export async function run(args: readonly string[], streams: Io = processIo()): Promise<number> {
  const io = withoutControls(streams);
  const outcome: Outcome = { code: EXIT.done };
  const program = new Command("sconce")
    .description("Read, print, lower and run programs that PyTorch exported (.pt2, or IR text).")
    .version("0.1.0")
    .addHelpText("after", HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) =>
        write(text.replace(/^error: /, "error USAGE: ").replace("\n(Did", " (Did")),
    })
    .showHelpAfterError("  fix run sconce --help, or sconce <command> --help");
  for (const command of COMMANDS) command(program, io, outcome);
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    return failure(error, io);
  }
  return outcome.code;
}

function failure(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.bad;
  if (error instanceof SconceError) io.err(`${error.describe()}\n${explanationOf(error)}`);
  else io.err(`error INTERNAL: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return isSconceError(error, "PASS_CHANGED_NUMBERS") ? EXIT.differs : EXIT.bad;
}

/** Where the code is explained. Codes of plugins have no section. */
const explanationOf = ({ code }: SconceError): string =>
  errorSections().has(code) ? `  see sconce explain ${code}\n` : "";
