import { Budget, isSconceError } from "@sconce/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, parseJsonSteps } from "./parse.js";
import { JsonObject, type JsonValue, sameJson } from "./value.js";

const plain = (value: JsonValue): unknown =>
  value instanceof JsonObject
    ? Object.fromEntries(value.keys.map((key, i) => [key, plain(value.values[i]!)]))
    : Array.isArray(value)
      ? value.map(plain)
      : typeof value === "bigint"
        ? Number(value)
        : value;
const code = (wanted: string) => expect.toSatisfy((error: unknown) => isSconceError(error, wanted));
const parse = (text: string): JsonValue => parseJson(text, "test", new Budget(text.length));

describe("parseJson", () => {
  test("agrees with JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(plain(parse(text))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(
        fc.jsonValue({ noUnicodeString: false }),
        fc.integer({ min: 0, max: 3 }),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          expect(plain(parse(text))).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test("keeps integers past 2^53", () => {
    expect(
      parse("[9223372036854775807, -9223372036854775808, 9007199254740991, 12345678901234567890123]"),
    ).toEqual([9223372036854775807n, -9223372036854775808n, 9007199254740991, 12345678901234567890123n]);
  });

  test("reads the bare words of older files", () => {
    expect(parse("[NaN, Infinity, -Infinity, 1e999, -0.0]")).toEqual([
      NaN,
      Infinity,
      -Infinity,
      Infinity,
      -0,
    ]);
  });

  test("no key is special, and the order is kept", () => {
    const value = parse('{"b": 1, "__proto__": 2, "0": 3, "toString": 4}') as JsonObject;
    expect(value.keys).toEqual(["b", "__proto__", "0", "toString"]);
    expect(value.get("__proto__")).toBe(2);
    expect(value.get("constructor")).toBeUndefined();
  });

  test("long strings with and without escapes", () => {
    const long = "x".repeat(100);
    expect(parse(JSON.stringify([long, `${long}\n"\\`, `${long}\\`, "é😀"]))).toEqual([
      long,
      `${long}\n"\\`,
      `${long}\\`,
      "é😀",
    ]);
  });

  test.each([
    ["", "JSON_SYNTAX"],
    ["  ", "JSON_SYNTAX"],
    ["{", "JSON_SYNTAX"],
    ["[1,]", "JSON_SYNTAX"],
    ["[1 2]", "JSON_SYNTAX"],
    ['{"a" 1}', "JSON_SYNTAX"],
    ['{"a":1,}', "JSON_SYNTAX"],
    ["{a:1}", "JSON_SYNTAX"],
    ["01", "JSON_SYNTAX"],
    ["+1", "JSON_SYNTAX"],
    ["1.", "JSON_SYNTAX"],
    [".5", "JSON_SYNTAX"],
    ["1e", "JSON_SYNTAX"],
    ["-", "JSON_SYNTAX"],
    ["nul", "JSON_SYNTAX"],
    ['"a', "JSON_SYNTAX"],
    ['"\\x"', "JSON_SYNTAX"],
    ['"\\u12"', "JSON_SYNTAX"],
    ['"a\nb"', "JSON_SYNTAX"],
    [`"${"x".repeat(50)}\n"`, "JSON_SYNTAX"],
    ['"\\ud800"', "JSON_SYNTAX"],
    ["1 // one", "JSON_SYNTAX"],
    ["{}{}", "JSON_SYNTAX"],
    ["[1]]", "JSON_SYNTAX"],
    ["9".repeat(5000), "JSON_SYNTAX"],
    ['{"a":1,"a":2}', "JSON_DUPLICATE_KEY"],
    ['{"a":1,"\\u0061":2}', "JSON_DUPLICATE_KEY"],
    ["[".repeat(200_000), "JSON_DEPTH"],
    ['{"a":'.repeat(200_000), "JSON_DEPTH"],
    ["\ufeff{}", "JSON_SYNTAX"],
  ])("refuses %.20s", (text, wanted) => {
    expect(() => parse(text)).toThrow(code(wanted));
  });

  test.each([
    [Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    [Uint8Array.of(0x22, 0xff, 0x22)],
    [Uint8Array.of(0x7b, 0, 0x7d, 0)],
    [Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ])("refuses bytes %s", (bytes) => {
    expect(() => parseJson(bytes, "test", new Budget(bytes.length))).toThrow(
      expect.toSatisfy((e: unknown) => isSconceError(e)),
    );
  });

  test("bounds the items of a list and an object while they are read", () => {
    const list = (count: number): string => `[${'{"a":"\\n","b":1},'.repeat(count)}0]`;
    const object = (count: number): string =>
      `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
    expect(parse(list(25_000))).toHaveLength(25_001);
    expect(parse(object(25_000))).toHaveProperty("size", 25_000);
    for (const text of [list(100_000), object(100_000)]) {
      const budget = new Budget(text.length);
      expect(() => parseJson(text, "test", budget)).toThrow(
        expect.objectContaining({ code: "BUDGET_EXCEEDED", fix: expect.stringContaining("limits.items") }),
      );
      // Two thirds of the text are not read.
      expect(budget.limits.nodes - budget.left("nodes")).toBeLessThan(100_000);
      const raised = new Budget(text.length, { items: 1e6, nodes: 1e6 });
      expect(() => parseJson(text, "test", raised)).not.toThrow();
    }
  });
});

test("a long text is read in pieces, to the same value and the same errors", () => {
  const items = Array.from({ length: 3000 }, (_, i) => `{"name":"n${i}","args":[[${i}],{}]}`).join(",");
  const read = (text: string): { value: JsonValue; pauses: number } => {
    const bytes = new TextEncoder().encode(text);
    const work = parseJsonSteps(bytes, "test", new Budget(bytes.length));
    for (let pauses = 0; ; pauses++) {
      const piece = work.next();
      if (piece.done) return { value: piece.value, pauses };
    }
  };
  const text = `{"module":{"graph":{"nodes":[${items}],"none":[],"empty":{}}},"version":[1, "a", true]}`;
  const { value, pauses } = read(text);
  expect(sameJson(value, parse(text))).toBe(true);
  expect(pauses).toBeGreaterThan(10);
  for (const wrong of ['{"a":[1,]}', '{"a" 1}', "[[1}", '{"a":1,"a":2}', "[1] 2", "", '{"a":{"b":[1 2]}}']) {
    const failure = (run: () => unknown): string => {
      try {
        return `gave ${String(run())}`;
      } catch (error) {
        return String(error);
      }
    };
    expect(failure(() => read(wrong))).toBe(failure(() => parse(wrong)));
    expect(failure(() => parse(wrong))).not.toContain("gave");
  }
});
