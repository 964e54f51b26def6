/** @file All recorded calls, those of operators that run on the host too. */
import { defaultOperators } from "@sconce/ops";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const { counts } = backendCasesSpec(() => wasmBackend(), { operators: defaultOperators() });
test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(7 * counts.partition));
