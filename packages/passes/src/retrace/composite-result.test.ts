import { readNumbers } from "@sconce/backend-cpu";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { context, programOf, textOf } from "../programs.fixture.js";

const range = (end: number): Tensor =>
  Tensor.from(
    Array.from({ length: end }, (_, i) => i),
    [end],
    "int64",
  );
const number = (value: number): Tensor => Tensor.from([value], [], "int64");

/** The symbol of the result is free, or the one that lowering would give the index. */
test.each(["u0", "u1", "u7"])("an index of a composite call is not its result's size %s", (size) => {
  const program = programOf(`graph(%x: i64[5], %i: i64[]) {
    %part: i64[${size}] = aten.narrow.Tensor(%x, 0, %i, 2)
    return (%part)
  }`);
  const lowered = runDecompositions(program);
  const [, index] = /%_local_scalar_dense: int\((u\d+)\)/.exec(textOf(lowered)) ?? [];
  expect(index).toMatch(/^u/);
  expect(index).not.toBe(size);
  for (const start of [0, 1, 3, -2, -5]) {
    const [part] = context.run!(lowered, [range(5), number(start)]).outputs;
    const from = start < 0 ? start + 5 : start;
    expect([...readNumbers(part as Tensor)]).toEqual([from, from + 1]);
  }
});
