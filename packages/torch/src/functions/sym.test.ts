import { float } from "@sconce/ir";
import { ShapeEnv, symbol } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { type Recorder, withTrace } from "../trace/dispatch.js";
import { SymBool, SymFloat, SymInt } from "../trace/sym-int.js";
import { guard, sym } from "./sym.js";

/** Symbolic values refuse `String(value)`. */
const shown = (value: unknown): string => (value as { toString(): string }).toString();

/** Runs with a symbol `s0` of example value 6, and notes the arithmetic that is recorded. */
function traced(run: (n: SymInt) => void): { readonly recorded: string[]; readonly env: ShapeEnv } {
  const env = new ShapeEnv();
  const n = symbol("s0", { integer: true, positive: true });
  env.setHint("s0", 6);
  env.setRange("s0", { min: 2, max: Number.POSITIVE_INFINITY });
  const recorded: string[] = [];
  const arithmetic = (target: string, args: readonly unknown[], result: unknown): void => {
    recorded.push(`${target}(${args.map(shown).join(", ")}) = ${shown(result)}`);
  };
  withTrace({ env, arithmetic } as unknown as Recorder, () => run(new SymInt(n)));
  return { recorded, env };
}

describe("sym on numbers", () => {
  it("computes as Python", () => {
    expect([sym.add(1, 2), sym.sub(1, 2), sym.mul(3, 4), sym.pow(2, 5)]).toEqual([3, -1, 12, 32]);
    expect([sym.floorDiv(-7, 2), sym.mod(-7, 2), sym.mod(7, -2)]).toEqual([-4, 1, -1]);
    expect(sym.trueDiv(4, 2)).toEqual(float(2));
    expect([sym.max(1, 5, 3), sym.min(1, 5, 3), sym.sum([1, 2, 3]), sym.neg(2), sym.abs(-2)]).toEqual([
      5, 1, 6, -2, 2,
    ]);
    expect([sym.eq(1, 1), sym.ne(1, 1), sym.lt(1, 2), sym.le(2, 2), sym.gt(1, 2), sym.ge(1, 2)]).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
    ]);
    expect([sym.and(true, false), sym.or(true, false), sym.not(true), sym.ite(true, 1, 2)]).toEqual([
      false,
      true,
      false,
      1,
    ]);
    expect([sym.ceil(1.2), sym.floor(-1.2), sym.trunc(-1.7), sym.int(2.9), sym.round(2.5)]).toEqual([
      2, -2, -1, 2, 2,
    ]);
  });

  it("keeps integers beyond 2^53 exact", () => {
    expect(sym.add(9007199254740993n, 1)).toBe(9007199254740994n);
  });

  it("decides conditions that are known", () => {
    expect([guard(true), guard(sym.lt(2, 1))]).toEqual([true, false]);
  });
});

describe("sym on dynamic sizes", () => {
  it("gives expressions and records the arithmetic", () => {
    const { recorded } = traced((n) => {
      expect(shown(sym.add(sym.mul(n, 2), 1))).toBe("2*s0 + 1");
      expect(sym.trueDiv(n, 2)).toBeInstanceOf(SymFloat);
      expect(sym.eq(n, 4)).toBeInstanceOf(SymBool);
      expect(shown(sym.max(n, 3))).toBe("Max(3, s0)");
    });
    expect(recorded[0]).toBe("operator.mul(s0, 2) = 2*s0");
    expect(recorded[1]).toBe("operator.add(2*s0, 1) = 2*s0 + 1");
    expect(recorded).toHaveLength(5);
  });

  it("gives numbers where the size cancels out, unrecorded [S-079]", () => {
    const { recorded } = traced((n) => {
      expect(sym.sub(n, n)).toBe(0);
      expect(sym.eq(n, n)).toBe(true);
    });
    expect(recorded).toEqual([]);
  });

  it("guards with what holds for the example", () => {
    const { env } = traced((n) => {
      expect(guard(sym.lt(n, 10))).toBe(true);
      expect(guard(sym.eq(sym.mod(n, 4), 0))).toBe(false);
    });
    expect(env.guards.map(String)).toHaveLength(2);
  });

  it("refuses a condition without a trace", () => {
    let condition: SymBool | undefined;
    traced((n) => {
      condition = sym.lt(n, 10) as SymBool;
    });
    expect(() => guard(condition!)).toThrow(expect.objectContaining({ code: "NO_TRACE" }));
  });
});
