import type { Value } from "@sconce/ir";
import { randomInputs } from "@sconce/passes";
import { describe, expect, test } from "vitest";
import { context, operators, recorded } from "../programs.fixture.js";
import { quantizeWeights } from "../weights/quantize-weights.js";
import { measure, referenceOf, relativeError } from "./measure.js";
import { type ReportWeightsOptions, reportWeights } from "./weight-report.js";

const program = await recorded("digits");
const samples: readonly (readonly Value[])[] = [1, 2].map((seed) => randomInputs(program, { seed }));
const run = context.run!;
const report = (options: Partial<ReportWeightsOptions> = {}) =>
  reportWeights(program, operators, { bits: 4, group: "32", samples, run, ...options });

describe("a report", () => {
  test("has the weights with the largest damage first, and the values of their layers", () => {
    const { weights, bytes, error } = report();
    expect(weights).toHaveLength(4);
    const damages = weights.map(({ damage }) => damage);
    expect(damages).toEqual(damages.toSorted((a, b) => b - a));
    for (const { distortion, values, layers } of weights) {
      expect(distortion.snr).toBeGreaterThan(15);
      expect([...values.keys()]).toEqual(layers);
    }
    expect(bytes.after).toBeLessThan(bytes.before / 5);
    expect(error).toBeGreaterThan(Math.max(...damages) / 10);
  });

  test("counts bytes of the state as they are stored", () => {
    const { program: after, bytes } = report({ bits: 8, group: "channel" });
    const codes = [...after.stateDict].filter(([name]) => name.endsWith("_q"));
    const lengths = codes.reduce((sum, [, { numel }]) => sum + numel, 0);
    expect(bytes.before - bytes.after).toBeLessThan(3 * lengths);
    expect(bytes.before - bytes.after).toBeGreaterThan(2.8 * lengths);
  });

  test("the damage of a weight is the error of the program with that weight alone", () => {
    const { weights } = report({ samples: samples.slice(0, 1) });
    const { name, damage } = weights[0]!;
    const alone = quantizeWeights(program, operators, { bits: 4, group: "32", include: [name] }).program;
    const reference = referenceOf(program, samples.slice(0, 1), run, new Set());
    expect(relativeError(measure(reference, alone, samples, run))).toBe(damage);
  });

  test("steps are reported", () => {
    const steps: string[] = [];
    report({ onProgress: (done, total, step) => steps.push(`${done}/${total} ${step}`) });
    expect(steps[0]).toBe("1/6 the program");
    expect(steps.at(-1)).toBe("6/6 the quantized program");
  });
});

describe("a bound on the error", () => {
  test.each([0.2, 0.05, 0.012])("of %d holds, with as few wide weights as the order allows", (maxError) => {
    const bounded = report({ maxError });
    expect(bounded.error).toBeLessThanOrEqual(maxError);
    expect(report().error).toBeGreaterThan(maxError);
  });

  test("leaves weights in float where 8 bits are too few", () => {
    const { weights, floats, error } = report({ maxError: 0.004 });
    expect(error).toBeLessThanOrEqual(0.004);
    expect(floats.length).toBeGreaterThan(0);
    expect(floats.length + weights.length).toBe(4);
  });

  test("of 0 leaves the program as it is", () => {
    expect(report({ maxError: 0 }).program).toBe(program);
  });

  test("that nothing meets is refused", () => {
    let calls = 0;
    const drifting: typeof run = (one, inputs, see) => {
      const result = run(one, inputs, see);
      const [output] = result.outputs as unknown as [{ data: Float32Array }];
      output.data[0]! += calls++;
      return result;
    };
    expect(() => report({ run: drifting, maxError: 0.0001 })).toThrow("no choice of weights keeps the error");
  });

  test("samples are needed", () => {
    expect(() => report({ samples: [] })).toThrow("there are no samples to run the program on");
  });
});
