import { describe, expect, it } from "vitest";
import { joinTables, tableOf } from "./join-tables.js";

describe("joinTables", () => {
  it("keeps every entry in order", () => {
    const joined = joinTables({
      activation: { "aten.silu.default": 1 },
      pool: { "aten.max_pool2d.default": 2 },
    });
    expect(Object.entries(joined)).toEqual([
      ["aten.silu.default", 1],
      ["aten.max_pool2d.default", 2],
    ]);
    expect(Object.isFrozen(joined)).toBe(true);
  });

  it("names the key and both families when a key is given twice", () => {
    const activation: Readonly<Record<string, number>> = { "aten.silu.default": 1 };
    expect(() => joinTables({ activation, pool: { "aten.silu.default": 2 } })).toThrowError(
      expect.objectContaining({
        code: "DUPLICATE_KEY",
        where: "aten.silu.default",
        message: 'aten.silu.default is defined in the family "activation" and in the family "pool"',
        fix: "remove one of the two entries",
      }),
    );
  });

  it("does not compile when the compiler sees a key twice", () => {
    const twice = () =>
      joinTables({
        // @ts-expect-error the key is in `pool` too
        activation: { "aten.silu.default": 1 },
        // @ts-expect-error the key is in `activation` too
        pool: { "aten.silu.default": 2, "aten.max_pool2d.default": 3 },
      });
    expect(twice).toThrowError(expect.objectContaining({ code: "DUPLICATE_KEY" }));
  });
});

describe("tableOf", () => {
  it("refuses a key given twice", () => {
    expect(tableOf([["a", 1] as const, ["b", 2] as const])).toEqual({ a: 1, b: 2 });
    expect(() => tableOf([["a", 1] as const, ["a", 2] as const])).toThrowError(
      expect.objectContaining({ code: "DUPLICATE_KEY", message: "a is defined twice in one table" }),
    );
  });
});
