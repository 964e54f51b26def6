import { expect, test } from "vitest";
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
