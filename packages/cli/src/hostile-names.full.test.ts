import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { sconceOn, withInput } from "./command.fixture.js";
import { PRINT_FORMATS } from "./shared-options.js";

/** Controls, bidirectional controls, markup of several languages, and names of the prototype. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the name is hostile
const NAME = '__proto__\u001b]0;t\u0007\u202e\u2066\u200b\u3164"];</script><!--`${x}`{{y}}|\\\\ end';
/** The name as IR text quotes it. */
const quoted = JSON.stringify(NAME).replace(
  /[\u007f-\uffff]/g,
  (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
/** Its end, behind a letter. */
const rest = quoted.slice(1);
const TEXT = `program "ATEN" {
  parameter ${quoted}: f32[2]
  input %"p${rest}: PARAMETER ${quoted}
  input %${quoted}: USER_INPUT
  output %"r${rest}: USER_OUTPUT
}
graph(%"p${rest}: f32[2], %${quoted}: f32[2]) {
  %"r${rest}: f32[2] = aten.mul.Tensor(%${quoted}, %"p${rest}) #0
  return (%"r${rest})
}
metadata {
  #0 {"stackTrace":${quoted},"nnModuleStack":[[${quoted},${quoted},${quoted}]]}
}
`;

const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const terminal = { terminal: true, errorTerminal: true };

describe("names of a file are escaped where they are shown", () => {
  test.each([
    ["info", "-"],
    ["info", "-", "--json"],
    ["info", "-", "--loops"],
    ["info", "-", "--security"],
    ["verify", "-"],
    ["run", "-", "--random", "0"],
    ["history", "-", "--passes", "cse,dce"],
    ["explain", "-", "--pattern", "aten.add.Tensor($x, 0)"],
    ["ir", "-", "-o", "-"],
    ["strip", "-", "-o", "-"],
    ["lower", "-", "-o", "-"],
    ...PRINT_FORMATS.map((format) => ["print", "-", "--format", format]),
  ])("%s %s %s %s", async (...args) => {
    const given = args.filter((part) => part !== undefined);
    const { code, out, err } = await sconceOn({ ...withInput(TEXT), ...terminal }, ...given);
    const shown = stripVTControlCharacters(out + err);
    expect(shown).not.toBe("");
    // Without its weights, the program prints, and runs no further.
    expect(code === 0 || /NO_VALUES/.test(err) || given.includes("ts")).toBe(true);
    expect(shown).not.toMatch(UNSAFE);
  });

  test.each(["mermaid", "dot"])("%s is escaped for files too", async (format) => {
    const { out } = await sconceOn(withInput(TEXT), "print", "-", "--format", format, "--modules");
    expect(out).not.toMatch(UNSAFE);
    expect(out).toContain("proto");
  });

  test("mermaid has no markup of a name", async () => {
    const { out } = await sconceOn(withInput(TEXT), "print", "-", "--format", "mermaid", "--modules");
    expect(out.replaceAll("<br/>", "")).not.toMatch(/[<`$]/);
    expect(
      out
        .split("\n")
        .filter((line) => /^\s*end\b/.test(line))
        .every((line) => line.trim() === "end"),
    ).toBe(true);
  });

  test("JSON keeps the name", async () => {
    const { out } = await sconceOn(withInput(TEXT), "info", "-", "--json");
    const facts = JSON.parse(out) as { readonly parameters: readonly { readonly name: string }[] };
    expect(facts.parameters.map(({ name }) => name)).toEqual([NAME]);
  });
});
