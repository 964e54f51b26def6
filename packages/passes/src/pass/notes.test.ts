import { describe, expect, test } from "vitest";
import { builtinPasses, builtinRules } from "../builtin-passes.js";
import { PassManager } from "../manager/pass-manager.js";
import { parsePipeline } from "../manager/pipeline.js";
import { context, programOf } from "../programs.fixture.js";
import { definePass, repeat } from "./pass.js";

const program = programOf(`graph(%x: f32[2, 3], %y: f32[2, 3]) {
  %r: f32[2, 3] = aten.relu.default(%x)
  %m: (f32[2], i64[2]) = aten.max.dim(%r, 1)
  %g: f32[2] = operator.getitem(%m, 0)
  %a: f32[2] = aten.neg.default(%g)
  return (%a)
}`);
const rules = new Map(builtinRules.map((rule) => [rule.name, rule]));
const refuses = {
  name: "refuses",
  supports: () => ({ reason: "is too new" }),
  compile: () => Promise.reject(new Error()),
};
const passes = new Map(builtinPasses.map((pass) => [pass.name, pass]));

function notesOf(text: string): { readonly notes: string[]; readonly warned: string[] } {
  const [notes, warned]: [string[], string[]] = [[], []];
  const session = {
    ...context,
    rules,
    backends: () => new Map([[refuses.name, refuses]]),
    warn: (message: string) => void warned.push(message),
  };
  const observers = [(event: { notes: readonly string[] }) => void notes.push(...event.notes)];
  new PassManager(session, { observers }).run(program, parsePipeline(text, passes));
  return { notes, warned };
}

describe("names that match nothing are noted", () => {
  test.each<[string, string]>([
    [
      "decompose{keep=[aten.conv2d.default]}",
      "keep names aten.conv2d.default, which nothing in the program calls",
    ],
    ["decompose{keep=[aten.reshape.default]}", "keep names aten.reshape.default, which cannot be kept"],
    ["convert-dtype{keep=[aten.tanh.default]}", "keep names aten.tanh.default, which nothing"],
    ["split-by{targets=[aten.tanh.default]}", "targets names aten.tanh.default, which nothing"],
    ["split-by{nodes=[r]}", "nothing is cut"],
    ["extract-submodule", "nothing is extracted: no call is chosen"],
    ["extract-submodule{nodes=[x]}", "nodes names x, which is not a separate call"],
    ["extract-submodule{nodes=[g,r]}", "nodes names g, which is not a separate call"],
    ["extract-submodule{targets=[operator.gettitem]}", "targets names operator.gettitem, which nothing"],
    [
      "partition{backend=refuses}",
      'no region goes to the backend "refuses"; of 4 calls the first: %r is too new',
    ],
    [
      "rewrite{rules=[relu-twice]}",
      "rules names relu-twice, which fires nowhere; `sconce explain` reports why",
    ],
    ["rewrite", "rules names no rule"],
  ])("%s", (text, note) => {
    const { notes, warned } = notesOf(text);
    expect(notes.join("; ")).toContain(note);
    expect(warned[0]).toBe(`pass "${text.replace(/\{.*/, "")}" (step 1): ${notes[0]}`);
  });

  test("and what matches is not", () => {
    const text =
      "convert-dtype{keep=[aten.relu.default,a,aten.m*.dim]},decompose{keep=[aten.relu.default]},split-by{targets=[aten.max.dim]},inline-submodule";
    expect(notesOf(text)).toEqual({ notes: [], warned: [] });
  });

  test("names of nodes, nested graphs and modules that are not there are errors", () => {
    for (const [text, near] of [
      ["convert-dtype{keep=[rr]}", "r"],
      ["split-by{nodes=[mm]}", "m"],
      ["split-by{nodes=[m]},inline-submodule{names=[part0]}", "part_0"],
    ] as const)
      expect(() => notesOf(text)).toThrowError(
        expect.objectContaining({
          code: "PASS_FAILED",
          fix: expect.stringContaining(`did you mean "${near}"`),
        }),
      );
  });

  test("a repetition warns of what no round does", () => {
    const warnings: string[] = [];
    let round = 0;
    const odd = definePass({
      name: "odd",
      doc: "Notes something in each round, and something in the first only.",
      run: (one, { note }) => {
        note?.("always");
        if (round++ > 0) note?.("later");
        return round < 3 ? one.with({ dialect: `ATEN${round}` }) : one;
      },
    });
    const session = { ...context, warn: (message: string) => void warnings.push(message) };
    new PassManager(session, { verify: false }).run(program, [repeat([odd])]);
    expect(warnings).toEqual(['pass "odd" (step 3): always']);
  });
});
