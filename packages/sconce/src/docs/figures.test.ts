/** @file Figures that stand in several pages are those of the page that has the command. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const pageOf = (name: string): Promise<string> =>
  readFile(new URL(`../../../../${name}`, import.meta.url), "utf8");

/** The first values of the rows under a heading, by the names in their first column. */
function rowsUnder(text: string, heading: string): Map<string, string[]> {
  const start = text.indexOf(heading);
  expect(start, heading).toBeGreaterThanOrEqual(0);
  const table = text.slice(text.indexOf("\n|", start) + 1).split("\n\n")[0]!;
  const rows = table.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((value) => value.trim()),
  );
  return new Map(
    rows.slice(2).map(([name, ...values]) => [name!, values.map((value) => value.replaceAll("*", ""))]),
  );
}

test("the comparison and the README repeat the table of runtimes", async () => {
  const [performance, comparison, readme] = await Promise.all(
    ["docs/performance.md", "docs/comparison.md", "README.md"].map(pageOf),
  );
  const measured = rowsUnder(performance!, "## Other runtimes");
  const full = (name: string): string[] =>
    [...measured].find(([row]) => row === name || row.startsWith(`${name},`))![1];
  const shown = rowsUnder(comparison!, "## Speed");
  expect(shown.size).toBeGreaterThan(4);
  for (const [name, values] of shown) {
    const [wasm, , , ort, litert, tfjs] = full(name);
    expect([name, ...values]).toEqual([name, wasm, ort, litert, tfjs]);
  }
  const [resnet, , , , , , native, ratio] = full("ResNet-18");
  expect(comparison).toContain(`ONNX Runtime takes ${native} ms for ResNet-18`);
  const prose = readme!.replaceAll(/\s+/g, " ");
  expect(prose).toContain(
    `ResNet-18 takes ${Math.round(Number(resnet))} ms on one core, ${ratio} of the time`,
  );
});
