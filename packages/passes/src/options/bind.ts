/** @file Holds the values of options against what the pass says of them. */
import { type ErrorEdit, editOf, misspelled, thrownText, withArticle } from "@sconce/errors";
import type { Choices, OptionSession, OptionSpec, OptionValue, PassOptions } from "./spec.js";

/** A wrong option, with the item of a list that is wrong. */
export interface OptionProblem {
  readonly option: string;
  readonly item?: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly edits?: readonly ErrorEdit[];
  readonly cause?: unknown;
}

/** What has options: a pass. */
export interface Optioned {
  readonly name: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
}

/**
 * Returns what is wrong with the first wrong option; undefined when all are right, as far as the
 * session knows.
 */
export function optionProblem(
  pass: Optioned,
  given: PassOptions,
  session: OptionSession,
): OptionProblem | undefined {
  for (const [option, value] of Object.entries(given)) {
    const spec = Object.hasOwn(pass.options, option) ? pass.options[option] : undefined;
    const problem =
      spec === undefined
        ? unknownOption(pass, option)
        : valueProblem(pass, option, spec, boundValue(spec, value), session);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Returns the value that a pass gets for an option. Texts of pipelines have numbers where an option
 * of words has a number among its choices: `group=64` beside `group=channel`.
 */
export function boundValue(spec: OptionSpec, value: OptionValue): OptionValue {
  if (typeof value !== "number" || typeof spec.default !== "string") return value;
  const { choices } = spec;
  return Array.isArray(choices) && choices.includes(String(value)) ? String(value) : value;
}

function unknownOption({ name, options }: Optioned, option: string): OptionProblem {
  const known = Object.keys(options);
  const fix = `see the options of "${name}"`;
  return {
    option,
    code: "PASS_OPTION",
    message: `pass "${name}" has no option "${option}" (it has: ${known.join(", ") || "none"})`,
    ...misspelled(option, known, fix),
  };
}

function valueProblem(
  pass: Optioned,
  option: string,
  spec: OptionSpec,
  value: OptionValue,
  session: OptionSession,
): OptionProblem | undefined {
  const kind = kindOf(spec.default);
  const isList = Array.isArray(value);
  if (kindOf(value) !== kind || (isList && value.some((item: unknown) => typeof item !== "string"))) {
    const message = `pass "${pass.name}" option "${option}" must be a ${kind}, got ${JSON.stringify(value)}`;
    const meant = kind === "boolean" ? booleanMeant(value) : undefined;
    if (meant === undefined)
      return { option, code: "PASS_OPTION", message, fix: `write ${exampleOf(option, spec)}` };
    const fix = `write ${option}=${meant}`;
    return { option, code: "PASS_OPTION", message, fix, ...editOf(value, String(meant)) };
  }
  const items = isList ? (value as readonly string[]) : [value as string | number | boolean];
  for (const [i, item] of items.entries()) {
    const problem = itemProblem(pass, option, spec, item, session);
    if (problem !== undefined) return { ...problem, option, item: isList ? i : undefined };
  }
  return undefined;
}

function itemProblem(
  pass: Optioned,
  option: string,
  spec: OptionSpec,
  item: string | number | boolean,
  session: OptionSession,
): Omit<OptionProblem, "option"> | undefined {
  const place = `pass "${pass.name}": ${option}`;
  try {
    const why = spec.check?.(item);
    if (why === undefined) return wordProblem(place, spec, item, session);
    if (typeof why !== "string")
      throw new TypeError(`it gave ${String(why)}, neither a reason nor undefined`);
    return {
      code: "PASS_OPTION",
      message: `${place} ${why}, got ${JSON.stringify(item)}`,
      fix: `change ${option} (${spec.doc})`,
    };
  } catch (cause) {
    const owner = session.ownerOf?.(pass);
    const plugin = owner === undefined ? "" : ` of plugin "${owner}"`;
    const message = `pass "${pass.name}"${plugin} failed to check its option "${option}": ${thrownText(cause)}`;
    return { code: "PASS_FAILED", message, fix: "fix how the pass checks the option", cause };
  }
}

function wordProblem(
  place: string,
  spec: OptionSpec,
  item: string | number | boolean,
  session: OptionSession,
): Omit<OptionProblem, "option"> | undefined {
  if (spec.choices === undefined) return undefined;
  const choices: Choices = "words" in spec.choices ? spec.choices : oneOf(spec.choices);
  const word = String(item);
  // Before the words: there are thousands of operators.
  if (choices.has?.(word, session) === true) return undefined;
  const words = choices.words(session);
  if (words === undefined) return undefined;
  const known = new Set<string>();
  for (const one of words) {
    if (one === word) return undefined;
    known.add(one);
  }
  const why = choices.kind === "" ? "" : `, which is not ${withArticle(choices.kind)}`;
  const problem = Array.isArray(spec.default) ? `names ${word}` : `cannot be "${word}"`;
  return {
    code: choices.code ?? "PASS_OPTION",
    message: `${place} ${problem}${why}`,
    ...misspelled(word, known, choices.fix ?? `use one of: ${[...known].join(", ") || "none"}`),
  };
}

const oneOf = (words: readonly string[]): Choices => ({ kind: "", words: () => words });

const kindOf = (value: OptionValue): string => (Array.isArray(value) ? "list" : typeof value);

/**
 * Returns the boolean that a word or a number of another language represents: `True`, `off`, `1`.
 */
function booleanMeant(value: OptionValue): boolean | undefined {
  const word = String(value).toLowerCase();
  if (["true", "yes", "on", "1"].includes(word)) return true;
  return ["false", "no", "off", "0"].includes(word) ? false : undefined;
}

const exampleOf = (option: string, { default: value }: OptionSpec): string =>
  typeof value === "boolean"
    ? `${option}=true or ${option}=false`
    : Array.isArray(value)
      ? `${option}=[a,b]`
      : `${option}=${String(value) || "word"}`;

/**
 * Returns the words that an option takes, as far as the session knows; none where they are not
 * listed.
 */
export function wordsOf({ choices, default: value }: OptionSpec, session: OptionSession): string[] {
  if (choices !== undefined) return [...("words" in choices ? (choices.words(session) ?? []) : choices)];
  if (typeof value === "boolean") return ["true", "false"];
  return Array.isArray(value) || value === "" ? [] : [String(value)];
}
