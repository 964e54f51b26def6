import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as errors from "@sconce/errors";
import { Budget, isSconceError, type WorkOptions } from "@sconce/errors";
import * as formats from "@sconce/formats";
import * as files from "@sconce/formats/node";
import * as ir from "@sconce/ir";
import * as history from "@sconce/ir/history";
import * as text from "@sconce/ir/text";
import * as passes from "@sconce/passes";
import * as session from "@sconce/session";
import * as symbolic from "@sconce/symbolic";
import * as tensor from "@sconce/tensor";
import { expect, test } from "vitest";

const ARCHIVE = fileURLToPath(new URL("../../fixtures/programs/shape_numbers/program.pt2", import.meta.url));
const bytes = new Uint8Array(readFileSync(ARCHIVE));
const program = await formats.readPt2(bytes);
const PASSES = new Map(passes.builtinPasses.map((pass) => [pass.name, pass]));
const tensors = tensor.writeSafetensors([["a", tensor.Tensor.from([1, 2])]]);

const JSON_IR = session.jsonIRText(
  session.extractIR(
    session.parseIr(
      'program "ATEN" {\n  input %x: USER_INPUT\n  output %x: USER_OUTPUT\n}\ngraph(%x: f32[2]) { return (%x) }',
    ),
  ),
);

/** How each public reader is called with bounds on its work. */
const READERS: Readonly<Record<string, (work: WorkOptions) => unknown>> = {
  parseSrepr: (work) => symbolic.parseSrepr("s0 + 1", work),
  parseGuard: (work) => symbolic.parseGuard("L['x'].size()[0] == 2", work),
  parseTreeSpec: (work) =>
    ir.parseTreeSpec('[1, {"type": null, "context": null, "children_spec": []}]', work),
  parseGraph: (work) => text.parseGraph("graph(%x: f32[2]) { return (%x) }", work),
  parseIr: (work) => text.parseIr(text.printIr(program), work),
  parseArgument: ({ budget }) => text.parseArgument(new text.IrCursor("[1, 2]", budget)),
  historyFromJson: (work) => history.historyFromJson(history.historyToJson(program), new Map(), work),
  parsePattern: (work) => passes.parsePattern("aten.relu.default($x)", work),
  parsePipeline: (work) => passes.parsePipeline("dce,cse", PASSES, {}, work),
  readSafetensors: (work) => tensor.readSafetensors(tensors, work),
  readPt2: (work) => formats.readPt2(bytes, work),
  openPt2File: (work) => files.openPt2File(ARCHIVE, work),
  namespacesInPt2File: (work) => files.namespacesInPt2File(ARCHIVE, work),
  readJsonIR: (work) => session.readJsonIR(JSON_IR, work),
  securityReport: (work) => session.securityReport(bytes, work),
  securityReportOfFile: (work) => files.securityReportOfFile(ARCHIVE, work),
  parsePlainJson: ({ budget }) =>
    errors.parsePlainJson("[1]", { budget: budget!, fail: (message) => new Error(message) }),
};

/** Functions that are named like readers, and are none of untrusted input. */
const OTHERS: ReadonlySet<string> = new Set([
  "readableText", // prints
  "readableModule", // prints
  "restoreHistory", // takes a history that was read
  "openOutput", // opens an output of a run
  "readNumbers", // reads the elements of a tensor
]);

const READER = /^(?:parse|read|open|decode)|From(?:Json|Text|Bytes)$|^namespacesIn|^securityReport|^restore/;

test("every public reader takes a budget", () => {
  const modules = [errors, tensor, symbolic, ir, text, history, passes, formats, files, session];
  const names = modules.flatMap((module) =>
    Object.entries(module as Record<string, unknown>)
      .filter(([name, value]) => typeof value === "function" && READER.test(name) && !OTHERS.has(name))
      .map(([name]) => name),
  );
  expect([...new Set(names)].filter((name) => !Object.hasOwn(READERS, name))).toEqual([]);
  expect(names.length).toBeGreaterThan(Object.keys(READERS).length);
});

const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return "read";
  } catch (error) {
    return isSconceError(error) ? `${error.code} ${error.fix}` : String(error);
  }
};

test.each(Object.entries(READERS))("%s stops when the budget is spent, and counts on it", async (_, read) => {
  const refused = await codeOf(() => read({ budget: new Budget(1000, { nodes: 0 }) }));
  expect(refused).toMatch(/^BUDGET_EXCEEDED .*limits\.nodes/);
  const budget = new Budget(100_000);
  expect(await codeOf(() => read({ budget }))).toBe("read");
  expect(budget.left("nodes")).toBeLessThan(budget.limits.nodes);
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
