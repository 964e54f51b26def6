/** @file Pipelines as text: `decompose{keep=[aten.conv2d.default]},fold-constants,cse,dce`. */
import { SconceError } from "@sconce/errors";
import { type OptionValue, type Pass, type PassCall, type PassOptions, passCall } from "./pass.js";

/**
 * Reads a pipeline. Option values are words, numbers, `true`/`false`, or lists in brackets.
 *
 * @throws SconceError `PIPELINE_SYNTAX`, `UNKNOWN_PASS`, `PASS_OPTION`
 */
export function parsePipeline(text: string, passes: ReadonlyMap<string, Pass>): PassCall[] {
  return split(text, text).map((item) => {
    const match = /^([\w-]+)\s*(?:\{(.*)\})?$/s.exec(item);
    if (match === null) throw syntax(text, `cannot read "${item}"`);
    const pass = passes.get(match[1]!);
    if (pass === undefined) {
      throw new SconceError({
        code: "UNKNOWN_PASS",
        message: `there is no pass "${match[1]}"`,
        fix: `the passes are: ${[...passes.keys()].join(", ")}`,
      });
    }
    return passCall(pass, parseOptions(match[2] ?? "", text));
  });
}

/** The text that parses back to the same calls; options at their defaults are left out. */
export function printPipeline(calls: readonly PassCall[]): string {
  return calls
    .map(({ pass, options }) => {
      const given = Object.entries(options).filter(
        ([name, value]) => String(value) !== String(pass.options[name]?.default),
      );
      const text = given.map(
        ([name, value]) => `${name}=${Array.isArray(value) ? `[${value.join(",")}]` : String(value)}`,
      );
      return text.length === 0 ? pass.name : `${pass.name}{${text.join(",")}}`;
    })
    .join(",");
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
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Items between commas outside of brackets and braces. */
function split(text: string, pipeline: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (c === "[" || c === "{") depth++;
    else if (c === "]" || c === "}") depth--;
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
