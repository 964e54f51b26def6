/**
 * @file Convolutions of each channel by itself, where a channel of an image is a plane. A unit is a
 * plane: it is copied between zeros, and neighboring results of a row are vectors.
 */
import type { LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { FunctionBuilder, ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type DepthwisePlan, spanOf } from "./depthwise-plan.js";
import { type ImageEpilogue, imageParts } from "./epilogue.js";
import { type Address, countUp, inGroups } from "./index-code.js";
import { multiplyAdd } from "./micro.js";
import { writePadded } from "./pad-code.js";
import { ELEMENT } from "./plan.js";

/** Vectors of results that are computed at once. */
const VECTORS = 4;
const LANES = 4;

interface Planar {
  readonly plan: DepthwisePlan;
  readonly relaxed: boolean;
  readonly epilogue: ImageEpilogue | undefined;
  /** Rows of the copy, and elements of each. */
  readonly down: number;
  readonly across: number;
  readonly scratch: { readonly at: number; readonly bytes: number };
}

/** The code of a convolution; undefined for strides and widths that are not worth vectors. */
export function planarKernel(
  plan: DepthwisePlan,
  program: LoopProgram,
  sizes: Bindings,
  relaxed: boolean,
): KernelCode | undefined {
  const { nest, height, width, channels, images } = plan;
  if (width.out < LANES || width.stride > 2 || program.buffers[nest.output]!.dtype !== "float32")
    return undefined;
  const [down, across] = [height, width].map((one) =>
    Math.max(spanOf(one.out, one), one.padding + one.size),
  ) as [number, number];
  // Vectors of strided elements read beyond the last one.
  const copy = Math.ceil((down * across * ELEMENT) / 16) * 16 + 32;
  const scratch = { at: copy, bytes: copy + 16 };
  const { epilogue, ...parts } = imageParts(plan, [plan.image, plan.weight], scratch, { program, sizes });
  const whole = { plan, relaxed, epilogue, down, across, scratch };
  return {
    ...parts,
    units: images * channels,
    emit: (module, imports) => emitPlanar(module, imports, parts.memories, whole),
    text:
      `convolution ${height.kernel}x${width.kernel} of each of ${channels} planes, ` +
      `${images} x ${height.out} x ${width.out}\n`,
  };
}

function emitPlanar(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  memories: readonly KernelBuffer[],
  whole: Planar,
): number {
  const { plan, epilogue, across } = whole;
  const { height, width, channels, weightSteps } = plan;
  const copy = copyPlane(module, whole);
  const row = rowOfPlane(module, whole);
  const finish = epilogue?.emit(module, imports);
  return kernelEntry(module, { name: "depthwise_planes", memories }, (entry) => {
    const { f, addressOf, scratch, first, end } = entry;
    const [weight, from, to, line] = f.locals("i32", 4) as readonly Address[] as [
      Address,
      Address,
      Address,
      Address,
    ];
    const [firstRow, endRow] = f.locals("i32", 2) as [Address, Address];
    forUnits(f, first, end, () => {
      f.get(addressOf(plan.image), first).i32(height.size * width.size * ELEMENT);
      f.op("i32.mul", "i32.add").get(scratch).call(copy);
      f.get(first)
        .i32(channels)
        .op("i32.rem_u")
        .i32(weightSteps.c * ELEMENT)
        .op("i32.mul");
      f.i32(weightSteps.origin * ELEMENT)
        .op("i32.add")
        .get(addressOf(plan.weight))
        .op("i32.add");
      f.set(weight);
      f.get(first).i32(height.out).op("i32.mul").tee(firstRow).i32(height.out).op("i32.add").set(endRow);
      f.get(addressOf(plan.nest.output), firstRow)
        .i32(width.out * ELEMENT)
        .op("i32.mul", "i32.add");
      f.set(to).copy(scratch, from).i32(0).set(line);
      countUp(f, line, 1, height.out, () => {
        f.get(from, weight, to).call(row);
        f.increase(from, height.stride * across * ELEMENT).increase(to, width.out * ELEMENT);
      });
      finish?.(f, { addressOf, scratch, firstRow, endRow });
    });
  });
}

/** Adds a function `(plane, target)`: copies a plane between zeros. */
function copyPlane(module: ModuleBuilder, { plan, down, across }: Planar): number {
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
function rowOfPlane(module: ModuleBuilder, whole: Planar): number {
  const { width } = whole.plan;
  const vectors = Math.min(VECTORS, Math.floor(width.out / LANES));
  const together = vectors * LANES;
  return module.func(
    { params: ["i32", "i32", "i32"], name: "depthwise_line" },
    (f, source, weight, target) => {
      const [place, from] = f.locals("i32", 2) as [Address, Address];
      const code = vectorsOfRow(f, whole, vectors);
      inGroups(f, place, { together, count: width.out }, () => {
        f.get(source, place)
          .i32(width.stride * ELEMENT)
          .op("i32.mul", "i32.add")
          .set(from);
        code(from, weight, () => f.get(target, place).i32(ELEMENT).op("i32.mul", "i32.add"));
      });
    },
  );
}

const EVEN = [0, 2, 4, 6].flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));

function vectorsOfRow(
  f: FunctionBuilder,
  { plan, across, relaxed }: Planar,
  vectors: number,
): (from: Address, weight: Address, pushTarget: () => void) => void {
  const { height, width, weightSteps } = plan;
  const sums = f.locals("v128", vectors);
  const [factor, element] = [f.local("v128"), f.local("v128")];
  const load = (from: Address, place: number): void => {
    f.get(from).memory("v128.load", place * ELEMENT);
    if (width.stride === 2)
      f.get(from)
        .memory("v128.load", (place + LANES) * ELEMENT)
        .shuffle(EVEN);
    f.set(element);
  };
  return (from, weight, pushTarget) => {
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
    const at = f.local("i32");
    pushTarget();
    f.set(at);
    for (const [i, sum] of sums.entries()) f.get(at, sum).memory("v128.store", 16 * i);
  };
}
