import { suggestions } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { builtinPasses, builtinRules } from "../builtin-passes.js";
import { completePipeline } from "../manager/complete.js";
import { PassManager } from "../manager/pass-manager.js";
import { parsePipeline } from "../manager/pipeline.js";
import { definePass, passCall } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import type { OptionSession } from "./spec.js";

const backend = { name: "tiny", supports: () => true as const, compile: () => Promise.reject(new Error()) };
const session: OptionSession = {
  operators: context.operators,
  rules: new Map(builtinRules.map((rule) => [rule.name, rule])),
  backends: new Map([[backend.name, backend]]),
};
const paint = definePass({
  name: "paint",
  doc: "Has its own options.",
  options: {
    mode: { default: "fast", choices: ["fast", "small"], doc: "how" },
    modes: { default: [], choices: ["fast", "small"], doc: "how else" },
    width: { default: 4, check: (n) => (Number(n) % 2 === 0 ? undefined : "must be even"), doc: "even" },
    words: { default: [], choices: { kind: "word", words: () => ["left", "right"] }, doc: "words" },
    bad: {
      default: "",
      check: () => {
        throw new Error("boo");
      },
      doc: "",
    },
  },
  run: (program) => program,
});
const passes = new Map([...builtinPasses, paint].map((pass) => [pass.name, pass]));

describe("values that an option does not take are refused where they stand", () => {
  test.each<[text: string, code: string, message: string, at: string, fix: string]>([
    ["decompose{table=nope}", "PASS_OPTION", 'table cannot be "nope"', "17", 'did you mean "none"?'],
    ["dce,decompose{table=frob}", "PASS_OPTION", 'table cannot be "frob"', "21", "use one of: core, none"],
    ["convert-dtype{to=floaty}", "PASS_OPTION", 'to cannot be "floaty"', "18", 'did you mean "float16"?'],
    [
      "decompose{keep=[aten.mm.default, not.an.op]}",
      "PASS_OPTION",
      "keep names not.an.op, which is not an operator",
      "34",
      "write overloads out",
    ],
    [
      "decompose{keep=[aten.conv2d]}",
      "PASS_OPTION",
      "keep names aten.conv2d,",
      "17",
      'did you mean "aten.conv2d.default"',
    ],
    [
      "repeat(convert-dtype{keep=[aten.sofmax.int]})",
      "PASS_OPTION",
      "which is not an operator or node",
      "28",
      'did you mean "aten.softmax.int"',
    ],
    ["rewrite{rules=[view-twise]}", "UNKNOWN_RULE", "which is not a rule", "16", 'did you mean "view-twice"'],
    ["partition{backend=tinny}", "UNKNOWN_BACKEND", "which is not a backend", "19", 'did you mean "tiny"'],
    [
      "partition{min-size=0}",
      "PASS_OPTION",
      "must be a whole number of at least 1, got 0",
      "20",
      "change min-size (fewest calls",
    ],
    ["fold-constants{max-bytes=-1}", "PASS_OPTION", "must be a whole number", "26", "largest"],
    ["split-by{targets=[aten.relu]}", "PASS_OPTION", "which is not an operator", "19", '"aten.relu.default"'],
    ["extract-submodule{name=a-b}", "PASS_OPTION", "must be a name", "24", "called"],
    ["propagate-shapes{sizes=[x=4y]}", "PASS_OPTION", "cannot be read as a size", "25", "x=4x3"],
    ["paint{mode=fats}", "PASS_OPTION", 'mode cannot be "fats"', "12", 'did you mean "fast"?'],
    ["paint{modes=[fast,smal]}", "PASS_OPTION", "modes names smal", "19", 'did you mean "small"?'],
    ["paint{width=3}", "PASS_OPTION", "width must be even, got 3", "13", "even"],
    ["paint{words=[lef]}", "PASS_OPTION", "words names lef, which is not a word", "14", '"left"'],
    [
      "fold-constants{weights=True}",
      "PASS_OPTION",
      'must be a boolean, got "True"',
      "24",
      "write weights=true",
    ],
    ["fold-constants{weights=False}", "PASS_OPTION", "must be a boolean", "24", "write weights=false"],
    ["fold-constants{weights=1}", "PASS_OPTION", "must be a boolean, got 1", "24", "write weights=true"],
    ["fold-constants{weights=x}", "PASS_OPTION", "a boolean", "24", "write weights=true or weights=false"],
    ["paint{bad=x}", "PASS_FAILED", 'failed to check its option "bad": boo', "11", "fix"],
    ["paint{modee=fast}", "PASS_OPTION", 'no option "modee"', "7", 'did you mean "mode" or "modes"?'],
    ["paint{constructor=1}", "PASS_OPTION", 'no option "constructor"', "7", "see the options"],
    ["paint{mode=fast,mode=small}", "PIPELINE_SYNTAX", "given twice", "17", "braces"],
    ["dce,pint", "UNKNOWN_PASS", 'unknown pass "pint"', "5", 'did you mean "paint"'],
    ["dce,,cse", "PIPELINE_SYNTAX", "an item is empty", "5", "commas"],
    ["dce, cse)", "PIPELINE_SYNTAX", 'unexpected ")"', "9", "commas"],
    ['paint{mode="fast}', "PIPELINE_SYNTAX", "is not closed", "12", "commas"],
  ])("%s", (text, code, message, at, fix) => {
    expect(() => parsePipeline(text, passes, session)).toThrowError(
      expect.objectContaining({
        code,
        message: expect.stringContaining(message),
        where: `character ${at} of "${text}"`,
        fix: expect.stringContaining(fix),
      }),
    );
  });

  test("without a session, names are checked before the first pass runs", () => {
    const ran: string[] = [];
    const first = definePass({
      name: "first",
      doc: "Is not to run.",
      run: (program) => {
        ran.push("first");
        return program;
      },
    });
    const program = programOf("graph(%x: f32[2]) { %a: f32[2] = aten.relu.default(%x) return (%a) }");
    const run = (name: string, options: object) =>
      new PassManager(context).run(program, [first, passCall(passes.get(name)!, options as never)]);
    expect(() => run("decompose", { keep: ["not.an.op"] })).toThrow("keep names not.an.op");
    expect(() => run("rewrite", { rules: ["nope"] })).toThrow("rules names nope, which is not a rule");
    expect(() => run("partition", { backend: "nope" })).toThrow('backend cannot be "nope"');
    expect(ran).toEqual([]);
    expect(() => passCall(passes.get("decompose")!, { table: "nope" })).toThrow('table cannot be "nope"');
    expect(() => passCall(paint, { modes: [3] } as never)).toThrow("must be a list, got [3]");
  });
});

describe("completion knows the values", () => {
  const complete = (text: string) => completePipeline(text, passes, session);
  test.each<[string, readonly string[]]>([
    ["decompose{table=", ["decompose{table=core", "decompose{table=none"]],
    ["decompose{table=none,", ["decompose{table=none,keep="]],
    ["decompose{keep=", ["decompose{keep=["]],
    ["convert-dtype{to=f", ["convert-dtype{to=float16"]],
    ["dce,rewrite{rules=[view-t", ["dce,rewrite{rules=[view-twice"]],
    ["partition{backend=", ["partition{backend=tiny"]],
    ["fold-constants{max-bytes=", ["fold-constants{max-bytes=1048576"]],
    ["repeat{max=", ["repeat{max=10"]],
    ["paint{modes=[fast,", ["paint{modes=[fast,small"]],
    ["paint{modes=[fast]", []],
    ["paint{modes=[fast],wi", ["paint{modes=[fast],width="]],
    ["paint{nope=", []],
    ["extract-submodule{name=", ["extract-submodule{name=submodule"]],
  ])("%s", (text, expected) => {
    expect(complete(text)).toEqual(expected);
  });

  test("operators", () => {
    const offers = complete("decompose{keep=[aten.relu.default,aten.conv2d.");
    expect(offers).toEqual([
      "decompose{keep=[aten.relu.default,aten.conv2d.default",
      "decompose{keep=[aten.relu.default,aten.conv2d.padding",
    ]);
    expect(complete("split-by{targets=[operator.getit")).toEqual(["split-by{targets=[operator.getitem"]);
    expect(completePipeline("decompose{keep=[aten.", passes)).toEqual([]);
  });
});

test.each([
  ["nope", ["none"]],
  ["aten.add", ["aten.add.Tensor", "aten.add.out"]],
  ["zzzzzz", []],
  ["COER", ["core"]],
] as const)("near %s is %j", (word, near) => {
  expect(suggestions(word, ["core", "none", "aten.add.Tensor", "aten.add.out", "aten.sub.Tensor"])).toEqual(
    near,
  );
});
