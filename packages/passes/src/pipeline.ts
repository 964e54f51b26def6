/** @file Pipelines as text: `decompose{keep=[aten.conv2d.default]},repeat(canonicalize,cse),dce`. */
import { SconceError } from "@sconce/errors";
import {
  type OptionValue,
  type Pass,
  type PassOptions,
  type PipelineItem,
  passCall,
  repeat,
} from "./pass.js";

/**
 * Reads a pipeline. Option values are words, numbers, `true`/`false`, or lists in brackets; `repeat{max=5}(a,b)` runs passes
 * until nothing changes any more.
 *
 * @throws SconceError `PIPELINE_SYNTAX`, `UNKNOWN_PASS`, `PASS_OPTION`
 */
export function parsePipeline(text: string, passes: ReadonlyMap<string, Pass>): PipelineItem[] {
  return parseItems(text, text, passes);
}

function parseItems(text: string, whole: string, passes: ReadonlyMap<string, Pass>): PipelineItem[] {
  return split(text, whole).map((item) => {
    const match = /^([\w-]+)\s*(?:\{([^{}]*)\})?\s*(?:\((.*)\))?$/s.exec(item);
    if (match === null) throw syntax(whole, `cannot read "${item}"`);
    const [, name, options, inner] = match as unknown as [string, string, string?, string?];
    if (name === "repeat" && inner !== undefined) return parseRepeat(options ?? "", inner, whole, passes);
    if (inner !== undefined) throw syntax(whole, `"${name}" takes no passes, only repeat(...) does`);
    const pass = passes.get(name);
    if (pass === undefined) {
      throw new SconceError({
        code: "UNKNOWN_PASS",
        message: `there is no pass "${name}"`,
        fix: `the passes are: ${[...passes.keys()].join(", ")}`,
      });
    }
    return passCall(pass, parseOptions(options ?? "", whole));
  });
}

function parseRepeat(
  options: string,
  inner: string,
  whole: string,
  passes: ReadonlyMap<string, Pass>,
): PipelineItem {
  const { max = 10, ...others } = parseOptions(options, whole);
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw syntax(whole, `repeat has no option "${unknown}", only "max"`);
  if (typeof max !== "number" || !Number.isInteger(max) || max < 1)
    throw syntax(whole, `repeat's "max" must be a positive integer, got ${String(max)}`);
  return repeat(parseItems(inner, whole, passes), max);
}

/** The text that parses back to the same calls; options at their defaults are left out. */
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
  const text = given.map(
    ([name, value]) => `${name}=${Array.isArray(value) ? `[${value.join(",")}]` : String(value)}`,
  );
  return text.length === 0 ? pass.name : `${pass.name}{${text.join(",")}}`;
}

function parseOptions(text: string, pipeline: string): PassOptions {
  const options: Record<string, OptionValue> = {};
  for (const item of split(text, pipeline)) {
    const match = /^([\w-]+)\s*=\s*(.*)$/s.exec(item);
    if (match === null) throw syntax(pipeline, `cannot read the option "${item}"`);
    options[match[1]!] = parseValue(match[2]!, pipeline);
  }
  return options;
}

function parseValue(text: string, pipeline: string): OptionValue {
  if (text.startsWith("[") && text.endsWith("]")) return split(text.slice(1, -1), pipeline);
  if (/^"[^"]*"$/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Items between commas outside of brackets. */
function split(text: string, pipeline: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === "[" || c === "{" || c === "(") depth++;
    else if (c === "]" || c === "}" || c === ")") depth--;
    if (depth < 0) throw syntax(pipeline, `unexpected "${c}"`);
    if (c === undefined || (c === "," && depth === 0)) {
      const item = text.slice(start, i).trim();
      if (item !== "") items.push(item);
      else if (c !== undefined || items.length > 0) throw syntax(pipeline, "an item is empty");
      start = i + 1;
    }
  }
  if (depth !== 0) throw syntax(pipeline, "a bracket is not closed");
  return items;
}

const syntax = (pipeline: string, why: string): SconceError =>
  new SconceError({
    code: "PIPELINE_SYNTAX",
    message: `${why} in the pipeline "${pipeline}"`,
    fix: 'write passes between commas, options in braces: "decompose{keep=[aten.linear.default]},dce"',
  });
