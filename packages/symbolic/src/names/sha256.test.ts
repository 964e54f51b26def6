import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "./sha256.js";

const hex = (text: string): string =>
  [...sha256(text)].map((word) => word.toString(16).padStart(8, "0")).join("");

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])("%i bytes", (length) => {
  const text = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((i * 7) % 90))).join("");
  expect(hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
});

test("text is hashed as UTF-8", () => {
  const text = "L['größe'].size()[0] 🙂";
  expect(hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
});
