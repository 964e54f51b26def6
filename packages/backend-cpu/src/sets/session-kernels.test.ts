import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { CPU_KERNELS } from "./all.js";
import { commonSet } from "./common.js";
import { NAMES } from "./names.js";
import { SESSION_KERNELS } from "./session-kernels.js";
import { specialSet } from "./special.js";

const shortName = (target: string): string =>
  target.startsWith("aten.") ? target.slice("aten.".length).replace(/\.default$/, "") : target;

test.each([
  ["common", commonSet],
  ["special", specialSet],
] as const)("names.ts lists the kernels of %s.ts", (part, set) => {
  expect(NAMES[part].trim().split(/\s+/).sort()).toEqual(Object.keys(set).map(shortName).sort());
});

test("a page has all kernels, and those that it loaded compute", async () => {
  const operators = defaultOperators();
  const { table } = SESSION_KERNELS;
  expect(Object.keys(table).sort()).toEqual(Object.keys(CPU_KERNELS).sort());
  expect(SESSION_KERNELS.has("any", operators)).toBe(false);
  expect(() => table["aten.mm.default"]!({}, undefined!)).toThrow(
    expect.objectContaining({ code: "PART_NOT_LOADED", where: "aten.mm.default" }),
  );
  await SESSION_KERNELS.load("any", operators);
  expect(SESSION_KERNELS.has("any", operators)).toBe(true);
  expect(() => table["aten.mm.default"]!({}, undefined!)).not.toThrow(
    expect.objectContaining({ code: "PART_NOT_LOADED" }),
  );
});
