/** @file Half of the recorded calls, those of operators that run on the host too. The others are in
 * `unwritten.full.test.ts`. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), { operators: defaultOperators(), every: 2 });
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(8 * counts.partition));
