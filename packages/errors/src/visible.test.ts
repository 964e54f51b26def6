import { expect, test } from "vitest";
import { SconceError, visibleJson, visibleText } from "./index.js";

const ranges: readonly (readonly [what: string, from: number, to: number])[] = [
  ["C0 controls", 0x00, 0x08],
  ["C0 controls after tab and line end", 0x0b, 0x1f],
  ["delete and C1 controls", 0x7f, 0x9f],
  ["the soft hyphen", 0xad, 0xad],
  ["the Arabic letter mark", 0x61c, 0x61c],
  ["zero-width characters and directional marks", 0x200b, 0x200f],
  ["line and paragraph separators", 0x2028, 0x2029],
  ["bidirectional embeddings and overrides", 0x202a, 0x202e],
  ["invisible operators and bidirectional isolates", 0x2060, 0x206f],
  ["Hangul fillers", 0x115f, 0x1160],
  ["the byte order mark", 0xfeff, 0xfeff],
  ["tags", 0xe0001, 0xe007f],
];

test.each(ranges)("%s are spelled out", (_what, from, to) => {
  for (let code = from; code <= to; code++) {
    const char = String.fromCodePoint(code);
    const shown = visibleText(`a${char}b`);
    expect(shown).toMatch(/^a\\(x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\})b$/);
    expect(Number.parseInt(shown.slice(1, -1).replace(/[^0-9a-f]/g, ""), 16)).toBe(code);
    const json = visibleJson(JSON.stringify({ [char]: char }));
    expect(json).not.toContain(char);
    expect(JSON.parse(json)).toEqual({ [char]: char });
  }
});

test("halves of surrogate pairs are spelled out, pairs are not", () => {
  expect(visibleText("\ud83d \u{1f600}")).toBe("\\ud83d \u{1f600}");
});

test("other text stays: line ends, tabs, letters of all scripts", () => {
  const text = "a\tb\nc é 名前 שלום مرحبا \u{1f600} \\x1b";
  expect(visibleText(text)).toBe(text);
});

test("an error shows no such character in message, place and fix", () => {
  const error = new SconceError({ code: "X", message: "\u202ea", where: "\u001b[2Jb", fix: "\u2028c" });
  expect([error.message, error.where, error.fix]).toEqual(["\\u202ea", "\\x1b[2Jb", "\\u2028c"]);
  expect(error.at("\u2066d").where).toBe("\\u2066d: \\x1b[2Jb");
});

test("a line in a message cannot pass for the place or the fix", () => {
  const error = new SconceError({ code: "X", message: "a\n  fix rm -rf", where: "b", fix: "c" });
  expect(error.describe()).toBe("error X: a\n        fix rm -rf\n  in  b\n  fix c");
});
