/**
 * @file What the help shows of options: type, unit, default; and the calls that it gives as
 * examples.
 */
import type { Command, Help, Option } from "commander";
import type { Paint } from "./colors.js";

/**
 * Types of values by the word that represents them in an option: `--seed <integer>`. Units are part
 * of the type.
 */
export const OPTION_TYPES: Readonly<Record<string, string>> = {
  file: "path",
  pattern: "path, or pattern such as shards/*.csv",
  column: "name of a column",
  address: "address: redis://HOST:PORT",
  part: "I/N, integers from 0",
  folder: "path of a folder",
  side: "integer, a count of elements",
  module: "path of a module, or name of a package",
  pipeline: "text: passes between commas",
  operator: "operator name, with its overload",
  name: "name",
  text: "text",
  json: "JSON",
  ratio: "number, without unit",
  number: "number, a difference of values",
  port: "integer, a TCP port",
  integer: "integer, without unit",
  host: "name or address of a machine",
  count: "integer, a count",
  rows: "integer, a count of rows",
  seed: "integer, without unit",
  ms: "number, milliseconds",
  bytes: "integer, bytes",
  what: "word",
  weight: "name of a weight, module or call; * represents any letters",
  bits: "integer, bits",
  group: "integer or word",
  scheme: "word",
  mode: "word",
  observer: "word",
  dtype: "dtype",
  backends: "two names, with a comma",
  names: "names, with commas between them",
  "name=value": "name, =, and a path or JSON",
  "symbol=size": "symbol, =, and an integer",
  "limit=integer":
    "bytes, nodes, terms, items or entries = a count; milliseconds = a time; memory = bytes of a run",
  when: "word",
  server: "scheme and host of a server",
};

/**
 * Returns the word for an option's value in its flags, such as `file`; undefined where it has none.
 */
export const valueWord = ({ flags }: Option): string | undefined =>
  /[<[]([\w=-]+)(?:\.\.\.)?[>\]]/.exec(flags)?.[1];

/** Returns the type of an option's value; undefined for options without one. */
export const typeOf = (option: Option): string | undefined => {
  const word = valueWord(option);
  return word === undefined ? undefined : (OPTION_TYPES[word] ?? word);
};

function optionDescription(option: Option): string {
  const { description, defaultValue, argChoices } = option;
  const facts = [
    argChoices === undefined ? typeOf(option) : `one of: ${argChoices.join(", ")}`,
    defaultValue === undefined || typeof defaultValue === "boolean"
      ? undefined
      : `default: ${String(defaultValue)}`,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? description : `${description} [${facts.join("; ")}]`;
}

/** Returns how the help of a command looks. */
export const helpConfiguration = ({ bold, cyan }: Paint): Partial<Help> => ({
  optionDescription,
  styleTitle: bold,
  styleCommandText: cyan,
  styleSubcommandText: cyan,
  styleOptionText: cyan,
});

/** Shows calls of a command below its help. */
export const addExamples = (command: Command, examples: readonly string[], { bold }: Paint): Command =>
  command.addHelpText(
    "after",
    ["", bold("Examples:"), ...examples.map((example) => `  $ ${example}`)].join("\n"),
  );
