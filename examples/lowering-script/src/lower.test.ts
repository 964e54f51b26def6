import "sconce/testing/vitest";
import { createSconce } from "sconce";
import { describe, expect, test } from "vitest";
import { KEPT, lower, openDigits, report } from "./lower.js";

const sconce = createSconce();
const digits = await openDigits(sconce);
const { program, rows } = lower(sconce, digits);

describe("lowering for a device", () => {
  test("keeps what the device runs, replaces relu, and lowers the rest as PyTorch does", () => {
    expect(program.dialect).toBe("ATEN");
    for (const target of KEPT) expect(program).toHaveOps({ [target]: 2 });
    expect(program).toHaveOps({ "aten.relu.default": 0, "aten.clamp.default": 3, "aten.dropout.default": 0 });
    expect(sconce.verify(program)).toEqual([]);
  });

  test("changes no numbers, and not the program that goes in", async () => {
    const before = String(digits);
    await expect(lower(sconce, digits).program).toPreserveMeaning({ of: digits, rtol: 1e-4, atol: 1e-4 });
    expect(String(digits)).toBe(before);
  });

  test("leaves the session's own table alone", () => {
    expect(sconce.defaultDecompositions().has("aten.linear.default")).toBe(true);
  });

  test("reports what changed", () => {
    const relu = rows.find(({ target }) => target === "aten.relu.default");
    expect(relu).toEqual({ target: "aten.relu.default", exported: 3, plain: 3, device: 0 });
    const lines = report(rows);
    expect(lines[0]).toMatch(/^operator +exported +PyTorch's lowering +the device's$/);
    expect(lines.some((line) => /^aten\.linear\.default +2 +0 +2$/.test(line))).toBe(true);
    expect(lines.some((line) => line.startsWith("aten.div.Tensor"))).toBe(false);
  });
});
