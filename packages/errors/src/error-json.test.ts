import { describe, expect, test } from "vitest";
import { SconceError } from "./index.js";

const parsed = (error: unknown): unknown => JSON.parse(JSON.stringify(error));

describe("JSON.stringify(error)", () => {
  test("keeps code, message, place and fix", () => {
    const error = new SconceError({ code: "SHAPE", message: "5 values", where: 'node "a"', fix: "give 6" });
    expect(parsed({ error })).toEqual({
      error: {
        name: "SconceError",
        code: "SHAPE",
        message: "5 values",
        where: 'node "a"',
        fix: "give 6",
        docs: "errors/SHAPE",
      },
    });
  });

  test("keeps the causes, whatever they are", () => {
    const inner = new SconceError({ code: "B", message: "inner", fix: "fix b", cause: "text" });
    const middle = new TypeError("middle", { cause: inner });
    const error = new SconceError({ code: "A", message: "outer", fix: "fix a", cause: middle });
    expect(parsed(error)).toMatchObject({
      message: "outer",
      cause: {
        name: "TypeError",
        message: "middle",
        cause: { name: "SconceError", code: "B", fix: "fix b", cause: { name: "thrown", message: "text" } },
      },
    });
  });

  test("ends at causes in a circle, and after many", () => {
    const inner = new Error("inner");
    const error = new SconceError({ code: "A", message: "outer", fix: "fix", cause: inner });
    inner.cause = error;
    expect(parsed(error)).toMatchObject({ cause: { message: "inner", cause: "circular" } });
    let last: unknown = "first";
    for (let i = 0; i < 10_000; i++) last = new Error(`cause ${i}`, { cause: last });
    const many = new SconceError({ code: "A", message: "outer", fix: "fix", cause: last });
    expect(JSON.stringify(many)).toContain('"cause":"more causes"');
  });

  test("survives causes that cannot be read", () => {
    const hostile = new Error("x");
    for (const part of ["name", "message", "cause", "code"])
      Object.defineProperty(hostile, part, {
        get() {
          throw new Error("no");
        },
      });
    for (const cause of [hostile, 10n, Symbol("s"), null, Object.create(null), () => 1]) {
      const error = new SconceError({ code: "A", message: "outer", fix: "fix", cause });
      expect(parsed(error)).toMatchObject({ code: "A", cause: { message: expect.any(String) } });
    }
  });
});
