import { float } from "@sconce/ir";
import { castTensor, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../index.js";

/** Values between -1 and 1 that repeat nothing. */
function values(seed: number, ...shape: number[]): Tensor {
  const count = shape.reduce((n, size) => n * size, 1);
  return Tensor.from(
    Array.from({ length: count }, (_, i) => Math.sin(seed + i * 1.7)),
    shape,
    "float32",
  );
}
const numbers = (value: unknown): readonly number[] => (value as Tensor).toArray() as number[];
const many = (target: string, args: readonly unknown[], kwargs = {}): readonly unknown[] =>
  evaluate(target, args as never, kwargs) as unknown as readonly unknown[];

describe("attention of graphics processors", () => {
  const [q, k, v] = [values(1, 2, 2, 5, 4), values(2, 2, 2, 6, 4), values(3, 2, 2, 6, 4)];
  const mask = values(4, 2, 2, 5, 6);
  const cpu = "aten._scaled_dot_product_flash_attention_for_cpu.default";

  test("flash attention gives what the CPU gives", () => {
    const [out, sums] = many(cpu, [q, k, v, float(0), true], { scale: float(0.3) });
    const results = many("aten._scaled_dot_product_flash_attention.default", [q, k, v, float(0), true], {
      scale: float(0.3),
    });
    expect(numbers(results[0])).toEqual(numbers(out));
    expect(numbers(results[1])).toEqual(numbers(sums));
    expect(results.slice(2, 6)).toEqual([null, null, 5, 6]);
    expect(results.slice(6).map((one) => (one as Tensor).shape)).toEqual([[2], [], [0]]);
  });

  test("efficient attention pads the sums to 32 rows", () => {
    const [out, sums] = many(cpu, [q, k, v, float(0), false], { attn_mask: mask });
    const results = many("aten._scaled_dot_product_efficient_attention.default", [q, k, v, mask, true]);
    expect(numbers(results[0])).toEqual(numbers(out));
    expect((results[1] as Tensor).shape).toEqual([2, 2, 32]);
    expect(numbers(results[1]).slice(0, 6)).toEqual([...numbers(sums).slice(0, 5), Infinity]);
    const [, none] = many("aten._scaled_dot_product_efficient_attention.default", [q, k, v, null, false]);
    expect((none as Tensor).shape).toEqual([2, 2, 0]);
  });

  test("cuDNN's has a column of sums", () => {
    const [out, sums] = many(cpu, [q, k, v, float(0), false], { attn_mask: mask });
    const results = many("aten._scaled_dot_product_cudnn_attention.default", [q, k, v, mask, true]);
    expect(numbers(results[0])).toEqual(numbers(out));
    expect((results[1] as Tensor).shape).toEqual([2, 2, 5, 1]);
    expect(numbers(results[1])).toEqual(numbers(sums));
    expect(results.slice(2, 6)).toEqual([null, null, 5, 6]);
  });

  test("dropout is refused", () => {
    expect(() => many("aten._scaled_dot_product_flash_attention.default", [q, k, v, float(0.5)])).toThrow(
      "draws from the generator of a graphics processor",
    );
  });
});

describe("fused steps of recurrent layers", () => {
  const [x, h, c] = [values(1, 2, 3), values(2, 2, 4), values(3, 2, 4)];
  const product = (input: Tensor, weight: Tensor): Tensor =>
    evaluate("aten.linear.default", [input, weight] as never) as Tensor;

  test("an LSTM gives the states of the plain step, and the activated gates", () => {
    const [wx, wh, bx, bh] = [values(4, 16, 3), values(5, 16, 4), values(6, 16), values(7, 16)];
    const states = many("aten.lstm_cell.default", [x, [h, c], wx, wh, bx, bh]).map(numbers);
    const [hidden, memory, gates] = many("aten._thnn_fused_lstm_cell.default", [
      product(x, wx),
      product(h, wh),
      c,
      bx,
      bh,
    ]);
    for (const [at, one] of [hidden, memory].entries())
      for (const [i, value] of numbers(one).entries()) expect(value).toBeCloseTo(states[at]![i]!, 6);
    expect((gates as Tensor).shape).toEqual([2, 16]);
  });

  test("a GRU gives the state of the plain step", () => {
    const [wx, wh, bx, bh] = [values(4, 12, 3), values(5, 12, 4), values(6, 12), values(7, 12)];
    const state = numbers(evaluate("aten.gru_cell.default", [x, h, wx, wh, bx, bh] as never));
    const [hidden, kept] = many("aten._thnn_fused_gru_cell.default", [
      product(x, wx),
      product(h, wh),
      h,
      bx,
      bh,
    ]);
    for (const [i, value] of numbers(hidden).entries()) expect(value).toBeCloseTo(state[i]!, 6);
    expect((kept as Tensor).shape).toEqual([2, 20]);
  });
});

test("products of halves in float32 are those of the halves as float32", () => {
  const [a, b] = [values(1, 2, 3), values(2, 3, 2)].map((one) => castTensor(one, "bfloat16"));
  const wide = [a!, b!].map((one) => castTensor(one, "float32"));
  const got = evaluate("aten.mm.dtype", [a, b, { kind: "dtype", dtype: "float32" }] as never) as Tensor;
  expect(got.dtype).toBe("float32");
  expect(numbers(got)).toEqual(numbers(evaluate("aten.mm.default", wide as never)));
  expect(() => evaluate("aten.mm.dtype", [...wide, { kind: "dtype", dtype: "float16" }] as never)).toThrow(
    "out_dtype must be the same as input dtype",
  );
});
