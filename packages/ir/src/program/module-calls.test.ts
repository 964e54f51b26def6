import { expect, test } from "vitest";
import { parseIr, printIr } from "../index.js";
import { verify } from "../verifier/verify.js";
import { mapModuleCalls, settleModuleCalls } from "./module-calls.js";

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
  const settled = program.with({ moduleCallGraph: settleModuleCalls(moduleCallGraph, graph) });
  expect(verify(settled)).toEqual([]);
  expect(settled.moduleCallGraph[0]).toBe(moduleCallGraph[0]);
  expect(printIr(settled)).toContain('inputs [%x] outputs [%a, constant %"" = none]');
  expect(printIr(parseIr(printIr(settled)))).toBe(printIr(settled));
  expect(settleModuleCalls(settled.moduleCallGraph, graph)).toBe(settled.moduleCallGraph);
});

test("a change that changes nothing gives the same list", () => {
  expect(mapModuleCalls(program.moduleCallGraph, (arg) => arg)).toBe(program.moduleCallGraph);
});
