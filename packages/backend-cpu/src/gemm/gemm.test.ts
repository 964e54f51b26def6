import { describe, expect, test } from "vitest";
import { type GatherMatrix, multiply, stepped } from "./gemm.js";
import { scriptMachine, type TileMachine, tileMachine } from "./tile-kernel.js";

/** Small integers, so that every order of summation is exact. */
const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 23) - 11);

function product(a: GatherMatrix, b: GatherMatrix, machine: TileMachine): number[] {
  const n = b.columns.length;
  const out = new Array<number>(a.rows.length * n).fill(Number.NaN);
  multiply(
    a,
    b,
    (i, j, rows, columns, block, start, stride) => {
      for (let y = 0; y < rows; y++)
        for (let x = 0; x < columns; x++) out[(i + y) * n + j + x] = block[start + y * stride + x]!;
    },
    machine,
  );
  return out;
}

function naive(a: GatherMatrix, b: GatherMatrix): number[] {
  const at = (m: GatherMatrix, i: number, j: number): number => m.values[m.rows[i]! + m.columns[j]!]!;
  return [...a.rows].flatMap((_, i) =>
    [...b.columns].map((__, j) => [...a.columns].reduce((sum, ___, p) => sum + at(a, i, p) * at(b, p, j), 0)),
  );
}

const dense = (rows: number, columns: number): GatherMatrix => ({
  values: numbers(rows * columns),
  rows: stepped(rows, columns),
  columns: stepped(columns, 1),
});

describe.each([
  ["WebAssembly", tileMachine],
  ["JavaScript", scriptMachine],
])("multiply in %s", (_, make) => {
  test.each([
    [1, 1, 1],
    [3, 5, 2],
    [4, 4, 4],
    [65, 7, 9],
    [5, 300, 3],
    [9, 6, 301],
    [70, 260, 5],
  ])("%i x %i over %i", (m, n, k) => {
    const [a, b] = [dense(m, k), dense(k, n)];
    expect(product(a, b, make())).toEqual(naive(a, b));
  });

  test("transposed and strided operands are read in place", () => {
    const a = { values: numbers(60), rows: stepped(5, 1, 3), columns: stepped(4, 10) };
    const b = { values: numbers(90), rows: stepped(4, 2), columns: stepped(6, 14) };
    expect(product(a, b, make())).toEqual(naive(a, b));
  });

  test("an empty sum is zero", () => {
    const a = { values: numbers(1), rows: stepped(2, 0), columns: stepped(0, 1) };
    const b = { values: numbers(1), rows: stepped(0, 1), columns: stepped(3, 0) };
    expect(product(a, b, make())).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

test("both machines give the same sums", () => {
  const values = Float64Array.from({ length: 900 }, (_, i) => Math.sin(i * 12.9898) * 43758.5453);
  const a = { values, rows: stepped(30, 30), columns: stepped(30, 1) };
  expect(product(a, a, tileMachine())).toEqual(product(a, a, scriptMachine()));
});
