/**
 * @file Options that several commands take. It is loaded for every help, so it loads no program
 * code.
 */
import { type Command, Option } from "commander";

type Declared = readonly [flags: string, description: string];

/** The option that gives values to the state of a program. */
export const WEIGHTS_OPTION: Declared = [
  "--weights <file>",
  "Read values of parameters, buffers and constants from a safetensors file, by name",
];

export const JSON_OPTION: Declared = ["--json", "Print JSON; errors and warnings too, on standard error"];

export const CACHE_OPTION: Declared = [
  "--cache <path>",
  "Keep kernels of the backends wasm and auto in a folder, for later runs",
];

/** What FILE may be. */
export const FILE_ARGUMENT: Declared = ["<file>", "A .pt2, .sir or JSON IR file, or - for standard input"];

/** The names of `sconce print --format`. */
export const PRINT_FORMATS = [
  "program",
  "graph",
  "code",
  "signature",
  "ir",
  "json",
  "json-ir",
  "mermaid",
  "dot",
  "svg",
  "loops",
  "ts",
] as const;

/** Adds what every command takes that runs a program: its inputs and its weights. */
export const addInputOptions = (command: Command): Command =>
  command
    .option("--inputs <file>", "Read inputs from a safetensors file, by name (x) or position (i0)")
    .option(
      "--input <name=value>",
      "Give one input: x=FILE.safetensors, x=FILE.npy, or JSON such as 'x=[[1, 2.5]]' (repeatable)",
      repeatable,
    )
    .option("--samples", "Run on the inputs that the program was exported with")
    .option("--random <seed>", "Draw the inputs that are not given; the same seed gives the same inputs")
    .option("--size <symbol=size>", "Set a symbolic size for --random: s0=4 (repeatable)", repeatable)
    .option(
      "--scalars <json>",
      'Give inputs that are not tensors, by position: {"1": 3, "2": {"float": "inf"}}',
    )
    .option(...WEIGHTS_OPTION);

/** What {@link addPassRunOptions} adds. */
export interface PassRunOptions {
  readonly printAfter?: "changed" | "all";
  readonly timing?: boolean;
  readonly passTimeout?: string;
  readonly passMemory?: string;
}

/** Adds what every command takes that runs passes. */
export const addPassRunOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--print-after <when>",
        "Print the IR text to standard error after each pass, or after those that changed it",
      ).choices(["changed", "all"]),
    )
    .option(
      "--timing",
      "Print a table to standard error: milliseconds, rewrites and nodes of each pass and rule",
    )
    .option("--pass-timeout <ms>", "End the command when it takes longer: passes of plugins may not end")
    .option(
      "--pass-memory <bytes>",
      "End the command when it takes more memory: passes of plugins may take all",
    );

/** `--plugin`, which runs code: the description says so. */
export const pluginOption = (holds: string): Option =>
  new Option(
    "--plugin <module>",
    `Load a module with ${holds}, which runs with your rights (repeatable)`,
  ).argParser(repeatable);

/** What `--limit` bounds: all but the last on reading one file. */
export const LIMIT_NAMES = ["bytes", "nodes", "terms", "items", "entries", "milliseconds", "memory"] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** `--limit`, for every command that reads program files. */
export const limitOption = (): Option =>
  new Option(
    "--limit <limit=integer>",
    "Change a limit on reading a file, or on the memory of a run (repeatable)",
  ).argParser(repeatable);

/** `--model`, for every command that reads program files. */
export const modelOption = (): Option =>
  new Option("--model <name>", "Choose one of several programs in a .pt2 file");

/** Collects a repeatable option. */
export const repeatable = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

/** The shells of `sconce completion`. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The backends that a name loads, for help texts; a test compares it with the session's. */
export const BACKEND_NAMES = "auto, cpu, wasm, gpujs, gpujs:MODE";

/** The backend of a run for which none is named: `wasm` where it runs, else the interpreter. */
export const DEFAULT_BACKEND = "auto";
