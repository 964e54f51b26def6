import { execFileSync } from "node:child_process";
import { parseAst } from "vite";
import { describe, expect, test } from "vitest";
import { branch } from "./branches.fixture.js";
import { sessionText } from "./session-text.js";

test("a pipeline is one command, and a script", () => {
  const { commands, script, files } = sessionText(branch({ fileName: "it's.pt2" }), [
    { pipeline: "decompose,cse", steps: 2 },
    { pipeline: "rewrite{rules=[a,b]}", steps: 1 },
  ]);
  expect(files).toEqual([]);
  expect(commands).toBe(
    `sconce lower 'it'\\''s.pt2' -o 'it'\\''s.out.pt2' --passes 'decompose,cse,rewrite{rules=[a,b]}'\n`,
  );
  expect(script).toBe(`import { createSconce } from "sconce";
import { openPt2File, savePt2File } from "sconce/node";

const session = createSconce();
let program = await openPt2File("it's.pt2", { operators: session.operators });
program = session.transform(program, "decompose,cse,rewrite{rules=[a,b]}");
await savePt2File(program, "it's.out.pt2");
`);
});

test("texts of the playground are files, and each has its command", () => {
  const { commands, script, files } = sessionText(
    branch({ fileName: "Net", own: { name: "model", source: "model" } }),
    [
      { pipeline: "decompose", steps: 1 },
      { pipeline: "one", own: { name: "a", source: "first" }, steps: 1 },
      { pipeline: "cse", steps: 1 },
      { pipeline: "two", own: { name: "b", source: "second" }, steps: 1 },
    ],
  );
  expect(files.map(({ name }) => name)).toEqual(["model.ts", "plugin2.ts", "plugin3.ts"]);
  expect(commands).toBe(`sconce export model.ts -o Net.pt2
sconce lower Net.pt2 -o Net.step1.pt2 --plugin ./plugin2.ts --passes decompose,one,cse
sconce lower Net.step1.pt2 -o Net.out.pt2 --plugin ./plugin3.ts --passes two
`);
  expect(script).toContain('import plugin3 from "./plugin3.ts";');
  expect(script).toContain('program = session2.transform(program, "two");');
});

test("a text is converted before the script opens it", () => {
  const { script } = sessionText(branch({ fileName: "model.sir" }), []);
  expect(script).toContain("// First: sconce convert model.sir model.pt2");
});

describe("names of files stay names, whatever they hold", () => {
  const NAMES = [
    "a\nglobalThis.PWN=1;//.sir",
    "a\u2028globalThis.PWN=1;//.sir",
    "a\r\nglobalThis.PWN=1;//x.json",
    "*/globalThis.PWN=1;/*.sir",
    "a';touch pwn;'.pt2",
    'a";globalThis.PWN=1;".pt2',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the name is hostile
    "`$(touch pwn)${PWN}`.pt2",
    "-rf.pt2",
    "-",
    "a\n.pt2",
    "a\\",
    "%s\u001b[2J\u202e.pt2",
    "</script>.pt2",
    "",
  ];
  const steps = { pipeline: "rewrite{rules=[a'b]}", steps: 1 };

  test.each(NAMES.map((name) => [JSON.stringify(name), name] as const))("%s", (_, fileName) => {
    const { commands, script } = sessionText(branch({ fileName }), [steps]);
    // A shell gives each command the name as one argument, and runs nothing else.
    const shell = `sconce() { for word; do printf '%s\\0' "$word"; done; }\n${commands}`;
    const words = execFileSync("sh", ["-c", shell], { encoding: "utf8" }).split("\0");
    expect(words[0]).toBe("lower");
    expect(words[1]!.replace(/^\.\/(?=-)/, "")).toBe(fileName);
    expect(words).toHaveLength(7);
    expect(words[5]).toBe(steps.pipeline);
    // A parser finds the statements that were meant, and the name as one string.
    const { body } = parseAst(script);
    expect(body.map(({ type }) => type)).toEqual([
      "ImportDeclaration",
      "ImportDeclaration",
      "VariableDeclaration",
      "VariableDeclaration",
      "ExpressionStatement",
      "ExpressionStatement",
    ]);
    const isText = /\.(sir|json)$/.test(fileName);
    const archive = isText ? fileName.replace(/\.\w+$/, ".pt2") : fileName;
    expect(JSON.stringify(body[3])).toContain(`"value":${JSON.stringify(archive)}`);
    expect(script.split("\n").filter((line) => line.startsWith("//"))).toHaveLength(isText ? 1 : 0);
  });
});
