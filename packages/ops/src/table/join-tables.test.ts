import { describe, expect, it } from "vitest";
import { joinTables, tableBy } from "./join-tables.js";

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

describe("tableBy", () => {
  it("refuses a list with a key twice", () => {
    expect(tableBy(["a", "b"], (key) => key)).toEqual({ a: "a", b: "b" });
    expect(() => tableBy(["a", "a"], (key) => key)).toThrowError(
      expect.objectContaining({ code: "DUPLICATE_KEY", message: "a is defined twice in one table" }),
    );
  });
});
