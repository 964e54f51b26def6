import fc from "fast-check";
import { expect, test } from "vitest";
import { deadAfter } from "./liveness.js";

const steps = fc.array(fc.array(fc.nat(12), { maxLength: 6 }), { maxLength: 20 });
const kept = fc.array(fc.nat(12), { maxLength: 3 });

test("a value ends with the last step that uses it, unless it is kept", () => {
  fc.assert(
    fc.property(steps, kept, (uses, kept) => {
      const dead = deadAfter<number>(uses.length, (at, use) => uses[at]!.forEach(use), kept);
      const wanted = uses.map((used, at) =>
        [...new Set(used)].filter(
          (value) => !kept.includes(value) && !uses.slice(at + 1).some((later) => later.includes(value)),
        ),
      );
      expect(dead).toEqual(wanted);
    }),
  );
});

test("steps without values, and no steps", () => {
  expect(deadAfter(2, () => undefined)).toEqual([[], []]);
  expect(deadAfter(0, () => undefined)).toEqual([]);
});
