/** @file All recorded calls, those of operators that run on the host too. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { defaultOperators } from "@sconce/ops";
import type { OpCase } from "@sconce/ops-cases";
import { backendCasesSpec } from "@sconce/ops-cases/vitest";
import { describe, expect, test } from "vitest";
import { wasmBackend } from "./index.js";

const VERDICTS = new URL("../../testing/fixtures/ops/overload-verdicts.json.gz", import.meta.url);
const verdicts = JSON.parse(gunzipSync(readFileSync(VERDICTS)).toString()) as {
  readonly exports: Readonly<Record<string, unknown>>;
};
/** Whether a call is one of an overload that few programs hold, most of which run on the host. */
const isRare = ({ target }: OpCase): boolean => target.replace("aten.", "") in verdicts.exports;

const operators = defaultOperators();
describe("overloads that few programs hold", () => {
  backendCasesSpec(() => wasmBackend(), { operators, filter: isRare });
});
/**
 * Calls of quantization, many of which refuse values or have packed operands: the host runs them.
 */
const isQuantized = ({ target }: OpCase): boolean =>
  /quant|torchao\.|qparams|int[48]pack|_int_mm|_scaled_mm/.test(target);
describe("quantization", () => {
  backendCasesSpec(() => wasmBackend(), { operators, filter: (one) => !isRare(one) && isQuantized(one) });
});
describe("other overloads", () => {
  const filter = (one: OpCase): boolean => !isRare(one) && !isQuantized(one);
  const { counts } = backendCasesSpec(() => wasmBackend(), { operators, filter });
  test("most calls run on the device", () => expect(counts.device).toBeGreaterThan(9 * counts.partition));
});
