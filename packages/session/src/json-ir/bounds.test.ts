import { isSconceError } from "@sconce/errors";
import { jsonIRText, readJsonIR } from "@sconce/formats/json-ir";
import { type ExportedProgram, rangeConstraintsText } from "@sconce/ir";
import { parseIr, printIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { extractIR } from "./extract.js";
import { programFromIR } from "./program.js";

const session = { operators: defaultOperators() };
const TEXT = `sconce-ir 1
program "TRAINING" {
  range "s0" [2, inf]
  range "u0" [0, 9223372036854775806]
  range "u1" [-9223372036854775808, 9223372036854775807]
  range "u2" [9007199254740993, 9223372036854775805]
  range "zuf0" [-0.5, inf] float
  input %a: USER_INPUT
  input symint %b: USER_INPUT
  input symint %c: USER_INPUT
  input symint %d: USER_INPUT
  input symfloat %e: USER_INPUT
  output %r: USER_OUTPUT
}
graph(%a: f32[s0], %b: int(u0), %c: int(u1), %d: int(u2), %e: float(zuf0)) {
  %r: f32[s0] = aten.neg.default(%a)
  return (%r)
}
`;

const jsonOf = (program: ExportedProgram): string => jsonIRText(extractIR(program, { session }));
const fromJson = (text: string): ExportedProgram => programFromIR(readJsonIR(text), session);

test("bounds past 2^53 come back with all their digits", () => {
  const program = parseIr(TEXT, session);
  const json = jsonOf(program);
  expect(json.slice(json.indexOf('  "symbols"'))).toBe(`  "symbols": {
    "s0": {"min": 2},
    "u0": {"min": 0, "max": 9223372036854775806},
    "u1": {"min": -9223372036854775808, "max": 9223372036854775807},
    "u2": {"min": 9007199254740993, "max": 9223372036854775805},
    "zuf0": {"min": -0.5, "float": true}
  }
}
`);
  const read = fromJson(json);
  expect(rangeConstraintsText(read.rangeConstraints)).toBe(rangeConstraintsText(program.rangeConstraints));
  const ranges = (from: ExportedProgram): string[] => printIr(from).match(/^ {2}range .*$/gm) ?? [];
  expect(ranges(read)).toEqual(ranges(program));
  expect(jsonOf(read)).toBe(json);
});

test("a bound of a number past 2^53 is written whole", () => {
  const ir = extractIR(parseIr(TEXT, session), { session });
  const text = jsonIRText({ ...ir, symbols: new Map([["u0", { min: 0, max: 2 ** 62 }]]) });
  expect(text).toContain('"u0": {"min": 0, "max": 4611686018427387904}');
  expect(readJsonIR(text).symbols?.get("u0")?.exact).toEqual({ min: null, max: 2n ** 62n });
});

test.each([
  ['"max": 9223372036854775806', '"max": 9223372036854775808', "symbols.u0.max"],
  ['"min": 9007199254740993', '"min": 9223372036854775806', "symbols.u2"],
  ['"min": -0.5', '"min": "-Infinity"', "symbols.zuf0.min"],
  ['"min": -0.5, "float": true', '"min": -0.5', "symbols.zuf0.min"],
  ['"float": true', '"float": 1', "symbols.zuf0.float"],
])("%s is not %s", (from, to, where) => {
  const text = jsonOf(parseIr(TEXT, session));
  expect(text).toContain(from);
  let fault: unknown;
  try {
    readJsonIR(text.replace(from, to));
  } catch (error) {
    fault = error;
  }
  expect(isSconceError(fault) && `${fault.code} ${fault.where}`).toBe(`JSON_IR_TYPE JSON IR ${where}`);
});
