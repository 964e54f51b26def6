import { expect, test } from "vitest";
import { HELPERS } from "./sizes.js";

const NUMBERS = [0, 1, 2, 3, 5, 7, 10, 4096, 2 ** 31, 2 ** 31 - 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER];

test("quotients and remainders are those of Python, to the ends of exact integers", () => {
  for (const a of NUMBERS.flatMap((one) => [one, -one]))
    for (const b of NUMBERS.slice(1).flatMap((one) => [one, -one])) {
      const [x, y] = [BigInt(a), BigInt(b)];
      const rest = ((x % y) + y) % y;
      expect(BigInt(HELPERS.mod(a, b)), `${a} % ${b}`).toBe(rest);
      expect(BigInt(HELPERS.div(a, b)), `${a} // ${b}`).toBe((x - rest) / y);
    }
});
