import { evaluateLoops, type LoopProgram, lowerToLoops } from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { detectFeatures } from "@sconce/wasm";
import { describe, expect, test } from "vitest";
import { runLoops } from "../run-loops.fixture.js";
import { windowKernel } from "./code.js";

/** Numbers from a seed, between -1 and 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** The loops of a graph, all its four-dimensional values channels-last. */
function lower(text: string, values: readonly string[]): LoopProgram {
  const layouts = new Map(values.map((name) => [name, [0, 2, 3, 1]]));
  return lowerToLoops(parseGraph(text), { operators: defaultOperators(), layouts });
}

interface Check {
  readonly text: string;
  readonly shapes: readonly (readonly number[])[];
  /** Values that lie channels-last. */
  readonly values: readonly string[];
  readonly windows?: number;
  readonly change?: (inputs: readonly Tensor[]) => void;
  readonly relaxed?: boolean;
  readonly isConstant?: boolean;
}

/** Runs a graph by window kernels, and compares with the evaluator, whose sums are in float64. */
function check({
  text,
  shapes,
  values,
  windows = 1,
  change,
  relaxed = false,
  isConstant = true,
}: Check): void {
  const program = lower(text, values);
  const next = random(3);
  const inputs = shapes.map((shape) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return Tensor.from(Array.from({ length: count }, next), shape, "float32");
  });
  change?.(inputs);
  let kernels = 0;
  const weights = new Set(program.inputs.filter((id) => program.buffers[id!]!.shape[1]?.constant === 1));
  const made = runLoops(program, inputs, (nest, loops, sizes) => {
    const code = windowKernel(nest, loops, sizes, {
      relaxed,
      isConstant: (buffer) => isConstant && weights.has(buffer),
    });
    if (code !== undefined) kernels++;
    return code;
  });
  expect(kernels, text).toBe(windows);
  evaluateLoops(program, inputs).forEach((value, i) => {
    const [x, y] = [(made[i] as Tensor).data as Float32Array, (value as Tensor).data as Float32Array];
    expect(x.length).toBe(y.length);
    for (let at = 0; at < y.length; at++) {
      const isNear = Object.is(x[at], y[at]) || Math.abs(x[at]! - y[at]!) <= 2e-6;
      if (!isNear) expect([at, x[at]]).toEqual([at, y[at]]);
    }
  });
}

interface Depthwise {
  readonly batch?: number;
  readonly channels: number;
  readonly size: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly stride?: number;
  readonly padding?: readonly [number, number];
  readonly dilation?: number;
}

/** A depthwise convolution of an image that lies channels-last, with what follows it. */
function depthwise(
  { batch = 1, channels, size, kernel, stride = 1, padding = [0, 0], dilation = 1 }: Depthwise,
  end = "relu",
): Check {
  const out = size.map(
    (extent, d) => Math.floor((extent + 2 * padding[d]! - dilation * (kernel[d]! - 1) - 1) / stride) + 1,
  );
  const [image, result] = [size, out].map((each) => `f32[${batch}, ${channels}, ${each.join(", ")}]`);
  const ends: Record<string, string> = {
    relu: `%r: ${result} = aten.relu.default(%c)`,
    relu6: `%r: ${result} = aten.hardtanh.default(%c, 0.0, 6.0)`,
    hardswish: `%r: ${result} = aten.hardswish.default(%c)`,
    residual: `%r: ${result} = aten.add.Tensor(%c, %e)`,
    none: `%r: ${result} = aten.neg.default(%c)`,
    silu: `%r: ${result} = aten.silu.default(%c)`,
  };
  return {
    text: `graph(%x: ${image}, %w: f32[${channels}, 1, ${kernel.join(", ")}], %b: f32[${channels}]) {
      %e: ${image} = aten.exp.default(%x)
      %c: ${result} = aten.convolution.default(%e, %w, %b, [${stride}, ${stride}], [${padding.join(", ")}], [${dilation}, ${dilation}], false, [0, 0], ${channels})
      ${ends[end]}
      %s: f32[${batch}, ${out.join(", ")}, ${channels}] = aten.permute.default(%r, [0, 2, 3, 1])
      return (%s,)
    }`,
    shapes: [[batch, channels, ...size], [channels, 1, ...kernel], [channels]],
    values: ["e", "c", "r"],
  };
}

const SAME: Depthwise = { channels: 8, size: [9, 11], kernel: [3, 3], padding: [1, 1] };

describe("depthwise convolutions", () => {
  test.each<[string, Depthwise]>([
    ["3x3", SAME],
    ["without padding", { ...SAME, padding: [0, 0] }],
    ["stride 2", { ...SAME, stride: 2 }],
    ["stride 2, even sizes", { ...SAME, size: [8, 12], stride: 2 }],
    ["5x5", { ...SAME, kernel: [5, 5], padding: [2, 2] }],
    ["5x5 of 3x3 pixels", { ...SAME, size: [3, 3], kernel: [5, 5], padding: [2, 2] }],
    ["dilation", { ...SAME, dilation: 2, padding: [2, 2] }],
    ["dilation, stride and much padding", { ...SAME, dilation: 3, stride: 2, padding: [4, 3] }],
    ["channels that fill no vector", { ...SAME, channels: 7 }],
    ["channels of several blocks and a rest", { ...SAME, channels: 38, size: [5, 6] }],
    ["one channel more than a vector", { ...SAME, channels: 5 }],
    ["several images", { ...SAME, batch: 3, size: [4, 5] }],
    ["a row of the window", { ...SAME, kernel: [1, 3], padding: [0, 1] }],
    ["a column of the window", { ...SAME, kernel: [3, 1], padding: [1, 0] }],
    ["a wide window", { ...SAME, kernel: [2, 10], size: [4, 13], padding: [0, 4] }],
    ["many pixels at the edges", { ...SAME, size: [5, 90], dilation: 40, padding: [40, 40] }],
    ["padding along one tap", { ...SAME, kernel: [3, 1], padding: [1, 2], size: [7, 6] }],
    ["padding along one row", { ...SAME, kernel: [1, 3], padding: [2, 1], size: [7, 6] }],
    ["one pixel", { ...SAME, size: [1, 1] }],
  ])("%s", (_, shape) => {
    const [rows, columns] = shape.kernel;
    const isPixel = shape.size[0] === 1;
    // Loads of one tap, and weights like those of an image, are left to other kernels.
    check({ ...depthwise(shape), windows: isPixel ? 0 : 1 });
    if (rows === 3 && columns === 3)
      check({ ...depthwise(shape), isConstant: false, windows: isPixel ? 0 : 1 });
    // A value of more than vector instructions follows the sums of a row.
    check({ ...depthwise(shape, "silu"), windows: isPixel ? 0 : 1 });
  });

  test.each(["relu6", "hardswish", "residual", "none"])("with %s", (end) => {
    check(depthwise(SAME, end));
  });

  test("what follows the sums of a row, with weights that change", () => {
    check({ ...depthwise({ ...SAME, batch: 2 }, "silu"), isConstant: false });
  });

  test("with relaxed arithmetic, where the engine has it", () => {
    check({ ...depthwise(SAME), relaxed: detectFeatures().relaxed });
  });
});

const pool = (call: string, channels = 8): Check => ({
  text: `graph(%x: f32[2, ${channels}, 7, 9]) {
    %x1: f32[2, ${channels}, 7, 9] = aten.neg.default(%x)
    %x2: f32[2, ${channels}, 7, 9] = aten.neg.default(%x1)
    %x3: f32[2, ${channels}, 7, 9] = aten.neg.default(%x2)
    %e: f32[2, ${channels}, 7, 9] = aten.neg.default(%x3)
    ${call}
    %s: f32[2, 4, 5, ${channels}] = aten.permute.default(%r, [0, 2, 3, 1])
    return (%s,)
  }`,
  shapes: [[2, channels, 7, 9]],
  values: ["e", "m", "r"],
});
const max = (channels: number): string =>
  `%m: (f32[2, ${channels}, 4, 5], i64[2, ${channels}, 4, 5]) = aten.max_pool2d_with_indices.default(%e, [3, 3], [2, 2], [1, 1])
    %r: f32[2, ${channels}, 4, 5] = operator.getitem(%m, 0)`;

describe("pools", () => {
  test.each([4, 8, 19])("the greatest of %i channels", (channels) => {
    check(pool(max(channels), channels));
  });

  test("NaN and infinities stay", () => {
    check({
      ...pool(max(8)),
      change: ([x]) => {
        const data = x!.data as Float32Array;
        for (let i = 0; i < data.length; i += 23) data[i] = [Number.NaN, Infinity, -Infinity][i % 3]!;
        data.fill(Infinity, 200, 330);
      },
    });
  });

  test("averages", () => {
    check(pool("%r: f32[2, 8, 4, 5] = aten.avg_pool2d.default(%e, [3, 3], [2, 2], [1, 1])"));
    check(pool("%r: f32[2, 8, 4, 5] = aten.avg_pool2d.default(%e, [4, 5], [1, 1])"));
  });

  test("the mean of all pixels", () => {
    const { text, ...rest } = pool(max(8));
    const mean = text.replace(
      "%s: f32[2, 4, 5, 8] = aten.permute.default(%r, [0, 2, 3, 1])",
      "%s: f32[2, 8] = aten.mean.dim(%r, [2, 3])",
    );
    check({ ...rest, text: mean, windows: 2 });
  });
});

test("a relu of -0 is 0", () => {
  check({
    ...depthwise(SAME),
    change: ([x, w]) => {
      (x!.data as Float32Array).fill(-Infinity);
      (w!.data as Float32Array).fill(-1);
    },
  });
});
