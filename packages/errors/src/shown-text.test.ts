import { expect, test } from "vitest";
import { SconceError } from "./index.js";

const errorOf = (text: string): SconceError =>
  new SconceError({ code: "TEST", message: text, where: text, fix: text });

test("names of any length make errors that can be read", () => {
  const { message, where, fix } = errorOf(`no node "${"a".repeat(100_000)}" in the graph`);
  expect(message).toBe(`no node "${"a".repeat(199)}... (100002 characters) in the graph`);
  expect([where, fix]).toEqual([message, message]);
});

test("so do long lists", () => {
  const { message } = errorOf(Array.from({ length: 30_000 }, (_, i) => `node${i}`).join(", "));
  expect(message).toMatch(/^node0, node1, .*\.\.\. \(318888 characters\)$/);
  expect(message.length).toBeLessThan(8100);
});

test("other texts stay as they are", () => {
  const text = `${"a".repeat(299)} ${"b c ".repeat(1000)}`;
  expect(errorOf(text).message).toBe(text);
});
