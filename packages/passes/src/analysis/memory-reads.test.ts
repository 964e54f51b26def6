import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { canonicalize } from "../builtin/canonicalize.js";
import { memoryReads } from "./memory-reads.js";

const operators = defaultOperators();
const program = (lines: readonly string[]) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %out: USER_OUTPUT }
graph(%x: f32[6]) {
  ${lines.join("\n  ")}
  return (%out)
}`);

test("a call that reads by strides looks through views to the value that has the memory", () => {
  const { graph } = program([
    "%twice: f32[6] = aten.mul.Tensor(%x, 2)",
    "%part: f32[3]@3 = aten.slice.Tensor(%twice, 0, 3, 6)",
    "%rows: f32[3, 1]@3 = aten.unsqueeze.default(%part, 1)",
    "%read: f32[2] = aten.as_strided.default(%rows, [2], [1], 0)",
    "%out: f32[2] = aten.clone.default(%read)",
  ]);
  const [read, ...more] = memoryReads(graph, operators);
  expect(more).toEqual([]);
  expect(read).toEqual({
    reader: "read",
    views: new Set(["rows", "part"]),
    bases: new Set(["twice"]),
  });
});

test("a graph without such calls reads no memory", () => {
  const { graph } = program(["%out: f32[6] = aten.relu.default(%x)"]);
  expect(memoryReads(graph, operators)).toEqual([]);
});

test("a value whose memory is read is not replaced by an equal one", () => {
  const lines = (reader: string): string[] => [
    "%part: f32[3]@3 = aten.slice.Tensor(%x, 0, 3, 6)",
    "%own: f32[3] = aten.mul.Tensor(%part, 1)",
    `%read: f32[3] = ${reader}`,
    "%out: f32[3] = aten.clone.default(%read)",
  ];
  const keeps = (reader: string): boolean => {
    const { graph } = canonicalize.run(program(lines(reader)), { operators }, { approximate: false });
    return graph.find("own") !== undefined;
  };
  expect(keeps("aten.as_strided.default(%own, [3], [1], 0)")).toBe(true);
  expect(keeps("aten.relu.default(%own)")).toBe(false);
});
