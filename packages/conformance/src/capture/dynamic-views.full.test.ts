/** @file Guards, ranges and sizes of random views over dynamic sizes, beside PyTorch's. */
import { constraintReport } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { exportCase, type ViewCase, viewCases } from "./dynamic-views.fixture.js";

/** A text without its blank lines and its comments, which show places in the source. */
const comparable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*#\s/.test(line))
    .join("\n");

const lines = (message: string): readonly string[] => message.split("\n").sort();

/** How an export differs from PyTorch's: in its verdict, its text or its guards. */
function difference(entry: ViewCase): readonly [what: string, got?: unknown, wanted?: unknown] | undefined {
  const { error, message, text, guards } = entry.result;
  try {
    const program = exportCase(entry);
    if (error !== undefined) return ["verdict", undefined, message];
    const got = comparable(String(program).split("\n").slice(2).join("\n"));
    if (got !== comparable(text!)) return ["text", got, comparable(text!)];
    const isSame = JSON.stringify(program.guardsCode) === JSON.stringify(guards);
    return isSame ? undefined : ["guards", program.guardsCode, guards];
  } catch (failure) {
    if (!isSconceError(failure) || failure.code === "INTERNAL") throw failure;
    const got = constraintReport(failure)?.message ?? failure.message;
    if (error === undefined) return ["verdict", got];
    if (!message!.startsWith("Constraints violated")) return undefined;
    return JSON.stringify(lines(got)) === JSON.stringify(lines(message!))
      ? undefined
      : ["guards", got, message];
  }
}

const differences = viewCases.map(difference);
const where = (what: string): readonly unknown[] =>
  differences.flatMap((found, i) => (found?.[0] === what ? [[i, ...found]] : []));

test("verdicts are PyTorch's", () => {
  expect(viewCases.filter(({ result }) => result.error !== undefined).length).toBeGreaterThan(20);
  expect(where("verdict")).toEqual([]);
});
/**
 * PyTorch asks for the contiguity of the columns that circular padding copies: one of them has size
 * 1.
 */
const CIRCULAR = 123;

test("texts are PyTorch's", () => {
  expect(viewCases[CIRCULAR]!.steps).toEqual([expect.arrayContaining(["pad", "circular"])]);
  expect(where("text")).toEqual([[CIRCULAR, "text", expect.anything(), expect.anything()]]);
});
/**
 * Cases whose guards are not PyTorch's, with the first step of each. One list has a condition that
 * the other conditions of the list imply, or asks the same in other words.
 */
const OTHER_GUARDS: readonly (readonly [position: number, step: string])[] = [
  // Sconce does not ask whether `s - s//2` is negative: it knows.
  [12, "expand"],
  // PyTorch also asks about `Max(1, n)`, where `n >= 2` is known.
  [106, "aavg1d"],
  // PyTorch also asks `s - 2 != 0`, next to `s - 2 >= 2`.
  [61, "pad"],
  // PyTorch asks `n >= 0` in place of one of two conditions on `n`.
  [130, "interps"],
];

test("guards are PyTorch's, except in listed cases", () => {
  const positions = where("guards").map((found) => (found as readonly [number])[0]);
  expect(positions).toEqual(OTHER_GUARDS.map(([position]) => position).sort((a, b) => a - b));
  for (const [position, step] of OTHER_GUARDS) expect(viewCases[position]!.steps[0]![0]).toBe(step);
});
