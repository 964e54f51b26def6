import { completePipeline, type OptionSpec, type Pass } from "@sconce/passes";
import { json, type SafeIo } from "../io.js";
import { openSession } from "../session.js";

export interface PassesOptions {
  readonly complete?: string;
  readonly plugin?: readonly string[];
  readonly json?: boolean;
}

export async function passes(options: PassesOptions, io: SafeIo): Promise<void> {
  const session = await openSession(io, options.plugin);
  const { passes: known } = session;
  if (options.complete !== undefined)
    io.out(
      completePipeline(options.complete, known, session)
        .map((text) => `${text}\n`)
        .join(""),
    );
  else if (options.json) io.out(json([...known.values()].map(described)));
  else
    io.styled([...known.values()].map(textOf).join(""), (line, { bold }) =>
      /^\S/.test(line) ? bold(line) : line,
    );
}

const described = ({ name, doc, options, requires, ensures }: Pass): object => ({
  name,
  doc,
  options: Object.fromEntries(
    Object.entries(options).map(([option, { default: value, doc: what, choices }]) => [
      option,
      {
        default: value,
        doc: what,
        choices: choices === undefined || "words" in choices ? choices?.kind : choices,
      },
    ]),
  ),
  requires,
  ensures,
});

function textOf({ name, doc, options, requires }: Pass): string {
  const needs = requires === undefined ? "" : ` Needs a program in the ${requires} dialect.`;
  const lines = Object.entries(options).map(
    ([option, spec]) =>
      `    ${option}=${JSON.stringify(spec.default)}  ${spec.doc}${choicesText(spec.choices)}\n`,
  );
  return `${name}\n    ${doc}${needs}\n${lines.join("")}`;
}

/** Returns what an option may be, where that is one of a few words. */
const choicesText = (choices: OptionSpec["choices"]): string =>
  choices === undefined || "words" in choices ? "" : ` (${choices.join(", ")})`;
