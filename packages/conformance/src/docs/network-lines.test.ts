import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { networkLines } from "./network-lines.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("every network is as short as its Python original", () => {
  const sources = ["networks", "transformers"].map((name) => read(`src/capture/${name}.fixture.ts`));
  const rows = networkLines(read("../testing/oracle/programs/networks.py"), sources.join("\n"));
  expect(rows.length).toBeGreaterThan(15);
  for (const { typescript } of rows) expect(typescript).toBeGreaterThan(0);
  expect(rows.filter(({ python, typescript }) => typescript > python)).toEqual([]);
});

test("helpers and classes that classes use count too", () => {
  const python = 'class A:\n    x = 1\n\n\n@program("net")\ndef _():\n    return A()\n';
  const typescript = "const help = () => 1;\n\nclass A {\n  x = [\n    ...help(),\n  ];\n}\n";
  expect(networkLines(python, typescript)).toEqual([{ programs: ["net"], python: 2, typescript: 4 }]);
});
