import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { createSconce } from "./index.js";

const sconce = createSconce();
const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) { %y: f32[2] = aten.relu.default(%x) return (%y) }`;
const program = sconce.parseIr(TEXT);

/** Every call of a session that takes options, with something in their place. */
const CALLS: Readonly<Record<string, (options: never) => unknown>> = {
  createSconce: (options) => createSconce(options),
  load: (options) => sconce.load(new Uint8Array(), options),
  parseIr: (options) => sconce.parseIr(TEXT, options),
  parseGraph: (options) => sconce.parseGraph("graph(%x: f32[2]) { return (%x) }", options),
  transform: (options) => sconce.transform(program, "dce", options),
  transformAsync: (options) => sconce.transformAsync(program, "dce", options),
  runDecompositions: (options) => sconce.runDecompositions(program, undefined, options),
  verify: (options) => sconce.verify(program, options),
  save: (options) => sconce.save(program, options),
  "save to a stream": (options) => sconce.save(program, new WritableStream(), options),
  runDecompositionsAsync: (options) => sconce.runDecompositionsAsync(program, undefined, options),
  bisect: (options) => sconce.bisect(program, "dce", options),
  bisectAsync: (options) => sconce.bisectAsync(program, "dce", options),
  compile: (options) => sconce.compile(program, "cpu", options),
  run: async (options) => (await sconce.compile(program)).run([], options),
  module: (options) => sconce.module(program, options),
  firstNonfinite: (options) => sconce.firstNonfinite(program, [], options),
  compareBackends: (options) => sconce.compareBackends(program, [], ["cpu", "cpu"], options),
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  test.each([[null], [1], ["fast"], [true], [[]], [{ fsat: true }]])(
    "refuses %j as options",
    async (options) => {
      const failure = await new Promise((resolve) => resolve(call(options as never))).catch(
        (error: unknown) => error,
      );
      expect(isSconceError(failure, "UNKNOWN_OPTION") ? "UNKNOWN_OPTION" : failure).toBe("UNKNOWN_OPTION");
    },
  );
});

test.each([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY], ["5"]])(
  "%j programs are not what a bisection may try",
  async (given) => {
    const maxTries = given as number;
    const refused = { code: "OPTION_VALUE", message: expect.stringContaining('"maxTries" of bisect') };
    expect(() => sconce.bisect(program, "dce", { maxTries })).toThrow(expect.objectContaining(refused));
    await expect(sconce.bisectAsync(program, "dce", { maxTries })).rejects.toMatchObject(refused);
  },
);

test("a misspelled kernel of a plugin is refused with a suggestion", () => {
  const plugin = { name: "mine", kernels: { "aten.rleu.default": () => null } };
  expect(() => createSconce({ plugins: [plugin as never] }).load(new Uint8Array())).toThrow(
    /aten\.rleu\.default, which is not an operator/,
  );
  try {
    createSconce({ plugins: [plugin as never] });
  } catch (error) {
    expect((error as { fix?: string }).fix).toContain('did you mean "aten.relu.default"');
  }
});

test("a misspelled operator is not deleted from a decomposition table", () => {
  const table = sconce.defaultDecompositions();
  expect(() => table.delete("aten.sliu.default")).toThrow(
    expect.objectContaining({
      code: "DECOMPOSITION_TABLE",
      fix: expect.stringContaining('did you mean "aten.silu.default"'),
    }),
  );
  expect(table.delete("aten.silu.default")).toBe(true);
  expect(() => table.delete("aten.silu.default")).toThrow(expect.objectContaining({ code: "NOT_IN_TABLE" }));
  expect(table.delete("mylib.later.default")).toBe(true);
});
