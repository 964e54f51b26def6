/**
 * @file Convolutions of each channel by itself, where a channel of an image is a plane. A unit is a
 * plane: it is copied between zeros, and neighboring results of a row are vectors. Images with
 * their channels last have windows (`../windows`): there vectors hold channels, which need no copy.
 */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type Expression, type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type DepthwisePlan, depthwisePlan, spanOf } from "./depthwise-plan.js";
import { type ImageEpilogue, imageParts } from "./epilogue.js";
import type { Address } from "./index-code.js";
import { multiplyAdd } from "./micro.js";
import type { MatrixOptions } from "./options.js";
import { writePadded } from "./pad-code.js";
import { ELEMENT } from "./product-plan.js";

/** Vectors of results that are computed at once. */
const VECTORS = 4;
const LANES = 4;

interface Planes {
  readonly plan: DepthwisePlan;
  readonly relaxed: boolean;
  readonly epilogue: ImageEpilogue | undefined;
  /** Rows of the copy, and elements of each. */
  readonly down: number;
  readonly across: number;
}

/**
 * Returns the code of a convolution; undefined if the nest is another one, or not worth vectors.
 */
export function depthwiseKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  { relaxed }: MatrixOptions,
): KernelCode | undefined {
  const plan = depthwisePlan(nest, program, sizes);
  if (plan === undefined || program.buffers[nest.output]!.dtype !== "float32") return undefined;
  const { height, width, channels, images } = plan;
  if (width.out < LANES || width.stride > 2) return undefined;
  const [down, across] = [height, width].map((one) =>
    Math.max(spanOf(one.out, one), one.padding + one.size),
  ) as [number, number];
  // Vectors of strided elements read beyond the last one.
  const copy = Math.ceil((down * across * ELEMENT) / 16) * 16 + 32;
  const scratch = { at: copy, bytes: copy + 16 };
  const { epilogue, ...parts } = imageParts(plan, [plan.image, plan.weight], scratch, { program, sizes });
  const whole = { plan, relaxed, epilogue, down, across };
  return {
    ...parts,
    units: images * channels,
    emit: (module, imports) => emitPlanes(module, imports, parts.memories, whole),
    text:
      `convolution ${height.kernel}x${width.kernel} of each of ${channels} planes, ` +
      `${images} x ${height.out} x ${width.out}\n`,
  };
}

function emitPlanes(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  memories: readonly KernelBuffer[],
  whole: Planes,
): number {
  const { plan, epilogue, across } = whole;
  const { height, width, channels, weightSteps } = plan;
  const copy = copyPlane(module, whole);
  const row = rowOfPlane(module, whole);
  const finish = epilogue?.emit(module, imports);
  return kernelEntry(module, { name: "depthwise_planes", memories }, (entry) => {
    const { f, addressOf, scratch, first, end } = entry;
    forUnits(f, first, end, () => {
      const plane = i32(first).times(height.size * width.size * ELEMENT);
      f.put(i32(addressOf(plan.image)).plus(plane), scratch).call(copy);
      const channel = i32(first)
        .rest(channels)
        .times(weightSteps.c * ELEMENT);
      const weight = f.let(channel.plus(weightSteps.origin * ELEMENT).plus(addressOf(plan.weight)));
      const firstRow = f.let(i32(first).times(height.out));
      const endRow = f.let(i32(firstRow).plus(height.out));
      const to = f.let(i32(addressOf(plan.nest.output)).plus(i32(firstRow).times(width.out * ELEMENT)));
      const from = f.let(scratch);
      f.countUp(f.let(0), height.out, () => {
        f.get(from, weight, to).call(row);
        f.increase(from, height.stride * across * ELEMENT).increase(to, width.out * ELEMENT);
      });
      finish?.(f, { addressOf, scratch, firstRow, endRow });
    });
  });
}

/** Adds a function `(plane, target)`: copies a plane between zeros. */
function copyPlane(module: ModuleBuilder, { plan, down, across }: Planes): number {
  const { height, width } = plan;
  return module.func({ params: ["i32", "i32"], name: "depthwise_plane" }, (f, plane, target) => {
    const dims = [
      { size: down, first: height.padding, count: height.size, step: width.size },
      { size: across, first: width.padding, count: width.size, step: 1 },
    ];
    writePadded(f, { dims, length: down * across }, plane, target);
  });
}

/** Adds a function `(source, weight, target)`: one row of results. */
function rowOfPlane(module: ModuleBuilder, whole: Planes): number {
  const { width } = whole.plan;
  const vectors = Math.min(VECTORS, Math.floor(width.out / LANES));
  const together = vectors * LANES;
  const params = ["i32", "i32", "i32"] as const;
  return module.func({ params, name: "depthwise_line" }, (f, source, weight, target) => {
    const code = vectorsOfRow(f, whole, vectors);
    const place = f.let(0);
    const last = width.out - together;
    f.loop((again) => {
      const from = f.let(i32(source).plus(i32(place).times(width.stride * ELEMENT)));
      code(from, weight, i32(target).plus(i32(place).times(ELEMENT)));
      f.put(i32(place).is("lt_s", last));
      // The last vectors overlap those before them.
      f.if(() => f.assign(place, i32(place).plus(together).least(last)).br(again));
    });
  });
}

const EVEN = [0, 2, 4, 6];

function vectorsOfRow(
  f: FunctionBuilder,
  { plan, across, relaxed }: Planes,
  vectors: number,
): (from: Address, weight: Address, target: Expression) => void {
  const { height, width, weightSteps } = plan;
  const sums = f.locals("v128", vectors);
  const [factor, element] = f.locals("v128", 2);
  const load = (from: Address, place: number): void => {
    f.get(from).memory("v128.load", place * ELEMENT);
    if (width.stride === 2)
      f.get(from)
        .memory("v128.load", (place + LANES) * ELEMENT)
        .shuffle(EVEN);
    f.set(element);
  };
  return (from, weight, target) => {
    for (let kh = 0; kh < height.kernel; kh++)
      for (let kw = 0; kw < width.kernel; kw++) {
        f.get(weight);
        f.memory("v128.load32_splat", (kh * weightSteps.h + kw * weightSteps.w) * ELEMENT).set(factor);
        for (const [i, sum] of sums.entries()) {
          const column = i * LANES * width.stride + kw * width.dilation;
          load(from, kh * height.dilation * across + column);
          if (kh + kw === 0) f.get(element, factor).op("f32x4.mul").set(sum);
          else multiplyAdd(f, relaxed, element, factor, sum);
        }
      }
    const at = f.let(target);
    for (const [i, sum] of sums.entries()) f.get(at, sum).memory("v128.store", 16 * i);
  };
}
