import { type CheckRequest, checkSource } from "@sconce/capture";
import { FakeTensor } from "@sconce/ir";
import { symbolByName } from "@sconce/symbolic";
import { SymInt, TracedTensor } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";

const s0 = symbolByName("s0");
const fake = (shape: readonly (number | typeof s0)[]): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape, strides: shape.map(() => 1) });

/** A tensor of two rows and three columns, while it is traced. */
const t = new TracedTensor(fake([2, 3]));
/** A tensor whose number of rows is dynamic. */
const d = new TracedTensor(fake([s0, 3]));
/** A dynamic size. */
const _n = new SymInt(s0);

/** A function of a text: types and formatters would change what the tests are about. */
const code = (source: string): AnyFunction => new Function(`return (${source})`)() as AnyFunction;

const found = (source: string | AnyFunction, request: CheckRequest): [string[], string[]] => {
  const { errors, unchecked } = checkSource(typeof source === "string" ? code(source) : source, request);
  const places = (all: typeof unchecked): string[] => all.map((one) => `${one.construct} ${one.code}`);
  return [places(errors), places(unchecked)];
};

describe("classes", () => {
  test("one that only holds what it is given needs no report", () => {
    class Pair {
      readonly a: unknown;
      constructor(a: unknown) {
        this.a = a;
      }
    }
    expect(found((x: unknown) => new Pair(x), { args: [t] })).toEqual([[], []]);
  });

  test("constructors and getters are followed", () => {
    class Flag {
      readonly #value: unknown;
      constructor(value: unknown) {
        this.#value = value;
      }
      get isSet(): boolean {
        return Boolean(this.#value);
      }
    }
    expect(found((x: unknown) => new Flag(x).isSet, { args: [t] })).toEqual([
      ["Boolean Boolean(this.#value)"],
      [],
    ]);
    expect(
      found("(x) => { class A { constructor(v) { this.v = v ? 1 : 2; } } return new A(x); }", { args: [t] }),
    ).toEqual([["?: v"], []]);
    const withDefault = (value: string): AnyFunction =>
      new Function(
        `class A { constructor(v, w = ${value}) { this.v = w; } } return (x) => new A(x);`,
      )() as AnyFunction;
    expect(found(withDefault("v ? 1 : 2"), { args: [t] })).toEqual([["?: v"], []]);
    expect(found(withDefault("v"), { args: [t] })).toEqual([[], []]);
  });
});

describe("reports", () => {
  test("say where, what is wrong and what to write", () => {
    const source =
      "function forward(x) {\n  const rows = x.size(0);\n  if (rows === 4) return x;\n  return x.relu();\n}";
    expect(checkSource(code(source), { args: [d] }).errors).toEqual([
      {
        construct: "===",
        function: "forward",
        line: 3,
        column: 7,
        code: "rows === 4",
        message: "`rows`: a dynamic size is compared as an object, not by its value",
        fix: "write `guard(sym.eq(rows, 4))`",
      },
    ]);
  });

  test("a place is reported once", () => {
    const { errors } = checkSource(
      code("(x) => { const f = (y) => !y; f(x); f(x); for (const i of [1, 2]) f(x); }"),
      {
        args: [t],
      },
    );
    expect(errors).toHaveLength(1);
  });
});
