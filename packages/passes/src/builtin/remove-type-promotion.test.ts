import { FakeTensor } from "@sconce/ir";
import { castTensor, DTYPES, type DType, getElement, Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { isDirect, isLossless } from "../shapes/casts.js";
import { convertsItself } from "../shapes/own-casts.js";
import { removeTypePromotion as pass } from "./remove-type-promotion.js";

const graphOf = (body: string, x = "f32[2, 2]"): string => `graph(%x: ${x}, %b_m: f32[2, 2]) {\n${body}\n}`;

describe("remove-type-promotion", () => {
  test("drops conversions that cancel and those to the same dtype, and shortens chains", () => {
    const program = programOf(
      graphOf(`
      %d: f64[2, 2] = aten._to_copy.default(%x, dtype=float64)
      %s: f32[2, 2] = aten._to_copy.default(%d, dtype=float32)
      %t: f32[2, 2] = aten._to_copy.default(%s, dtype=float32)
      %h: f16[2, 2] = aten._to_copy.default(%d, dtype=float16)
      %y: f32[2, 2] = aten.relu.default(%t)
      %z: f16[2, 2] = aten.neg.default(%h)
      return (%y, %z)`),
    );
    expect(textOf(run(pass, program))).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2], %b_m: f32[2, 2]) {
        %d: f64[2, 2] = aten._to_copy.default(%x, dtype=float64)
        %h: f16[2, 2] = aten._to_copy.default(%x, dtype=float16)
        %y: f32[2, 2] = aten.relu.default(%x)
        %z: f16[2, 2] = aten.neg.default(%h)
        return (%y, %z)
      }"
    `);
  });

  test.each([
    ["a conversion that rounds", "f32", "float16", "f16", "float32", "f32"],
    ["a float that may overflow an integer", "f32", "float64", "f64", "int32", "i32"],
    ["an integer that a float cannot hold", "i64", "float64", "f64", "int64", "i64"],
    ["complex numbers", "f32", "complex64", "c64", "float32", "f32"],
  ])("leaves %s alone", (_, x, first, firstType, second, secondType) => {
    const program = programOf(
      graphOf(
        `%a: ${firstType}[2, 2] = aten._to_copy.default(%x, dtype=${first})
        %b: ${secondType}[2, 2] = aten._to_copy.default(%a, dtype=${second})
        %c: ${secondType}[2, 2] = aten.mul.Tensor(%b, %b)
        return (%c)`,
        `${x}[2, 2]`,
      ),
    );
    expect(run(pass, program)).toBe(program);
  });

  test("leaves a copy that lies in memory otherwise", () => {
    const program = programOf(
      graphOf(
        `%a: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)
        %c: f32[2, 2] = aten.neg.default(%a)
        return (%c)`,
        "f32[2, 2]{0, 1}",
      ),
    );
    expect(run(pass, program)).toBe(program);
  });

  test("never hands the caller an input, or one result twice", () => {
    const copy = "%a: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)";
    const program = programOf(graphOf(`${copy}\nreturn (%a)`));
    expect(run(pass, program)).toBe(program);
    const view = programOf(graphOf(`${copy}\n%v: f32[4] = aten.view.default(%a, [4])\nreturn (%v)`));
    expect(run(pass, view)).toBe(view);
    const twice = programOf(
      graphOf(`%n: f32[2, 2] = aten.neg.default(%x)
      %a: f32[2, 2] = aten._to_copy.default(%n, dtype=float32)
      return (%n, %a)`),
    );
    expect(run(pass, twice)).toBe(twice);
    const fresh = programOf(
      graphOf(`%n: f32[2, 2] = aten.neg.default(%x)
      %a: f32[2, 2] = aten._to_copy.default(%n, dtype=float32)
      return (%a)`),
    );
    expect(run(pass, fresh).graphSignature.outputSpecs[0]!.arg.name).toBe("n");
  });

  test("drops conversions that an operator makes itself", () => {
    const program = programOf(
      graphOf(
        `%c: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)
        %d: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)
        %a: f32[2, 2] = aten.add.Tensor(%b_m, %c, alpha=2)
        %l: b8[2, 2] = aten.lt.Tensor(%c, %b_m)
        %w: f32[2, 2] = aten.where.self(%l, %c, %a)
        %m: f32[2, 2] = aten.mul.Tensor(%c, %d)
        %h: f32[2, 2] = aten.atan2.default(%c, %b_m)
        return (%w, %m, %h)`,
        "i64[2, 2]",
      ),
    );
    expect(textOf(run(pass, program))).toMatchInlineSnapshot(`
      "graph(%x: i64[2, 2], %b_m: f32[2, 2]) {
        %c: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)
        %d: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)
        %a: f32[2, 2] = aten.add.Tensor(%b_m, %x, alpha=2)
        %l: b8[2, 2] = aten.lt.Tensor(%x, %b_m)
        %w: f32[2, 2] = aten.where.self(%l, %x, %a)
        %m: f32[2, 2] = aten.mul.Tensor(%x, %d)
        %h: f32[2, 2] = aten.atan2.default(%c, %b_m)
        return (%w, %m, %h)
      }"
    `);
  });

  test.each([
    ["another common dtype", "%o: f32[2, 2] = aten.add.Tensor(%c, %x)"],
    ["a number beside", "%o: f32[2, 2] = aten.add.Tensor(%c, 1.5)"],
  ])("leaves a conversion of an operand: %s", (_, line) => {
    const program = programOf(
      graphOf(`%c: f32[2, 2] = aten._to_copy.default(%x, dtype=float32)\n${line}\nreturn (%o)`, "i64[2, 2]"),
    );
    expect(run(pass, program)).toBe(program);
  });

  test("what an operator converts itself is the same to the bit, over all dtypes", () => {
    const values = [0, -0, 1, -1, 2.5, 100, 255, 300, -129, 65504, 1e10, 16777217, 1 / 3];
    const wide = (list: readonly number[]): Tensor =>
      new Tensor({
        dtype: "float64",
        shape: [list.length],
        storage: new Storage(new Uint8Array(Float64Array.from(list).buffer)),
      });
    const fakeOf = (dtype: DType): FakeTensor => new FakeTensor({ dtype, shape: [13], strides: [1] });
    const read = (tensor: unknown): unknown[] => values.map((_, i) => getElement(tensor as Tensor, [i]));
    let compared = 0;
    for (const from of DTYPES) {
      for (const to of DTYPES.filter((dtype) => convertsItself(fakeOf(from), fakeOf(dtype), fakeOf(dtype)))) {
        const source = castTensor(wide(values), from);
        const other = castTensor(wide(values.map((value, i) => (i % 3 === 0 ? value : 7 - value / 3))), to);
        for (const target of ["add", "sub", "mul", "div", "lt", "eq", "ge"].map(
          (name) => `aten.${name}.Tensor`,
        )) {
          compared++;
          const [long, short] = [castTensor(source, to), source].map((x) =>
            context.evaluate!(target, [x, other], {}),
          );
          expect([target, from, to, read(short)]).toEqual([target, from, to, read(long)]);
        }
      }
    }
    expect(compared).toBeGreaterThan(150);
  });

  test("looks into bodies", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %body = get_attr body
      %w: (f32[2]) = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      %a: f32[2] = operator.getitem(%w, 0)
      return (%a)
      graph body(%z: f32[2]) {
        %c: f32[2] = aten._to_copy.default(%z, dtype=float32)
        %n: f32[2] = aten.neg.default(%c)
        return (%n,)
      }
    }`);
    expect(run(pass, program).graph.subgraphs.get("body")!.has("c")).toBe(false);
  });

  test("every conversion that may be skipped gives the same without, over all dtypes", () => {
    const values = [
      0,
      -0,
      1,
      -1,
      0.5,
      -2.5,
      127,
      128,
      -129,
      255,
      256,
      32767,
      -32768,
      65504,
      65536,
      1e10,
      -1e10,
      3.4e38,
      1e39,
      1e-40,
      6e-8,
      Number.NaN,
      Infinity,
      -Infinity,
      2147483647,
      -2147483648,
      4294967295,
      2 ** 53,
      1 / 3,
    ];
    const bytes = new Uint8Array(Float64Array.from(values).buffer);
    const all = new Tensor({ dtype: "float64", shape: [values.length], storage: new Storage(bytes) });
    let skipped = 0;
    for (const from of DTYPES) {
      const start = castTensor(all, from);
      for (const between of DTYPES) {
        for (const to of DTYPES.filter((dtype) => isDirect(from, between, dtype))) {
          skipped++;
          const [long, short] = [castTensor(castTensor(start, between), to), castTensor(start, to)];
          const read = (tensor: Tensor): unknown[] => values.map((_, i) => getElement(tensor, [i]));
          expect([from, between, to, read(long)]).toEqual([from, between, to, read(short)]);
        }
      }
    }
    expect(skipped).toBeGreaterThan(600);
  });

  test("what is lossless", () => {
    const pairs = [
      ["bool", "int8"],
      ["uint8", "bfloat16"],
      ["int16", "float32"],
      ["int32", "float64"],
      ["bfloat16", "float32"],
      ["float16", "float64"],
    ] as const;
    for (const [from, to] of pairs) expect([from, to, isLossless(from, to)]).toEqual([from, to, true]);
    const lossy = [
      ["int8", "uint8"],
      ["uint8", "int8"],
      ["int16", "float16"],
      ["int32", "float32"],
      ["int64", "float64"],
      ["bfloat16", "float16"],
      ["float16", "bfloat16"],
      ["float32", "int64"],
      ["int8", "bool"],
    ] as const;
    for (const [from, to] of lossy) expect([from, to, isLossless(from, to)]).toEqual([from, to, false]);
    expect(isDirect("int32", "int64", "int8")).toBe(true);
    expect(isDirect("int32", "float64", "int8")).toBe(false);
    expect(isDirect("float32", "float64", "bool")).toBe(true);
  });
});
