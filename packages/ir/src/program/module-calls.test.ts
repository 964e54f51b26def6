import { expect, test } from "vitest";
import { parseIr, printIr } from "../text.js";
import { verify } from "../verifier/verify.js";
import { mapModuleCalls, updateModuleCalls } from "./module-calls.js";

const program = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %a: USER_OUTPUT
  call "" ((*), {}) -> *
  call "l" ((*), {}) -> [*, *] inputs [%x] outputs [%a, %b]
}

graph(%x: f32[4]) {
  %a: f32[4] = aten.neg.default(%x)
  return (%a)
}
`);

test("a name that is gone is None, as unflattening reads it; the others stay", () => {
  expect(verify(program).map(({ code }) => code)).toEqual(["MODULE_CALL_OUTPUT"]);
  const { graph, moduleCallGraph } = program;
  const updated = program.with({ moduleCallGraph: updateModuleCalls(moduleCallGraph, graph) });
  expect(verify(updated)).toEqual([]);
  expect(updated.moduleCallGraph[0]).toBe(moduleCallGraph[0]);
  expect(printIr(updated)).toContain('inputs [%x] outputs [%a, constant %"" = none]');
  expect(printIr(parseIr(printIr(updated)))).toBe(printIr(updated));
  expect(updateModuleCalls(updated.moduleCallGraph, graph)).toBe(updated.moduleCallGraph);
});

test("a change that changes nothing gives the same list", () => {
  expect(mapModuleCalls(program.moduleCallGraph, (arg) => arg)).toBe(program.moduleCallGraph);
});
