import { expect, test } from "vitest";
import { add, symbol } from "../algebra/algebra.js";
import type { SymExpr } from "./expr.js";

test("a symbolic value is not a number of JavaScript", () => {
  const size = add(symbol("s0"), 1) as SymExpr;
  const refused = expect.objectContaining({ code: "SYM_OPERAND" });
  expect(() => Number(size)).toThrow(refused);
  expect(() => (size as never) < 0).toThrow(refused);
  expect(`${size}`).toBe("s0 + 1");
  expect(String(size)).toBe("s0 + 1");
});
