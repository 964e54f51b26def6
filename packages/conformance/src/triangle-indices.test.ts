/** @file Indices of triangles of very many rows: shapes, refusals and values. */
import { cpuBackend } from "@sconce/backend-cpu";
import { wasmBackend } from "@sconce/backend-wasm";
import { parseIr } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "./fixtures.js";

const session = createSconce();
type Recorded = readonly [
  name: string,
  row: string,
  column: string,
  offset: string,
  shape: number[] | string,
];
const RECORDED = fixtureJson("ops/triangle-indices.json.gz") as readonly Recorded[];

const programOf = (name: string, given: readonly string[], count: number | bigint) =>
  parseIr(
    `program "ATEN" {
  output %t: USER_OUTPUT
}
graph() {
  %t: i64[2, ${count}] = aten.${name}.default(${given.join(", ")})
  return (%t)
}
`,
    { tensors: new Map() },
  );

test("have PyTorch's shapes, or are refused", () => {
  expect(RECORDED.length).toBe(800);
  const differing = RECORDED.flatMap(([name, row, column, offset, wanted]) => {
    const program = programOf(name, [row, column, offset], typeof wanted === "string" ? 0 : wanted[1]!);
    const problems = session.verify(program);
    const isSame =
      typeof wanted === "string"
        ? problems.some(({ message }) => message.includes("rejects its inputs"))
        : problems.length === 0;
    return isSame ? [] : [[name, row, column, offset, wanted, ...problems.map(({ message }) => message)]];
  });
  expect(differing).toEqual([]);
});

test("are refused where the integers of the call are not exact", () => {
  // PyTorch gives three elements.
  const program = programOf("tril_indices", ["9007199254740995", "3", "-9007199254740993"], 3);
  expect(session.verify(program).map(({ message }) => message)).toEqual([
    expect.stringContaining("is not exact"),
  ]);
});

test("are computed without a step for each row", async () => {
  for (const backend of [cpuBackend(), wasmBackend({ threads: 1 })])
    for (const [name, row, column, offset] of [
      ["triu_indices", 2n ** 40n, 5n, 1n],
      ["triu_indices", 2n ** 62n, 4n, -3n],
      ["tril_indices", 3n, 2n ** 40n, 2n],
      ["tril_indices", 2n ** 40n, 3n, 2n - 2n ** 40n],
      ["tril_indices", 4n, 3n, -1n],
      ["tril_indices", 3n, 4n, 2n ** 62n],
      ["tril_indices", 3n, 4n, 2n ** 63n - 1n],
      ["triu_indices", 3n, 4n, -(2n ** 63n)],
      ["triu_indices", 4n, 3n, -1n],
    ] as const) {
      const wanted: bigint[][] = [[], []];
      const isLower = name === "tril_indices";
      const first = isLower && -offset > 0n ? -offset : 0n;
      for (let i = first; i < row && i < first + 12n; i++)
        for (let j = 0n; j < (column < 12n ? column : 12n); j++)
          if (isLower ? j - i <= offset : j - i >= offset) {
            wanted[0]!.push(i);
            wanted[1]!.push(j);
          }
      const program = programOf(name, [row, column, offset].map(String), wanted[0]!.length);
      using executable = await backend.compile(program);
      const [result] = (await executable.run([])) as [Tensor];
      expect([...result.toArray()].map(Number)).toEqual(wanted.flat().map(Number));
    }
});
