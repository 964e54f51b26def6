/** @file The `sconce` command. */
import { SconceError } from "@sconce/errors";
import { Command, CommanderError } from "commander";
import { infoCommand } from "./commands/info.js";
import { opsCommand } from "./commands/ops.js";
import { printCommand } from "./commands/print.js";
import { runCommand } from "./commands/run.js";
import { verifyCommand } from "./commands/verify.js";
import { EXIT, type Io, processIo } from "./io.js";

/** Parses arguments and runs a command; gives the exit code (0 done, 1 differences, 2 bad usage or input). */
export async function run(args: readonly string[], io: Io = processIo()): Promise<number> {
  const outcome = { code: EXIT.done as number };
  const program = new Command("sconce")
    .description("Reads, prints, lowers and runs programs that PyTorch exported (.pt2).")
    .version("0.1.0")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .showHelpAfterError("(sconce --help lists the commands)");
  for (const command of [infoCommand, printCommand, runCommand, verifyCommand, opsCommand]) command(program, io, outcome);
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    return failure(error, io);
  }
  return outcome.code;
}

function failure(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.bad;
  if (error instanceof SconceError) {
    io.err(`${error.describe()}\n`);
    return EXIT.bad;
  }
  const code = (error as { code?: string }).code;
  if (typeof code === "string" && /^E[A-Z]+$/.test(code)) {
    io.err(`error ${code}: ${(error as Error).message}\n`);
    return EXIT.bad;
  }
  io.err(`error INTERNAL: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return EXIT.bad;
}
