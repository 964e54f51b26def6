import { expect, test } from "vitest";
import { edit } from "../edit.js";
import { parseIr } from "../ir-text/parse-program.js";
import { printIr } from "../ir-text/print-program.js";
import type { ExportedProgram } from "../program.js";
import { graphVersions, recordPass } from "./record.js";

const first = parseIr(`program "ATEN" { }
graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %b: f32[2] = aten.neg.default(%a)
  return (%b)
}`);

const step = (program: ExportedProgram, pass: string, target: string): ExportedProgram =>
  recordPass(
    pass,
    program,
    program.with({ graph: edit(program.graph, (e) => e.replaceNode("a", { target })) }),
  );

test("the history of a program leads back to its first version", () => {
  const second = step(first, "one", "aten.abs.default");
  const third = step(second, "two", "aten.exp.default");
  expect(third.history.map((entry) => entry.pass)).toEqual(["one", "two"]);
  const versions = [...graphVersions(third)];
  expect(versions.map(({ pass }) => pass)).toEqual(["two", "one", undefined]);
  expect(versions.map(({ graph }) => printIr(graph))).toEqual(
    [third, second, first].map(({ graph }) => printIr(graph)),
  );
});

test("a pass that changes nothing leaves no trace", () => {
  expect(recordPass("none", first, first)).toBe(first);
});
