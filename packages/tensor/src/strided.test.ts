import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { broadcastStrides, eachRun, eachRunInOrder, positionsOf } from "./strided.js";

const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
const stridesFor = (shape: readonly number[]) =>
  fc.array(fc.integer({ min: 0, max: 7 }), { minLength: shape.length, maxLength: shape.length });

/** Positions by the definition, in row-major order. */
function naive(shape: readonly number[], strides: readonly number[], offset: number): number[] {
  return shape.reduce<number[]>(
    (at, size, d) => at.flatMap((base) => Array.from({ length: size }, (_, i) => base + i * strides[d]!)),
    [offset],
  );
}

describe("runs over strided views", () => {
  test("in order, every element comes once, at its place", () => {
    fc.assert(
      fc.property(
        shapes.chain((shape) => fc.tuple(fc.constant(shape), stridesFor(shape))),
        ([shape, strides]) => {
          expect([...positionsOf(shape, { strides, storageOffset: 3 })]).toEqual(naive(shape, strides, 3));
        },
      ),
    );
  });

  test("in any order, operands stay side by side", () => {
    const operands = shapes.chain((shape) =>
      fc.tuple(fc.constant(shape), stridesFor(shape), stridesFor(shape)),
    );
    fc.assert(
      fc.property(operands, ([shape, a, b]) => {
        const pairs: string[] = [];
        eachRun(
          shape,
          [
            { strides: a, storageOffset: 0 },
            { strides: b, storageOffset: 5 },
          ],
          (offsets, steps, count) => {
            for (let i = 0; i < count; i++)
              pairs.push(`${offsets[0]! + i * steps[0]!}:${offsets[1]! + i * steps[1]!}`);
          },
        );
        const [left, right] = [naive(shape, a, 0), naive(shape, b, 5)];
        expect(pairs.sort()).toEqual(left.map((p, i) => `${p}:${right[i]}`).sort());
      }),
    );
  });

  test("equally permuted dense operands are one run", () => {
    let runs = 0;
    const strides = [1, 12, 4];
    eachRun(
      [4, 2, 3],
      [
        { strides, storageOffset: 0 },
        { strides, storageOffset: 0 },
      ],
      (_, steps, count) => {
        runs++;
        expect([count, steps]).toEqual([24, [1, 1]]);
      },
    );
    expect(runs).toBe(1);
  });

  test("broadcasting reads with stride 0", () => {
    expect(broadcastStrides([3, 1], [5, 9], [2, 3, 4])).toEqual([0, 5, 0]);
    const seen: number[] = [];
    eachRunInOrder([2, 2], [{ strides: [0, 1], storageOffset: 7 }], ([p], [step], count) => {
      for (let i = 0; i < count; i++) seen.push(p! + i * step!);
    });
    expect(seen).toEqual([7, 8, 7, 8]);
  });
});
