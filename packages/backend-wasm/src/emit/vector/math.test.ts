import { functionOf, type ScalarFn } from "@sconce/codegen";
import { detectFeatures } from "@sconce/wasm";
import { expect, test } from "vitest";
import { float32Function, floats, ulpsBetween } from "./math.fixture.js";
import { ULPS } from "./math.js";

/** Every so manieth float32; a prime, so that all mantissas are met. */
const STEP = 40_009;
const EDGES = [
  ...[
    0,
    -0,
    Infinity,
    -Infinity,
    Number.NaN,
    1,
    -1,
    1e-45,
    -1e-45,
    1.1754943508222875e-38,
    3.4028234663852886e38,
  ],
  ...[
    88.72283905206835, 88.73, -87.4, -88.73, -103.9, -104, -150, 128, 0.921875, 0.92187506, 4, -18.1, 1e-8,
    -1e-8,
  ],
].map(Math.fround);

/** What float32 gives of exact values: the divisor of sigmoid overflows. */
function exactly(op: string): (x: number) => number {
  const exact = functionOf(op as ScalarFn, "float64", "float64") as (x: number) => number;
  return op === "sigmoid" ? (x) => 1 / Math.fround(1 + Math.exp(-x)) : exact;
}

/** With one rounding of a product and a sum, where the engine has it, and with two. */
const ways = detectFeatures().relaxed ? [false, true] : [false];
const unary = ways.flatMap((relaxed) =>
  [...ULPS].flatMap(([op, ulps]) => (op === "pow" ? [] : [{ op, ulps, relaxed }])),
);
test.each(unary)(
  "$op is within $ulps units of the last place, relaxed: $relaxed",
  ({ op, ulps, relaxed }) => {
    const [found, exact] = [float32Function(op, relaxed), exactly(op)];
    const problems: string[] = [];
    const check = (x: number): void => {
      const error = ulpsBetween(found(x), exact(x));
      if (!(error <= ulps)) problems.push(`${op}(${x}) is ${found(x)}, not ${exact(x)}`);
    };
    for (const x of EDGES) check(x);
    for (const x of floats(STEP)) check(x);
    expect(problems.slice(0, 5)).toEqual([]);
  },
);

test("pow is within its units of the last place", () => {
  const [found, exact] = [float32Function("pow", false), functionOf("pow", "float64", "float64")!];
  const bases = [...EDGES, ...floats(40_009 * 997)];
  const powers = [...EDGES, ...floats(40_009 * 1009), 2, 3, -2, 0.5, 1.7, 33, 1e-3, -7, 16777215].map(
    Math.fround,
  );
  const problems: string[] = [];
  for (const x of bases)
    for (const y of powers) {
      const error = ulpsBetween(found(x, y), exact(x, y) as number);
      if (!(error <= ULPS.get("pow")!)) problems.push(`${x} ** ${y} is ${found(x, y)}, not ${exact(x, y)}`);
    }
  expect(problems.slice(0, 5)).toEqual([]);
});
