import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  dotLabel,
  markupLine,
  markupText,
  mermaidLabel,
  scriptComment,
  scriptString,
  shellPath,
  shellWord,
} from "./generated-text.js";

/** Texts that end strings, lines, comments and elements, and ones that nothing sees. */
const WORST = [
  "plain.sir",
  "a b",
  "",
  "-rf",
  "-",
  "~root",
  "=ls",
  "$HOME",
  "`id`",
  "$(id)",
  "a'b",
  'a"b',
  "a\\b",
  "a\\",
  "%s%n",
  "a\nb",
  "a\n",
  "\n",
  "\n\n",
  "a\nb\n\n",
  "a\r\nb",
  "a\tb",
  "\u001b[2J\u0007",
  "a\u2028b\u2029",
  "\u202egpj.exe",
  "\u200b\u3164\ufeff",
  "a'\n'b",
  "*/ x /*",
  "// x",
  "<script>alert(1)</script>",
  "</script>",
  "<!--",
  "]]>",
  "&amp;",
  "{{x}}",
  "|---|",
  "[a](javascript:alert(1))",
  "#quot;",
  "end",
  "\u00e9\u{1f600}",
  "!x",
  "*",
  "{a,b}",
  "a;b&c|d>e<f",
];
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

describe("shell words", () => {
  test("are one argument, the text itself", () => {
    // The dot keeps line ends at the end, which the output of a command keeps, too.
    const script = WORST.map((text) => `printf '%s.\\0' ${shellWord(text)}`).join("\n");
    const given = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split(".\0").slice(0, -1);
    expect(given).toEqual(WORST);
  });

  test("show what they hold, on one line but for line ends at the end", () => {
    for (const text of WORST) expect(shellWord(text).replace(/'\n+'$/, "")).not.toMatch(UNSEEN);
  });

  test("are not quoted where nothing needs it", () => {
    expect(["out/a-1.pt2", "a=b", "cse,dce"].map(shellWord)).toEqual(["out/a-1.pt2", "a=b", "cse,dce"]);
    expect(shellWord("a b")).toBe("'a b'");
  });

  test("paths are not options", () => {
    expect(["-rf.pt2", "-", "a-b", "--x y"].map(shellPath)).toEqual(["./-rf.pt2", "./-", "a-b", "'./--x y'"]);
  });
});

test("strings of scripts are JSON of the text, and end no script element", () => {
  for (const text of WORST) {
    expect(JSON.parse(scriptString(text))).toBe(text);
    expect(scriptString(text)).not.toMatch(UNSEEN);
    expect(scriptString(text)).not.toContain("<");
    expect(new Function(`return ${scriptString(text)}`)()).toBe(text);
  }
});

test("comments of scripts end with their line or their mark only", () => {
  for (const text of WORST) {
    expect(new Function(`// ${scriptComment(text)}\nreturn 1`)()).toBe(1);
    expect(new Function(`/* ${scriptComment(text)} */ return 1`)()).toBe(1);
    expect(scriptComment(text)).not.toMatch(UNSEEN);
  }
});

test("markup has no tags, entities, or ends of attributes", () => {
  for (const text of WORST) {
    expect(markupText(text).replace(/&#\d+;/g, "")).not.toMatch(/[<>&"'`]/);
    expect(markupLine(text)).not.toMatch(UNSEEN);
  }
});

test("labels of diagrams end with their quotes only", () => {
  for (const text of WORST) {
    expect(`"${dotLabel(text)}"`).toMatch(/^"(?:[^"\\\n]|\\[^\n])*"$/);
    expect(`"${mermaidLabel(text)}"`).toMatch(/^"(?:[\p{L}\p{N} .,_:()[\]*+/-]|#\d+;)*"$/u);
  }
});
