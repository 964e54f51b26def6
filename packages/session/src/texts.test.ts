import { ATEN } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { createSconce, GraphBuilder, parseGraph, parseIr } from "./index.js";

const calling = (target: string): string =>
  `graph(%x: f32[2]) {\n  %a: f32[2] = ${target}(%x)\n  return (%a)\n}`;
const refused = expect.objectContaining({
  code: "UNKNOWN_TARGET",
  message: "operator 'aten.rellu.default' is not known",
  where: "line 2, column 16 (node a)",
  fix: expect.stringContaining('did you mean "aten.relu.default"') as string,
});

test("calls of operators that PyTorch does not have are refused", () => {
  const text = calling("aten.rellu.default");
  expect(() => parseGraph(text)).toThrow(refused);
  expect(() => createSconce().parseGraph(text)).toThrow(refused);
  expect(() => parseIr(`program "ATEN" {}\n${text}`)).toThrow("'aten.rellu.default' is not known");
  expect(() => createSconce().parseIr(`program "ATEN" {}\n${text}`)).toThrow("is not known");
  expect(() => new GraphBuilder().call("a", "aten.rellu.default", [])).toThrow(
    expect.objectContaining({ code: "UNKNOWN_TARGET", where: "a" }),
  );
  expect(parseGraph(text, { unknownTargets: "allow" }).size).toBe(3);
});

test("known operators and opaque ones are kept", () => {
  for (const target of ["aten.relu.default", "mylib.unknown.default", "higher_order.wrap"])
    expect(parseGraph(calling(target)).node("a").target).toBe(target);
});

describe("a session", () => {
  test("reads what the dialects of its plugins allow", () => {
    const text = calling("higher_order.mine");
    const dialect = { ...ATEN, name: "MINE", higherOrder: new Set(["higher_order.mine"]) };
    expect(() => createSconce().parseGraph(text)).toThrow("'higher_order.mine' is not known");
    const session = createSconce({ plugins: [{ name: "mine", dialects: [dialect] }] });
    expect(session.parseGraph(text).node("a").target).toBe("higher_order.mine");
  });
});
