import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

/**
 * Two classes beside the blank, all as likely: every alignment of `steps` steps has the same
 * chance.
 */
const even = (steps: number): Tensor =>
  Tensor.from(new Array(3 * steps).fill(Math.log(1 / 3)), [steps, 1, 3], "float64");
const loss = (steps: number, labels: readonly number[], options: object = {}): number => {
  const targets = Tensor.from(labels.map(BigInt), [1, labels.length], "int64");
  const args = [even(steps), targets, [steps], [labels.length], 0, 0];
  return Number((evaluate("aten.ctc_loss.IntList", args, options as never) as Tensor).toArray()[0]);
};

describe("connectionist temporal classification", () => {
  test("sums over alignments", () => {
    // a, a-, -a, aa of two steps; ab of two; a-a alone of three.
    expect(loss(2, [1])).toBeCloseTo(-Math.log(3 / 9), 12);
    expect(loss(2, [1, 2])).toBeCloseTo(-Math.log(1 / 9), 12);
    expect(loss(3, [1, 1])).toBeCloseTo(-Math.log(1 / 27), 12);
    expect(loss(2, [])).toBeCloseTo(-Math.log(1 / 9), 12);
  });

  test("has no alignment for too many labels", () => {
    expect(loss(2, [1, 1])).toBe(Infinity);
    expect(loss(2, [1, 1], { zero_infinity: true })).toBe(0);
  });

  test("refuses labels and lengths that there are not", () => {
    expect(() => loss(2, [3])).toThrow("outside of the classes");
    const targets = Tensor.from([1n], [1, 1], "int64");
    const run = (lengths: readonly number[], blank: number): unknown =>
      evaluate("aten.ctc_loss.IntList", [even(2), targets, lengths, [1], blank]);
    expect(() => run([3], 0)).toThrow("Expected input_lengths");
    expect(() => run([2, 2], 0)).toThrow("input_lengths must be of size batch_size");
    expect(() => run([2], 3)).toThrow("blank must be in label range");
  });
});
