import { expect, test } from "vitest";
import { amount } from "./amount.js";

test("numbers have the unit of their size", () => {
  expect([0, 999, 1500, 2.5e6, 3e9, 4e12].map((value) => amount(value, "B"))).toEqual([
    "0 B",
    "999 B",
    "1.50 kB",
    "2.50 MB",
    "3.00 GB",
    "4.00 TB",
  ]);
});
