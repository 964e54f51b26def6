import { Budget, checkOptions, requireText, WORK_OPTIONS, type WorkOptions } from "@sconce/errors";
import { optionProblem } from "../options/bind.js";
import { optionError } from "../options/errors.js";
import type { OptionSession, OptionValue, PassOptions } from "../options/spec.js";
import { type Pass, type PipelineItem, passCall, repeat } from "../pass/pass.js";
import { noPasses, syntaxError, unknownPass } from "./errors.js";
import { type Piece, placeOf } from "./piece.js";
import { assignmentOf, partsOf, piecesOf, trimmed } from "./pipeline-pieces.js";

/**
 * Reads a pipeline. Option values are words, numbers, `true`/ `false`, texts in quotes, or lists in
 * brackets; `repeat{max=5}(a,b)` runs passes until nothing changes any more.
 *
 * @param session what names in options are held against; a session of `createSconce` is one
 * @param work bounds on the work of reading the text
 * @throws SconceError `PIPELINE_SYNTAX`, `UNKNOWN_PASS`, `PASS_OPTION`, `UNKNOWN_RULE`,
 * `UNKNOWN_BACKEND`, `BUDGET_EXCEEDED`, with the place in the text
 */
export function parsePipeline(
  text: string,
  passes: ReadonlyMap<string, Pass>,
  session: OptionSession = {},
  work: WorkOptions = {},
): PipelineItem[] {
  checkOptions("parsePipeline", work, WORK_OPTIONS);
  requireText(text, "parsePipeline");
  if (typeof (passes as Partial<typeof passes> | undefined)?.get !== "function") throw noPasses(passes);
  if (text.length > LONGEST_TEXT)
    throw syntaxError({ text, at: 0, whole: text }, `it has more than ${LONGEST_TEXT} characters`);
  const budget = work.budget ?? new Budget(text.length, { nodes: MOST_ITEMS, ...work.limits });
  return new Reader(passes, session, budget).items({ text, at: 0, whole: text });
}

/** Characters that a pipeline may have. */
const LONGEST_TEXT = 1_000_000;

/** Passes, options and items of lists that a pipeline may have by default. */
const MOST_ITEMS = 10_000;

/** An option with the places of its name and of its value, and those of a list's items. */
interface Given {
  readonly value: OptionValue;
  readonly name: Piece;
  readonly places: readonly Piece[];
}

class Reader {
  readonly #passes: ReadonlyMap<string, Pass>;
  readonly #session: OptionSession;
  readonly #budget: Budget;

  constructor(passes: ReadonlyMap<string, Pass>, session: OptionSession, budget: Budget) {
    this.#passes = passes;
    this.#session = session;
    this.#budget = budget;
  }

  items(pieces: Piece): PipelineItem[] {
    return piecesOf(pieces, this.#budget).map((item) => this.#item(item));
  }

  #item(item: Piece): PipelineItem {
    const { name, options, inner } = partsOf(item);
    if (name === "repeat" && inner !== undefined) return this.#repeat(options, inner);
    if (inner !== undefined) throw syntaxError(item, `"${name}" takes no passes, only repeat(...) does`);
    const pass = this.#passes.get(name);
    if (pass === undefined) throw unknownPass(name, item, this.#passes.keys());
    return this.#bound(pass, optionsOf(options, this.#budget));
  }

  #bound(pass: Pass, given: ReadonlyMap<string, Given>): PipelineItem {
    const options: PassOptions = Object.fromEntries([...given].map(([name, { value }]) => [name, value]));
    const problem = optionProblem(pass, options, this.#session);
    if (problem === undefined) return passCall(pass, options);
    const { name, places } = given.get(problem.option)!;
    const isKnown = Object.hasOwn(pass.options, problem.option);
    throw optionError(problem, placeOf(isKnown ? (places[problem.item ?? 0] ?? name) : name));
  }

  #repeat(options: Piece | undefined, inner: Piece): PipelineItem {
    const given = optionsOf(options, this.#budget);
    for (const [name, { name: place }] of given)
      if (name !== "max") throw syntaxError(place, `repeat has no option "${name}", only "max"`);
    const { value: max = 10, places } = given.get("max") ?? {};
    if (typeof max !== "number" || !Number.isInteger(max) || max < 1)
      throw syntaxError(places![0]!, `repeat's "max" must be a positive integer, got ${String(max)}`);
    return repeat(this.items(inner), max);
  }
}

function optionsOf(braces: Piece | undefined, budget: Budget): ReadonlyMap<string, Given> {
  const options = new Map<string, Given>();
  for (const item of braces === undefined ? [] : piecesOf(braces, budget)) {
    const { name, value } = assignmentOf(item);
    if (options.has(name.text)) throw syntaxError(name, `the option "${name.text}" is given twice`);
    options.set(name.text, { name, ...readValue(value, budget) });
  }
  return options;
}

function readValue(value: Piece, budget: Budget): Omit<Given, "name"> {
  const { text } = value;
  if (!text.startsWith("[") || !text.endsWith("]")) return { value: scalarOf(text), places: [value] };
  const places = piecesOf(trimmed({ ...value, text: text.slice(1, -1), at: value.at + 1 }), budget);
  return { value: places.map((item) => unquoted(item.text) ?? item.text), places };
}

function scalarOf(text: string): string | number | boolean {
  const quoted = unquoted(text);
  if (quoted !== undefined) return quoted;
  if (text === "true" || text === "false") return text === "true";
  return text.length <= LONGEST_NUMBER && NUMBER.test(text) ? Number(text) : text;
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;
const LONGEST_NUMBER = 400;

const unquoted = (text: string): string | undefined =>
  text.length > 1 && text.startsWith('"') && text.indexOf('"', 1) === text.length - 1
    ? text.slice(1, -1)
    : undefined;

/** Returns the text that parses back to the same calls; options at their defaults are left out. */
export function printPipeline(items: readonly PipelineItem[]): string {
  return items.map(itemText).join(",");
}

function itemText(item: PipelineItem): string {
  if ("repeat" in item)
    return `repeat${item.max === 10 ? "" : `{max=${item.max}}`}(${printPipeline(item.repeat)})`;
  const { pass, options } = item;
  const given = Object.entries(options).filter(
    ([name, value]) => String(value) !== String(pass.options[name]?.default),
  );
  const text = given.map(([name, value]) => `${name}=${valueText(value)}`);
  return text.length === 0 ? pass.name : `${pass.name}{${text.join(",")}}`;
}

function valueText(value: OptionValue): string {
  if (typeof value === "string")
    return scalarOf(value) === value && !/[[\]]/.test(value) ? wordText(value) : `"${value}"`;
  return Array.isArray(value) ? `[${value.map((item: string) => wordText(item)).join(",")}]` : String(value);
}

/** Returns a word, in quotes where it would be read otherwise. */
const wordText = (word: string): string =>
  word === "" || word !== word.trim() || /[,{}()"]/.test(word) ? `"${word}"` : word;
