/** @file What shells complete: the commands with their options and the values that these take. */
import { Command, type Option } from "commander";
import type { CommandEntry } from "../command-entry.js";
import { valueWord } from "../help.js";
import type { SafeIo } from "../io.js";
import { LIMIT_NAMES } from "../shared-options.js";

/** Where the values of an option or an argument come from. */
export type Values =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Files; pipelines, which `sconce passes --complete` continues; anything else. */
  | { readonly kind: "file" | "pipeline" | "text" };

export interface CompletedOption {
  /** `--format` */
  readonly long: string;
  /** `-o` */
  readonly short: string | undefined;
  readonly description: string;
  /** Undefined for an option without a value. */
  readonly values: Values | undefined;
}

export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** What stands behind the command. */
  readonly values: Values;
}

const FILES: ReadonlySet<string> = new Set(["file", "module"]);
const HELP: CompletedOption = {
  long: "--help",
  short: "-h",
  description: "Show the help",
  values: undefined,
};
const BACKENDS = [
  "cpu",
  "wasm",
  "gpujs",
  ...["webgpu", "webgl2", "webasm", "cpu", "headlessgl"].map((mode) => `gpujs:${mode}`),
];

/** Everything that can be completed, from the declarations of the commands themselves. */
export async function completedCommands(
  entries: readonly CommandEntry[],
  io: SafeIo,
): Promise<CompletedCommand[]> {
  const names = entries.map(({ name }) => name);
  const commands = entries.map(async ({ name, description, load }) => {
    const command = new Command(name);
    (await load())(command, io, { code: 0 }, entries);
    const [argument] = command.registeredArguments;
    const words = argument?.argChoices;
    const values: Values = words === undefined ? { kind: "file" } : { kind: "words", words };
    return { name, description, options: [...command.options.map(optionOf), HELP], values };
  });
  const help = { name: "help", description: "Show the help of a command", options: [HELP] };
  return [...(await Promise.all(commands)), { ...help, values: { kind: "words", words: names } }];
}

function optionOf(option: Option): CompletedOption {
  const { long, short, description } = option;
  return { long: long ?? "", short, description, values: valuesOf(option) };
}

function valuesOf(option: Option): Values | undefined {
  const { argChoices, long } = option;
  if (argChoices !== undefined) return { kind: "words", words: argChoices };
  const word = valueWord(option);
  if (word === undefined) return undefined;
  if (long === "--backend") return { kind: "words", words: BACKENDS };
  if (long === "--limit") return { kind: "words", words: LIMIT_NAMES.map((name) => `${name}=`) };
  if (word === "pipeline") return { kind: "pipeline" };
  return { kind: FILES.has(word) ? "file" : "text" };
}

/** Options that every command takes. */
export const GLOBAL_OPTIONS = ["--quiet", "--color", "--no-color"] as const;
