import { describe, expect, test } from "vitest";
import { builtinPasses } from "../builtin-passes.js";
import { definePass, passCall } from "../pass/pass.js";
import { completePipeline } from "./complete.js";
import { parsePipeline, printPipeline } from "./pipeline.js";

const passes = new Map(builtinPasses.map((pass) => [pass.name, pass]));
const again = (text: string): string => printPipeline(parsePipeline(text, passes));

describe("pipelines as text", () => {
  test.each([
    "dce",
    "decompose,fold-constants,cse,dce",
    "decompose{keep=[aten.conv2d.default,aten.linear.default]},dce",
    "decompose{table=none}",
    "fold-constants{weights=true,max-bytes=64}",
    "decompose,repeat(canonicalize{approximate=true},cse),dce",
    "repeat{max=3}(cse,repeat(dce))",
  ])("%s prints as it was read", (text) => {
    expect(again(text)).toBe(text);
  });

  test("values may stand in quotes, and do where they would be read otherwise", () => {
    expect(again('decompose{table="none"}')).toBe("decompose{table=none}");
    const say = definePass({
      name: "say",
      doc: "",
      options: {
        text: { default: "", doc: "" },
        list: { default: [], doc: "" },
        size: { default: 1, doc: "" },
      },
      run: (program) => program,
    });
    for (const options of [
      { text: "a,b}(c" },
      { text: "3" },
      { text: "[x]" },
      { list: ["a,b", "c d", " e"] },
      { size: 1e21 },
    ]) {
      const text = printPipeline([passCall(say, options)]);
      const [item] = parsePipeline(`${text},say`, new Map([["say", say]]));
      expect(item).toMatchObject({ options });
    }
  });

  test("defaults and blanks are not printed", () => {
    expect(again(" decompose { table = core } , dce ")).toBe("decompose,dce");
  });

  test.each([
    ["", 0],
    ["dce", 1],
  ])("%j has %i passes", (text, count) => {
    expect(parsePipeline(text, passes)).toHaveLength(count);
  });

  test.each([
    ["nope", "UNKNOWN_PASS", /use one of: functionalize/],
    ["dce,,cse", "PIPELINE_SYNTAX", /empty/],
    ["dce{", "PIPELINE_SYNTAX", /not closed/],
    ["dce}", "PIPELINE_SYNTAX", /unexpected/],
    ["decompose{table}", "PIPELINE_SYNTAX", /cannot read the option/],
    ["decompose{tabel=core}", "PASS_OPTION", /no option "tabel"/],
    ["fold-constants{weights=3}", "PASS_OPTION", /must be a boolean/],
    ["1 2", "PIPELINE_SYNTAX", /cannot read/],
    ["repeat(dce", "PIPELINE_SYNTAX", /not closed/],
    ["repeat{max=0}(dce)", "PIPELINE_SYNTAX", /positive integer/],
    ["repeat{times=2}(dce)", "PIPELINE_SYNTAX", /only "max"/],
    ["dce(cse)", "PIPELINE_SYNTAX", /takes no passes/],
  ])("%s is refused with %s", (text, code, reason) => {
    try {
      parsePipeline(text, passes);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code });
      const { message, fix } = error as { message: string; fix?: string };
      expect(`${message} ${fix}`).toMatch(reason);
    }
  });
});

describe("completion", () => {
  test.each([
    ["de", ["decompose"]],
    [
      "decompose,c",
      ["check-functional", "core-aten", "canonicalize", "cse", "convert-dtype"].map(
        (name) => `decompose,${name}`,
      ),
    ],
    ["repeat(cs", ["repeat(cse"]],
    ["rep", ["repeat("]],
    ["decompose{", ["decompose{table=", "decompose{keep="]],
    ["fold-constants{weights=", ["fold-constants{weights=true", "fold-constants{weights=false"]],
    ["fold-constants{weights=true,ma", ["fold-constants{weights=true,max-bytes="]],
    ["decompose{keep=[aten.", []],
    ["decompose{table=none,table=n", ["decompose{table=none,table=none"]],
    ["zzz", []],
  ])("%s", (text, expected) => {
    expect(completePipeline(text, passes)).toEqual(expected);
  });
});

test("a text that is too long, and passes that are left out, are refused", () => {
  const long = `decompose{keep="${"a".repeat(5_000_000)}"}`;
  expect(() => parsePipeline(long, passes)).toThrow(expect.objectContaining({ code: "PIPELINE_SYNTAX" }));
  const untyped = parsePipeline as (text: string) => unknown;
  expect(() => untyped("cse")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});
