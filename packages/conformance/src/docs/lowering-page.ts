/**
 * @file The text of `docs/reference/lowerings.md`: what operators become, from PyTorch's recorded
 * lowerings.
 */
import type { DecompositionCase } from "../conformance/decompositions.js";
import type { Family } from "./families.js";

/** More calls than this are listed by the names of their operators. */
const MAX_CALLS = 4;

/**
 * Returns the calls of recorded lines, `sigmoid = aten.sigmoid.default(%a_0)`, without the
 * `return`.
 */
const callsOf = (lines: readonly string[]): string[] => lines.filter((line) => !line.startsWith("return "));

/** `aten.mul.Tensor` of `mul = aten.mul.Tensor(%a, %b)`. */
const targetOf = (call: string): string => /= ([\w.]+)\(/.exec(call)?.[1] ?? call;

const shortened = (text: string): string => text.replaceAll("aten.", "").replaceAll(".default", "");

function resultOf(calls: readonly string[]): string {
  if (calls.length === 0) return "no call";
  if (calls.length <= MAX_CALLS) return calls.map((call) => `\`${shortened(call)}\``).join("<br>");
  const counts = new Map<string, number>();
  for (const target of calls.map(targetOf)) counts.set(target, (counts.get(target) ?? 0) + 1);
  return [...counts]
    .map(([target, count]) => `\`${shortened(target)}\`${count > 1 ? ` (${count} times)` : ""}`)
    .join(", ");
}

/** Returns the page; the same cases give the same text. */
export function loweringPage(families: readonly Family[], cases: readonly DecompositionCase[]): string {
  const rows = new Map<string, string>();
  for (const { training_ir: before, core } of cases) {
    const calls = callsOf(before ?? []);
    const after = callsOf(core ?? []);
    const target = targetOf(calls[0] ?? "");
    if (calls.length !== 1 || core === undefined || rows.has(target)) continue;
    if (after.length === 1 && targetOf(after[0]!) === target) continue;
    rows.set(target, `| \`${shortened(calls[0]!).replace(/^\w+ = /, "")}\` | ${resultOf(after)} |`);
  }
  const sections = families.flatMap(({ name, targets }) => {
    const found = targets.flatMap((target) => rows.get(target) ?? []);
    const head = [`## \`${name}\``, "", "| call | becomes |", "| --- | --- |"];
    return found.length === 0 ? [] : [...head, ...found, ""];
  });
  return [
    "# Lowerings",
    "",
    "<!-- Written by `npm run docs` from fixtures/decompositions/pytorch.json.gz; a test compares. -->",
    "",
    "This page shows what PyTorch's `run_decompositions()` makes of one call of an operator. Sconce gives",
    "the same calls, and tests compare them. Other arguments may give other calls. `aten.` and `.default`",
    `are omitted. Results of more than ${MAX_CALLS} calls are listed by operator.`,
    "",
    "A heading is a family: the rows are in `packages/ops/src/families/FAMILY.ts`.",
    "[Operators](operators.md) lists all operators, and [decomposition](../concepts/decomposition.md)",
    "describes the table.",
    "",
    ...sections,
  ].join("\n");
}
