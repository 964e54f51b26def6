/**
 * @file The text of `docs/reference/passes.md`: each built-in pass, with a program before and
 * after.
 */
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import type { Pass } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { PASS_SAMPLES, type PassSample } from "./pass-samples.js";

const STATE: Readonly<Record<string, readonly [declaration: string, kind: string]>> = {
  p: ["parameter", "PARAMETER"],
  b: ["buffer", "BUFFER"],
  c: ["constant", "CONSTANT_TENSOR"],
};

/** Returns the lines of a program that declare a placeholder. */
function inputLines(name: string, type: string): readonly string[] {
  const state = STATE[/^([pbc])_/.exec(name)?.[1] ?? ""];
  if (state === undefined) return [`  input %${name}: USER_INPUT`];
  const [declaration, kind] = state;
  const target = name.slice(2);
  return [
    `  ${declaration} "${target}": ${type} no_values`,
    `  input %${name}: ${kind} "${target}"${kind === "BUFFER" ? " persistent" : ""}`,
  ];
}

/** Returns the program of a sample; parameters, buffers and constants are ones. */
function programOf({ dialect = "ATEN", graph }: PassSample, sconce: Sconce): ExportedProgram {
  const [, inputs] = /^graph\((.*)\) \{$/m.exec(graph)!;
  const [, outputs] = /^ {2}return \((.*)\)$/m.exec(graph)!;
  const declared = [
    ...Array.from(inputs!.matchAll(/%(\w+): (\w+\[[^\]]*\])/g), ([, name, type]) => inputLines(name!, type!)),
    ...Array.from(outputs!.matchAll(/%(\w+)/g), ([, name]) => [`  output %${name!}: USER_OUTPUT`]),
  ].flat();
  // Declarations of state precede the signature.
  const lines = declared.sort(
    (a, b) => Number(/^ {2}(in|out)put /.test(a)) - Number(/^ {2}(in|out)put /.test(b)),
  );
  const program = sconce.parseIr(`sconce-ir 1\nprogram "${dialect}" {\n${lines.join("\n")}\n}\n${graph}\n`);
  const state = [...program.stateDict, ...program.constants].map(([name, { shape, dtype }]) => {
    const count = shape.reduce((a, b) => a * b, 1);
    return [name, Tensor.from(new Array<number>(count).fill(1), shape, dtype)] as const;
  });
  return program.withState(new Map(state));
}

/** Returns the graph after the pass, or the error by which the pass rejects the program. */
function resultOf(sample: PassSample, name: string, sconce: Sconce): string {
  try {
    const program = programOf(sample, sconce);
    const { graph } = sconce.transform(program, sample.call ?? name, { record: false });
    return printIr(graph, { metadata: sample.graph.includes("metadata {") }).trim();
  } catch (error) {
    const cause = isSconceError(error) && error.code === "PASS_FAILED" ? error.cause : error;
    if (!isSconceError(cause)) throw error;
    return `${cause.code}: ${cause.message}`;
  }
}

const COLUMNS = 100;
/** Text in lines of the width that pages have. */
const wrapped = (text: string): string =>
  text.replace(new RegExp(`(.{1,${COLUMNS}})(?: |$)`, "g"), "$1\n").trim();
const tableText = (text: string): string => text.replaceAll("|", "\\|");

function optionRow([name, { default: value, doc, choices }]: readonly [
  string,
  Pass["options"][string],
]): string {
  const isOpen = choices === undefined || "words" in choices;
  const values = isOpen ? (choices?.kind ?? "") : choices.map((one) => `\`${one}\``).join(", ");
  return `| \`${name}\` | \`${JSON.stringify(value)}\` | ${tableText(values)} | ${tableText(doc)} |`;
}

function section({ name, doc, options, requires, ensures }: Pass, sconce: Sconce): readonly string[] {
  const sample = PASS_SAMPLES[name];
  if (sample === undefined) throw new Error(`the pass "${name}" has no sample in pass-samples.ts`);
  const rows = Object.entries(options).map(optionRow);
  return [
    `## \`${name}\``,
    "",
    wrapped(doc ?? ""),
    "",
    ...(requires === undefined ? [] : [`It takes programs of the dialect \`${requires}\`.`, ""]),
    ...(ensures === undefined ? [] : [`Its result is a program of the dialect \`${ensures}\`.`, ""]),
    ...(rows.length === 0
      ? []
      : ["| option | default | values | meaning |", "| --- | --- | --- | --- |", ...rows, ""]),
    "Before:",
    "",
    "```text",
    sample.graph,
    "```",
    "",
    `After \`${sample.call ?? name}\`:`,
    "",
    "```text",
    resultOf(sample, name, sconce),
    "```",
    "",
    wrapped(sample.shows),
    "",
  ];
}

/** Returns the page; the same passes give the same text. */
export function passPage(passes: readonly Pass[], sconce: Sconce): string {
  return [
    "# Passes",
    "",
    "<!-- Written by `npm run docs` from the passes and pass-samples.ts; a test compares. -->",
    "",
    wrapped(
      "This page shows each built-in pass with its options, and a program before and after it, in the " +
        "order in which a pipeline has them. [Built-in passes](../concepts/builtin-passes.md) describes their " +
        "rules, and [passes](../concepts/passes.md) how pipelines are written. Graphs are [IR " +
        "text](../concepts/ir-text.md).",
    ),
    "",
    ...passes.flatMap((pass) => section(pass, sconce)),
  ].join("\n");
}
