import { expect, test } from "vitest";
import { historyFromJson } from "../history.js";
import { parseGraph, parseIr, printIr } from "../text.js";

const GRAPH = "graph(%x: f32[2]) { return (%x) }";
const history = (fields: object): string =>
  JSON.stringify({ format: "sconce-history", version: 1, steps: [], ...fields });

/** What a text of this version gives, and the warnings. */
function read(
  version: string,
  body = GRAPH,
): { readonly text: string; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const graph = parseGraph(`sconce-ir ${version}\n${body}`, { onWarning: (text) => warnings.push(text) });
  return { text: printIr(graph), warnings };
}

test.each(["1", "1.0"])("version %s is read without a warning", (version) => {
  expect(read(version)).toEqual({ text: read("1").text, warnings: [] });
});

test("a newer minor version is read with a warning", () => {
  const { text, warnings } = read("1.12");
  expect(text).toBe(read("1").text);
  expect(warnings).toEqual([
    "IR text of version 1.12; this Sconce knows version 1: what is newer is not read",
  ]);
  const reported: string[] = [];
  historyFromJson(history({ minor: 3, later: true }), new Map(), {
    onWarning: (text) => reported.push(text),
  });
  expect(reported).toEqual([
    "history JSON of version 1.3; this Sconce knows version 1: what is newer is not read",
  ]);
});

test("what cannot be read of a newer minor version is reported with the version", () => {
  expect(() => read("1.12", "graph(%x) { later %x }")).toThrow(
    expect.objectContaining({
      code: "IR_SYNTAX",
      message: expect.stringMatching(/IR text of version 1\.12; this Sconce knows version 1\)$/),
      where: "line 2, column 13",
      fix: expect.stringContaining("update Sconce"),
    }),
  );
});

test.each(["0", "2", "2.5", "999999"])("version %s is rejected", (version) => {
  expect(() => parseIr(`sconce-ir ${version}\nanything`)).toThrow(
    expect.objectContaining({
      code: "FORMAT_VERSION",
      message: `IR text of version ${version} cannot be read; this Sconce reads version 1`,
      where: "line 1, column 11",
      fix: expect.stringContaining("update Sconce"),
    }),
  );
});

test("a history of another major version is rejected", () => {
  expect(() => historyFromJson(history({ version: 2, steps: "later" }))).toThrow(
    expect.objectContaining({ code: "FORMAT_VERSION", where: "version" }),
  );
});

test.each(["", "-1", "1.", "1e3", "1.2.3", "inf", "9".repeat(50)])("%s is not a version", (version) => {
  expect(() => parseGraph(`sconce-ir ${version}\n${GRAPH}`)).toThrow(
    expect.objectContaining({ code: "IR_SYNTAX" }),
  );
});
