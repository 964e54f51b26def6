/** @file All recorded calls that loops can say, on a WebGPU device: what it computes is what PyTorch gave. */
import { fileURLToPath } from "node:url";
import { LOWERINGS } from "@sconce/codegen";
import { createSconce } from "sconce";
import { afterAll, describe, expect, test } from "vitest";
import { checkOnDevice, type DeviceCaseResult } from "./conformance/device-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";
import { openTestDevice } from "./conformance/test-device.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());
const results: DeviceCaseResult[] = [];

describe.skipIf(device === undefined)("recorded calls on a WebGPU device", () => {
  test("give PyTorch's numbers", async () => {
    const { operators } = createSconce();
    for (const entry of openOpCases(fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url)))) {
      const file = entry.read();
      if (Object.hasOwn(LOWERINGS, file.target))
        results.push(...(await checkOnDevice(file, operators, device!)));
    }
    expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(device!.allocated).toBe(0);
  });

  test("few are refused but those of float64", () => {
    const refused = results.filter(({ refused }) => refused !== undefined && !refused.includes("float64"));
    expect(results.length).toBeGreaterThan(2800);
    expect(refused.length / results.length).toBeLessThan(0.05);
  });
});
