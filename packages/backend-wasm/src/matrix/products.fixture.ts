/**
 * @file Runs graphs by the kernels of products and convolutions, and compares them with the
 * evaluator of loops.
 */
import { bindNest, evaluateLoops, type LoopProgram, lowerToLoops } from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { castTensor, type DType, Tensor } from "@sconce/tensor";
import { expect } from "vitest";
import { runLoops } from "../run-loops.fixture.js";
import { windowKernel } from "../windows/code.js";
import { matrixKernel } from "./matrix.js";

/** The code of a product or a convolution. */
const codeOf: typeof matrixKernel = (...given) => windowKernel(...given) ?? matrixKernel(...given);

/** Numbers from a seed, between -1 and 1. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
const tensor = (shape: readonly number[], next: () => number, dtype: DType): Tensor => {
  const count = shape.reduce((product, size) => product * size, 1);
  return Tensor.from(Array.from({ length: count }, next), shape, dtype);
};
/** Names of dtypes in texts of graphs, and the size of their last place. */
const OTHER_DTYPES = {
  float64: ["f64", 2 ** -52],
  float16: ["f16", 2 ** -10],
  bfloat16: ["bf16", 2 ** -7],
} as const;

const lower = (text: string): LoopProgram =>
  lowerToLoops(parseGraph(text), { operators: defaultOperators() });

export interface Check {
  readonly text: string;
  readonly shapes: readonly (readonly number[])[];
  readonly constants?: readonly number[];
  /** Products in one sum. */
  readonly depth: number;
  readonly seed?: number;
  readonly winograd?: 0 | 2 | 4;
  /** In place of float32. */
  readonly dtype?: keyof typeof OTHER_DTYPES;
  /** Whether other kernels may compute it, as they do with small products. */
  readonly isAny?: boolean;
}

/**
 * Runs a graph by matrix kernels and compares it with the evaluator, whose sums are in float64.
 * Returns the count of matrix kernels.
 */
export function check(
  { text, shapes, constants = [], depth, seed = 7, winograd = 0, isAny = false, dtype }: Check,
  relaxed = false,
): number {
  const [name, unit] = dtype === undefined ? ["f32", 2 ** -23] : OTHER_DTYPES[dtype];
  const program = lower(text.replaceAll("f32[", `${name}[`));
  const next = random(seed);
  const inputs = shapes.map((shape) => tensor(shape, next, dtype ?? "float32"));
  let kernels = 0;
  const made = runLoops(program, inputs, (nest, loops, sizes) => {
    const options = { relaxed, isConstant: (buffer: number) => constants.includes(buffer), winograd };
    const code = codeOf(nest, loops, sizes, options);
    if (code !== undefined) kernels++;
    return code;
  });
  if (!isAny) expect(kernels, text).toBeGreaterThan(0);
  const expected = evaluateLoops(program, inputs);
  made.forEach((value, i) => {
    const [ours, theirs] = [value as Tensor, expected[i] as Tensor];
    const [x, y] = [ours, theirs].map((one) => castTensor(one, "float64").data as Float64Array) as [
      Float64Array,
      Float64Array,
    ];
    let worst = 0;
    for (let at = 0; at < y.length; at++) worst = Math.max(worst, Math.abs(x[at]! - y[at]!));
    // Rounding errors of a sum grow with its length, and with the numbers of a transform.
    const growth = winograd === 4 ? 16 : winograd === 2 ? 2 : 1;
    // Halves are rounded once, from sums in float32.
    const factor = dtype === "float16" || dtype === "bfloat16" ? 1 : 6.7;
    expect(worst, text).toBeLessThan(unit * factor * (4 + Math.sqrt(depth)) * growth);
    expect(Number.isNaN(worst)).toBe(false);
  });
  return kernels;
}

/** Returns the first result of a graph by matrix kernels. */
export function matrixResult(
  text: string,
  inputs: readonly (readonly [Float32Array, readonly number[]])[],
): Float32Array {
  const tensors = inputs.map(([data, shape]) => Tensor.fromData(data, "float32", shape));
  const [result] = runLoops(lower(text), tensors, (nest, loops, sizes) =>
    matrixKernel(nest, loops, sizes, { relaxed: false, isConstant: () => false }),
  );
  return (result as Tensor).data as Float32Array;
}

export const mm = (m: number, k: number, n: number): Check => ({
  text: `graph(%a: f32[${m}, ${k}], %b: f32[${k}, ${n}]) {
    %c: f32[${m}, ${n}] = aten.mm.default(%a, %b)
    return (%c,)
  }`,
  shapes: [
    [m, k],
    [k, n],
  ],
  depth: k,
});

export interface Convolution {
  readonly n: number;
  readonly groups: number;
  readonly inPerGroup: number;
  readonly outPerGroup: number;
  readonly size: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly channelsLast?: boolean;
  /** Whether the result has its channels last too. */
  readonly resultLast?: boolean;
  /** Whether it is transposed, and how much larger its result is than the least. */
  readonly transposed?: { readonly outputPadding: number };
}
export function convolution(given: Convolution): Check {
  const {
    n,
    groups,
    inPerGroup,
    outPerGroup,
    size,
    kernel,
    stride,
    padding,
    dilation,
    channelsLast = false,
    resultLast = false,
    transposed,
  } = given;
  const out = size.map((extent, d) => {
    const reach = dilation * (kernel[d]! - 1);
    return transposed === undefined
      ? Math.floor((extent + 2 * padding - reach - 1) / stride) + 1
      : (extent - 1) * stride - 2 * padding + reach + transposed.outputPadding + 1;
  });
  const channels = groups * outPerGroup;
  const input = [n, groups * inPerGroup, ...size];
  const last = [n, ...size, groups * inPerGroup];
  const weight =
    transposed === undefined
      ? [channels, inPerGroup, ...kernel]
      : [groups * inPerGroup, outPerGroup, ...kernel];
  const two = (value: number): string => `[${value}, ${value}]`;
  const image = channelsLast ? last : input;
  const x = channelsLast ? `%t: f32[${input}] = aten.permute.default(%x, [0, 3, 1, 2])` : "";
  const result = `f32[${[n, channels, ...out]}]`;
  const swapped = `f32[${[n, ...out, channels]}]`;
  const moved = resultLast
    ? `%q: ${swapped} = aten.permute.default(%e, [0, 2, 3, 1])
      %z: ${swapped} = aten.clone.default(%q)`
    : "";
  return {
    text: `graph(%x: f32[${image}], %w: f32[${weight}], %b: f32[${channels}]) {
      ${x}
      %c: ${result} = aten.convolution.default(%${x === "" ? "x" : "t"}, %w, %b, ${two(stride)}, ${two(padding)}, ${two(dilation)}, ${transposed !== undefined}, ${two(transposed?.outputPadding ?? 0)}, ${groups})
      %e: ${result} = aten.relu.default(%c)
      ${moved}
      return (%${resultLast ? "z" : "e"},)
    }`.replaceAll(",", ", "),
    shapes: [image, weight, [channels]],
    depth: inPerGroup * kernel[0] * kernel[1],
  };
}

/** Returns the first lines of the texts of kernels. */
export function kernelNames({ text }: Check, winograd: 0 | 2 | 4): string[] {
  const program = lower(text);
  const options = { relaxed: false, isConstant: (buffer: number) => buffer === 1, winograd };
  return program.nests.map(
    (nest) => codeOf(bindNest(nest, new Map()), program, new Map(), options)!.text.split("\n")[0]!,
  );
}
