import type { Graph } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluateLoops } from "../evaluate/evaluate.js";
import { lowerToLoops } from "../lower/lower.js";
import { blockScans } from "./block-scans.js";

const operators = defaultOperators();
const graphOf = (target: string, shape: readonly (number | string)[], dim: number, dtype = "f32"): Graph => {
  const type = `${dtype}[${shape.join(", ")}]`;
  const total = dtype === "f32" ? type : `i64[${shape.join(", ")}]`;
  if (!target.startsWith("cumm"))
    return parseGraph(`graph(%x: ${type}) {
      %y: ${total} = aten.${target}.default(%x, ${dim})
      return (%y,)
    }`);
  return parseGraph(`graph(%x: ${type}) {
    %y: (${type}, i64[${shape.join(", ")}]) = aten.${target}.default(%x, ${dim})
    %v: ${type} = operator.getitem(%y, 0)
    %p: i64[${shape.join(", ")}] = operator.getitem(%y, 1)
    return (%v, %p)
  }`);
};

let seed = 7;
const next = (): number => {
  seed = (seed * 48271) % 2147483647;
  return seed;
};
/** Whole numbers, of which there are few, so that there are ties and sums are exact. */
const wholes = (shape: readonly number[], special: readonly number[] = []): Tensor => {
  const elements = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => (next() % 9) - 4);
  special.forEach((value, at) => {
    elements[(at * 97 + 70) % elements.length] = value;
  });
  return Tensor.from(elements, shape, "float32");
};

describe.each(["cumsum", "cummax", "cummin"])("%s", (target) => {
  test.each([
    [[363], 0],
    [[400], -1],
    [[1024], 0],
    [[3, 511], 1],
    [[513, 2], 0],
    [[20, 33, 7], -2],
  ] as const)("of %o along %i in blocks is what it was", (shape, dim) => {
    const loops = lowerToLoops(graphOf(target, shape, dim), { operators });
    const blocked = blockScans(loops);
    expect(blocked.nests.length).toBeGreaterThan(loops.nests.length);
    const inputs = [wholes(shape)];
    expect(evaluateLoops(blocked, inputs)).toEqual(evaluateLoops(loops, inputs));
  });

  test("NaN and infinities are kept", () => {
    const loops = lowerToLoops(graphOf(target, [2, 400], 1), { operators });
    const inputs = [wholes([2, 400], [Infinity, -Infinity, -Infinity, Number.NaN, 3, Infinity, Number.NaN])];
    // The sign of a NaN, which the engine chooses, is not compared.
    const values = (nests: typeof loops): unknown[] =>
      (evaluateLoops(nests, inputs) as Tensor[]).map((value) => ({
        dtype: value.dtype,
        shape: value.shape,
        values: [...value.toFloat64Array()],
      }));
    expect(values(blockScans(loops))).toEqual(values(loops));
  });

  test.each([
    [[4096, 32], 1],
    [[362], 0],
  ] as const)("short rows and few of them stay: %o", (shape, dim) => {
    const loops = lowerToLoops(graphOf(target, shape, dim), { operators });
    expect(blockScans(loops)).toBe(loops);
  });
});

test("sizes that depend on data are taken in blocks when they are known", () => {
  const loops = lowerToLoops(graphOf("cumsum", ["s0", 3], 0), { operators });
  expect(blockScans(loops)).toBe(loops);
  expect(blockScans(loops, new Map([["s0", 200]]))).toBe(loops);
  const blocked = blockScans(loops, new Map([["s0", 900]]));
  expect(blocked.nests).toHaveLength(3);
  const inputs = [wholes([900, 3])];
  expect(evaluateLoops(blocked, inputs)).toEqual(evaluateLoops(loops, inputs));
});

test("totals of blocks that are many are taken in blocks again, and an element takes few steps", () => {
  const loops = lowerToLoops(graphOf("cumsum", [60_000], 0), { operators });
  const blocked = blockScans(loops);
  expect(blocked.nests.map(({ axes }) => axes[0]!.extent.constant)).toEqual([3750, 234, 234, 3750, 60_000]);
  const [sums] = evaluateLoops(blocked, [Tensor.from(new Float32Array(60_000).fill(1), [60_000], "float32")]);
  expect((sums as Tensor).data).toEqual(Float32Array.from({ length: 60_000 }, (_, i) => i + 1));
});

test("products of floats stay: a block's may be infinite where the product so far is zero", () => {
  const loops = lowerToLoops(graphOf("cumprod", [400], 0), { operators });
  expect(blockScans(loops)).toBe(loops);
});

test("products of integers are taken in blocks", () => {
  const loops = lowerToLoops(graphOf("cumprod", [400], 0, "i64"), { operators });
  const ones = BigInt64Array.from({ length: 400 }, (_, i) => (i % 57 === 3 ? 2n : i % 2 === 0 ? 1n : -1n));
  const inputs = [Tensor.from(ones, [400], "int64")];
  const blocked = blockScans(loops);
  expect(blocked.nests).toHaveLength(3);
  expect(evaluateLoops(blocked, inputs)).toEqual(evaluateLoops(loops, inputs));
});

test("sums of floats are as accurate as those taken one by one", () => {
  const elements = Float32Array.from({ length: 5000 }, () => (next() % 100_000) / 1e5);
  const loops = blockScans(lowerToLoops(graphOf("cumsum", [5000], 0), { operators }));
  const [made] = evaluateLoops(loops, [Tensor.from(elements, [5000], "float32")]);
  let [exact, plain] = [0, 0];
  let [own, others] = [0, 0];
  elements.forEach((element, i) => {
    exact += element;
    plain = Math.fround(plain + element);
    own = Math.max(own, Math.abs(((made as Tensor).data[i] as number) - exact));
    others = Math.max(others, Math.abs(plain - exact));
  });
  expect(own).toBeLessThan(others);
});

describe("logarithms of sums of exponentials", () => {
  const run = (elements: Float32Array): readonly number[] => {
    const shape = [elements.length];
    const loops = lowerToLoops(graphOf("logcumsumexp", shape, 0), { operators });
    const [made] = evaluateLoops(blockScans(loops), [Tensor.from(elements, shape, "float32")]);
    return (made as Tensor).toArray() as number[];
  };
  const wanted = (elements: Float32Array): number[] => {
    let total = -Infinity;
    return Array.from(elements, (element) => {
      const [low, high] = [Math.min(total, element), Math.max(total, element)];
      total = low === high && !Number.isFinite(low) ? low : high + Math.log1p(Math.exp(low - high));
      return total;
    });
  };
  const agree = (elements: Float32Array): void => {
    const expected = wanted(elements);
    run(elements).forEach((value, i) => {
      if (Number.isFinite(expected[i])) expect(value).toBeCloseTo(expected[i]!, 3);
      else expect(value).toBe(expected[i]);
    });
  };
  test.each([257, 320, 700])("of a row of %i", (length) => {
    agree(Float32Array.from({ length }, () => (next() % 1000) / 100));
  });
  test("that rise and fall by more than exponentials hold", () => {
    agree(Float32Array.from({ length: 600 }, (_, i) => (i < 300 ? i - 500 : 100 - i)));
    agree(Float32Array.from({ length: 600 }, (_, i) => (i < 100 ? -Infinity : i < 300 ? 200 : -300)));
  });
  test("infinities decide, and NaN stays", () => {
    agree(
      Float32Array.from({ length: 500 }, (_, i) =>
        i === 400 ? Infinity : i < 65 ? -Infinity : i < 130 ? 500 : -9,
      ),
    );
    const made = run(Float32Array.from({ length: 400 }, (_, i) => (i === 300 ? Number.NaN : 1)));
    expect(made.findIndex(Number.isNaN)).toBe(300);
    expect(made.slice(300).every(Number.isNaN)).toBe(true);
  });
});
