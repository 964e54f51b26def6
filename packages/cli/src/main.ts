/** @file The `sconce` command. */
import { didYouMean, isSconceError, nearestEdit, type SconceError, VERSION } from "@sconce/errors";
import { Command, CommanderError } from "commander";
import type { LineStyle } from "./colors.js";
import type { CommandEntry } from "./command-entry.js";
import { COMMAND_NAMES, COMMANDS } from "./command-table.js";
import { errorSections } from "./error-page.js";
import { crash, usage, withTexts } from "./errors.js";
import { addExamples, helpConfiguration } from "./help.js";
import { withStandardInput } from "./input-file.js";
import { EXIT, type Io, jsonLine, type Outcome, type SafeIo, type Settings, safeIo } from "./io.js";
import { setLimits, setModel, withLimits, withMemoryFix } from "./limits.js";
import { type PassLimits, passLimits } from "./pass-limits.js";
import type { PassRunOptions } from "./shared-options.js";
import { processIo } from "./standard-streams.js";
import { withArgumentsOnOneLine } from "./text.js";

const HELP = `
A FILE of - is standard input, and -o - is standard output.
Exit codes: 0 done, 1 numbers or programs differ, 2 bad usage or bad input.
\`sconce explain CODE\` explains an error code, \`sconce COMMAND --help\` a command.`;
const EXAMPLES = ["sconce info model.pt2", "sconce lower model.pt2 -o lowered.sir", "sconce doctor"];

/**
 * Parses arguments and runs a command; returns the exit code (0 done, 1 differences, 2 bad usage or
 * input, or output that cannot be written).
 */
export async function run(args: readonly string[], streams: Io = processIo()): Promise<number> {
  const io = safeIo(streams, settingsOf(args));
  const outcome: Outcome = { code: EXIT.done };
  try {
    const entry = calledEntry(args);
    const program = programFor(io, (text) => streams.out(text));
    for (const one of COMMANDS) {
      const command = addExamples(program.command(one.name), one.examples, io.paint);
      command.description(one.description);
      if (one === entry) (await one.load())(command, io, outcome, COMMANDS);
    }
    const all = args.every((arg) => WITHOUT_COMMAND.has(arg)) ? [...args, "--help"] : args;
    await withLimits(() => withStandardInput(streams.input, () => parse(program, all, entry)));
  } catch (error) {
    if (error instanceof RunInWorker) outcome.code = await limited(args, streams, io, error.limits);
    else outcome.code = failure(error, io, args);
  }
  try {
    await streams.finish?.();
  } catch (error) {
    return failure(error, io, args);
  }
  return outcome.code;
}

async function limited(
  args: readonly string[],
  streams: Io,
  io: SafeIo,
  limits: PassLimits,
): Promise<number> {
  try {
    return await (await import("./limited-run.js")).runInWorker(args, streams, limits);
  } catch (error) {
    return failure(error, io, args);
  }
}

/** Options that ask for nothing by themselves: the help is shown then. */
const WITHOUT_COMMAND: ReadonlySet<string> = new Set(["-q", "--quiet", "--color", "--no-color"]);

/** Read before anything else: errors of usage follow them too. */
function settingsOf(args: readonly string[]): Settings {
  const end = args.indexOf("--");
  const options = new Set(end < 0 ? args : args.slice(0, end));
  return {
    quiet: options.has("--quiet") || options.has("-q"),
    json: options.has("--json"),
    color: options.has("--no-color") ? false : options.has("--color") ? true : undefined,
  };
}

const words = (args: readonly string[]): string[] => args.filter((arg) => !arg.startsWith("-"));

/** Returns the command that is called, or whose help is asked for. */
function calledEntry(args: readonly string[]): CommandEntry | undefined {
  const [first, second] = words(args);
  return COMMANDS.find(({ name }) => name === (first === "help" ? second : first));
}

/** Options that this file reads, of any command. */
interface OptionsOfAll extends Pick<PassRunOptions, "passTimeout" | "passMemory"> {
  readonly limit?: readonly string[];
  readonly model?: string;
}

/** Thrown in place of running a command that has limits on passes. */
class RunInWorker {
  readonly limits: PassLimits;

  constructor(limits: PassLimits) {
    this.limits = limits;
  }
}

function programFor(io: SafeIo, writeOut: (text: string) => void): Command {
  const program = new Command("sconce")
    .description("Read, print, lower and run programs that PyTorch exported (.pt2, or IR text).")
    .version(VERSION)
    .option("-q, --quiet", "Write no warnings, progress and summaries; results and errors stay")
    .option("--color", "Use colors, also where the output is not a terminal")
    .option("--no-color", "Use no colors; NO_COLOR=1 does the same")
    .exitOverride()
    .configureHelp(helpConfiguration(io.paint))
    .configureOutput({
      // The help is Sconce's own text, styles included.
      writeOut,
      writeErr: () => {},
      outputError: () => {},
      getOutHasColors: () => true,
    })
    .showSuggestionAfterError(false)
    .hook("preAction", (_, called) => {
      const { limit = [], model, ...limited } = called.opts<OptionsOfAll>();
      const limits = passLimits(limited);
      if (limits !== undefined && io.onPass === undefined) throw new RunInWorker(limits);
      setLimits(limit);
      setModel(model);
    });
  addExamples(program, EXAMPLES, io.paint);
  return program.addHelpText("after", HELP);
}

/** @throws SconceError `USAGE` for what commander refuses */
async function parse(
  program: Command,
  args: readonly string[],
  entry: CommandEntry | undefined,
): Promise<void> {
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof RunInWorker) throw error;
    if (!(error instanceof CommanderError)) throw await withMemoryFix(error);
    if (error.exitCode === 0) return;
    // Commander shows the help for `help` with an unknown name, and gives no message.
    const asked = words(args)[1] ?? "";
    if (error.code === "commander.help") throw unknownCommand(asked);
    throw usageError(error, program, entry);
  }
}

const unknownCommand = (name: string): SconceError =>
  usage(
    `unknown command '${name}'`,
    didYouMean(name, COMMAND_NAMES, "run sconce --help"),
    undefined,
    nearestEdit(name, COMMAND_NAMES),
  );

function usageError(error: CommanderError, program: Command, entry: CommandEntry | undefined): SconceError {
  const message = error.message.replace(/^error: /, "");
  const fix = `run sconce ${entry === undefined ? "" : `${entry.name} `}--help`;
  const [, value, choices] =
    /(?:argument|value) '(.*)' is invalid.*\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  if (value !== undefined && choices !== undefined)
    return usage(
      message.replace(/ Allowed choices.*$/, ""),
      didYouMean(value, choices.split(", "), `use one of: ${choices}`),
      error,
    );
  const [, kind, word] = /^unknown (option|command) '(.*)'$/.exec(message) ?? [];
  if (word === undefined) return usage(message, fix, error);
  const command = program.commands.find((one) => one.name() === entry?.name);
  const options = [program, ...(command === undefined ? [] : [command])].flatMap((one) =>
    one.options.flatMap(({ long }) => long ?? []),
  );
  const known = kind === "command" ? COMMAND_NAMES : [...options, "--help"];
  return usage(message, didYouMean(word, known, fix), error, nearestEdit(word, known));
}

function failure(error: unknown, io: SafeIo, args: readonly string[]): number {
  const known = isSconceError(error) ? error : crash(error);
  const { code, message, where = null, fix = null, edits } = known;
  const docs = errorSections().has(code) ? known.docs : null;
  if (io.settings.json) io.err(jsonLine({ code, message, where, fix, docs, ...(edits && { edits }) }));
  else {
    const see = docs === null ? "" : `  see sconce explain ${code}\n`;
    io.styledError(`${described(known, args)}\n${see}`, errorStyle);
  }
  return isSconceError(error, "PASS_CHANGED_NUMBERS") ? EXIT.differs : EXIT.bad;
}

function described(error: SconceError, args: readonly string[]): string {
  return withTexts(error, (text) => withArgumentsOnOneLine(text, args)).describe();
}

const errorStyle: LineStyle = (line, { red, bold, dim }) =>
  line
    .replace(/^error \w+:/, (label) => red(bold(label)))
    .replace(/^ {2}(in |fix|see)(?= )/, (label) => dim(label));
