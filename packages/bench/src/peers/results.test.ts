import { describe, expect, test } from "vitest";
import { chart } from "./chart.js";
import { endReason } from "./peer.js";
import { isExact, median, type Results, relativeDifference, resultText, withRatios } from "./results.js";

const timings = withRatios({
  cpu: { cpu: 12, wall: 13, error: 1e-6 },
  wasm: { cpu: 3, wall: 3.1, error: 2e-6 },
  tfjs: { cpu: 6, wall: 6 },
  "ort-web": { cpu: 4, wall: 5 },
  "ort-node": { cpu: 1, wall: 1 },
});
const results: Results = {
  node: "24.0.0",
  threads: 1,
  models: [{ model: "mlp", timings, skipped: { litert: "not installed" }, fromOnnxRuntime: 1e-6 }],
};

describe("results of a comparison", () => {
  test("ratios are those to the fastest WebAssembly runtime of another project", () => {
    expect(timings["wasm"]!.ratio).toBe(0.75);
    expect(timings["ort-node"]!.ratio).toBe(0.25);
    expect(withRatios({ wasm: { cpu: 3, wall: 3 } })["wasm"]!.ratio).toBeUndefined();
  });

  test("the text has a column for each runtime, and reasons for those without times", () => {
    expect(resultText(results)).toBe(
      [
        "Node 24.0.0, one thread, milliseconds of CPU time",
        "",
        "| model | cpu | wasm | ort-web | tfjs | ort-node | Sconce / best |",
        "| --- | --: | --: | --: | --: | --: | --: |",
        "| mlp | 12.0 | 3.00 | 4.00 | 6.00 | 1.00 | 0.75 |",
        "",
        "not measured: litert: not installed (mlp)",
      ].join("\n"),
    );
  });

  test("the chart has a bar for each runtime", () => {
    const svg = chart(results);
    expect(svg.match(/<rect /g)).toHaveLength(1 + 5 + 5);
    expect(svg).toContain("0.75 (3.00 ms)");
  });

  test("outputs that differ, have NaN or another length are found", () => {
    const floats = (...values: number[]) => Float32Array.from(values);
    expect(relativeDifference(floats(1, 2), floats(1, 2.5))).toBeCloseTo(0.2);
    expect(relativeDifference(floats(0), floats(0))).toBe(0);
    expect(relativeDifference(floats(1, Number.NaN), floats(1, 2))).toBe(Number.POSITIVE_INFINITY);
    expect(relativeDifference(floats(1), floats(1, 2))).toBe(Number.POSITIVE_INFINITY);
    expect(isExact(results.models[0]!)).toBe(true);
    expect(isExact({ ...results.models[0]!, fromOnnxRuntime: 0.1 })).toBe(false);
    expect(isExact({ ...results.models[0]!, timings: { cpu: { cpu: 1, wall: 1, error: 1 } } })).toBe(false);
  });

  test("a median of an even count is between the two in the middle", () => {
    expect(median([4, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

test("a process that ends says what to install, or its error", () => {
  expect(
    endReason("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'onnxruntime-web' imported from x"),
  ).toBe("onnxruntime-web is not installed: run npm ci --ignore-scripts --prefix packages/bench/peers");
  expect(endReason("x.js:1\n  throw\nSconceError: unknown backend\n    at x")).toBe(
    "the process ended: SconceError: unknown backend",
  );
  expect(endReason("")).toBe("the process ended: no message");
});
