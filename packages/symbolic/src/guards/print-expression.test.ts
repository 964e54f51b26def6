import { expect, test } from "vitest";
import {
  add,
  type BoolLike,
  floorDiv,
  ge,
  mod,
  mul,
  ne,
  parseGuard,
  type SymExpr,
  symbol,
  symMax,
  symMin,
} from "../index.js";
import { printGuardExpr } from "./print-expression.js";

const [a, b] = [symbol("s77"), symbol("s17")];
const SOURCES: Readonly<Record<string, string>> = { s77: "L['x'].size()[0]", s17: "L['y'].size()[0]" };
const print = (condition: BoolLike): string | undefined =>
  printGuardExpr(condition as SymExpr, (name) => SOURCES[name]);

test.each<readonly [BoolLike, string]>([
  [ge(symMax(a, b), 8), "torch.sym_max(L['y'].size()[0], L['x'].size()[0]) >= 8"],
  [ge(symMin(a, b), 5), "torch.sym_min(L['y'].size()[0], L['x'].size()[0]) >= 5"],
  [ne(floorDiv(a, 4), 3), "(L['x'].size()[0] // 4) != 3"],
  [ne(mod(a, 3), 0), "(L['x'].size()[0] % 3) != 0"],
  [ne(add(a, mul(-1, floorDiv(a, 2))), 1), "(L['x'].size()[0] + (-1)*(L['x'].size()[0] // 2)) != 1"],
  [ne(add(a, -3), 0), "((-3) + L['x'].size()[0]) != 0"],
  [ne(add(mul(3, a), mul(-1, b)), 1), "(((-1)*L['y'].size()[0]) + 3*L['x'].size()[0]) != 1"],
])("%s is written as PyTorch writes it", (condition, text) => {
  expect(print(condition)).toBe(text);
  expect(parseGuard(text).kind).toBe("compare");
});

test("a symbol without a source has no text", () => {
  expect(print(ne(add(a, symbol("s5")), 7))).toBeUndefined();
});
