/** @file Some recorded calls of each kind on a WebGPU device; the full suite runs all. */
import { fileURLToPath } from "node:url";
import { createSconce } from "sconce";
import { afterAll, describe, expect, test } from "vitest";
import { checkOnDevice } from "./conformance/device-cases.js";
import { openOpCases } from "./conformance/op-case-set.js";
import { openTestDevice } from "./conformance/test-device.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

const SOME = [
  "addmm.default",
  "convolution.default",
  "gelu.default",
  "gather.default",
  "where.self",
  "cat.default",
];

describe.skipIf(device === undefined)("recorded calls on a WebGPU device", () => {
  test.each(SOME)("%s", async (name) => {
    const { operators } = createSconce();
    const path = fileURLToPath(new URL("../fixtures/op-cases.zip", import.meta.url));
    const results = [];
    for (const entry of openOpCases(path, `${name}.`))
      results.push(...(await checkOnDevice(entry.read(), operators, device!)));
    expect(results.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(results.filter(({ refused }) => refused === undefined).length).toBeGreaterThan(3);
  });
});
