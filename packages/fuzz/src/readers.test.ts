import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Budget, isSconceError } from "@sconce/errors";
import * as formats from "@sconce/formats";
import * as ir from "@sconce/ir";
import * as history from "@sconce/ir/history";
import * as text from "@sconce/ir/text";
import * as passes from "@sconce/passes";
import * as session from "@sconce/session";
import * as symbolic from "@sconce/symbolic";
import * as tensor from "@sconce/tensor";
import { expect, test } from "vitest";
import { publicReaders } from "./public-readers.fixture.js";
import { OTHERS, READERS } from "./readers.fixture.js";
import { TARGETS } from "./targets.js";

const ARCHIVE = fileURLToPath(
  new URL("../../testing/fixtures/programs/shape_numbers/program.pt2", import.meta.url),
);
const bytes = new Uint8Array(readFileSync(ARCHIVE));
const program = await formats.readPt2(bytes);
const PASSES = new Map(passes.builtinPasses.map((pass) => [pass.name, pass]));

test("every public function that takes text or bytes is a reader with a budget, or is known", async () => {
  const names = await publicReaders();
  expect(names.length).toBeGreaterThan(25);
  const known = [...Object.keys(READERS), ...Object.keys(OTHERS)];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !names.includes(name))).toEqual([]);
});

test("the fuzzer has every reader", () => {
  const fuzzed = new Set(TARGETS.flatMap(({ readers }) => readers));
  expect(Object.keys(READERS).filter((name) => !fuzzed.has(name))).toEqual([]);
  expect([...fuzzed].filter((name) => !Object.hasOwn(READERS, name) && !Object.hasOwn(OTHERS, name))).toEqual(
    [],
  );
});

const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return "read";
  } catch (error) {
    return isSconceError(error) ? `${error.code} ${error.fix}` : String(error);
  }
};

/** What is spent of a budget, without time. */
const spent = async (name: string, size: number): Promise<number> => {
  const budget = new Budget(10_000_000);
  await READERS[name]!(size, { budget });
  return (["nodes", "terms", "bytes", "entries"] as const)
    .map((kind) => budget.limits[kind] - budget.left(kind))
    .reduce((sum, amount) => sum + amount, 0);
};

test.each(Object.keys(READERS))("%s stops when the budget is spent", async (name) => {
  const refused = await codeOf(() => READERS[name]!(2, { budget: new Budget(1000, { nodes: 0 }) }));
  expect(refused).toMatch(/^BUDGET_EXCEEDED .*limits\.nodes/);
});

test.each(Object.keys(READERS))("%s counts what it makes: a larger input spends more", async (name) => {
  const [small, large] = [await spent(name, 100), await spent(name, 200)];
  // A comma of plain JSON counts a quarter.
  expect(large - small).toBeGreaterThanOrEqual(24);
});

test.each(Object.keys(READERS))("%s stops in the middle of a large input", async (name) => {
  const limits = { nodes: 60, bytes: 60, terms: 60 };
  expect(await codeOf(() => READERS[name]!(400, { budget: new Budget(1000, limits) }))).toMatch(
    /^(?:BUDGET_EXCEEDED|ZIP_BOMB)/,
  );
});

/** Readers of text and of bytes, called with any value. */
const GIVEN: Readonly<Record<string, (given: never) => unknown>> = {
  parseSrepr: (given) => symbolic.parseSrepr(given),
  parseGuard: (given) => symbolic.parseGuard(given),
  parseTreeSpec: (given) => ir.parseTreeSpec(given),
  parseGraph: (given) => text.parseGraph(given),
  parseIr: (given) => text.parseIr(given),
  historyFromJson: (given) => history.historyFromJson(given, new Map()),
  parsePattern: (given) => passes.parsePattern(given),
  parsePipeline: (given) => passes.parsePipeline(given, PASSES),
  readSafetensors: (given) => tensor.readSafetensors(given),
};

test.each(Object.entries(GIVEN))("%s refuses values of the wrong kind", async (name, read) => {
  const wrong = [undefined, null, 5, {}, [], Symbol("a"), new ArrayBuffer(4), new Float32Array(2), () => 1];
  const other = name === "readSafetensors" ? "text" : new Uint8Array(4);
  for (const value of [...wrong, other, Promise.resolve("")])
    expect(await codeOf(() => read(value as never))).toMatch(/^INVALID_ARGUMENT \w{4}/);
});

test("the session hands limits on to the readers", async () => {
  const sconce = session.createSconce();
  const limits = { nodes: 1 };
  await expect(sconce.load(bytes, { limits })).rejects.toMatchObject({ code: "BUDGET_EXCEEDED" });
  const refused = expect.objectContaining({ code: "BUDGET_EXCEEDED" });
  expect(() => sconce.parseIr(text.printIr(program), { limits })).toThrow(refused);
  expect(() => sconce.parseGraph("graph(%x, %y) { return (%x) }", { limits })).toThrow(refused);
  await expect(sconce.load(bytes, { limits: { node: 1 } as never })).rejects.toMatchObject({
    code: "UNKNOWN_OPTION",
  });
});
