/**
 * @file Convolutions of each channel by itself. A unit is some rows of the result: the rows of the
 * image that they read are copied between zeros, and some neighboring results share what they read.
 */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { FunctionBuilder, Local, ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode, PreparedBuffer } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type DepthwisePlan, depthwisePlan, spanOf } from "./depthwise-plan.js";
import { planarKernel } from "./depthwise-planar.js";
import { type ImageEpilogue, imageParts } from "./epilogue.js";
import { type Address, countUp, inGroups } from "./index-code.js";
import { multiplyAdd, REGISTERS } from "./micro.js";
import type { MatrixOptions } from "./options.js";
import { ELEMENT } from "./plan.js";

/** How the work is divided. */
interface Bands {
  /** Rows of the result of a unit, and the most rows of the image that they read. */
  readonly rows: number;
  readonly reads: number;
  readonly bands: number;
  /** Elements of a copied row, in pixels. */
  readonly across: number;
  /** Neighboring results that are computed at once. */
  readonly together: number;
}
interface Depthwise {
  readonly plan: DepthwisePlan;
  readonly bands: Bands;
  readonly epilogue: ImageEpilogue | undefined;
  readonly relaxed: boolean;
  readonly scratch: { readonly copy: number; readonly at: number; readonly bytes: number };
}

/** Bytes of a copy that stay in the second cache. */
const COPY_BYTES = 1 << 18;
const LEAST_ROWS = 4;
const MOST_TOGETHER = 4;

/** The code of a convolution; undefined if the nest is another one. */
export function depthwiseKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  { relaxed, isConstant }: MatrixOptions,
): KernelCode | undefined {
  const plan = depthwisePlan(nest, program, sizes);
  if (plan === undefined) return undefined;
  if (!plan.isLast) return planarKernel(plan, program, sizes, relaxed);
  if (plan.channels % 4 > 0 || !isConstant(plan.weight)) return undefined;
  if (program.buffers[nest.output]!.dtype !== "float32") return undefined;
  const bands = bandsOf(plan);
  const { height, width, channels, images } = plan;
  const copyBytes = bands.reads * bands.across * channels * ELEMENT;
  const scratch = { copy: 0, at: copyBytes, bytes: copyBytes + 16 };
  const { epilogue, ...parts } = imageParts(plan, [plan.image], scratch, { program, sizes });
  const whole = { plan, bands, epilogue, relaxed, scratch };
  return {
    ...parts,
    prepared: [weightByPlace(plan)],
    units: images * bands.bands,
    emit: (module, imports) => emitDepthwise(module, imports, parts.memories, whole),
    text:
      `convolution ${height.kernel}x${width.kernel} of each of ${channels} channels, ` +
      `${images} x ${height.out} x ${width.out}\n`,
  };
}

function bandsOf({ height, width, channels }: DepthwisePlan): Bands {
  const across = Math.max(spanOf(width.out, width), width.padding + width.size);
  const rowBytes = across * channels * ELEMENT;
  const shared = (height.kernel - 1) * height.dilation + 1 - height.stride;
  const fitting = Math.floor((COPY_BYTES / rowBytes - shared) / height.stride);
  const most = Math.min(height.out, Math.max(LEAST_ROWS, fitting));
  const bands = Math.ceil(height.out / most);
  const rows = Math.ceil(height.out / bands);
  return {
    rows,
    reads: spanOf(rows, height),
    bands: Math.ceil(height.out / rows),
    across,
    together: togetherOf(width),
  };
}

/** As many as registers hold, with the elements of a row that they read. */
function togetherOf(width: DepthwisePlan["width"]): number {
  for (let count = Math.min(MOST_TOGETHER, width.out); count > 1; count--)
    if (columnsOf(width, count).length + count + 3 <= REGISTERS) return count;
  return 1;
}

/** Places in a row that some neighboring results read. */
function columnsOf({ stride, kernel, dilation }: DepthwisePlan["width"], together: number): number[] {
  const places = new Set<number>();
  for (let i = 0; i < together; i++) for (let k = 0; k < kernel; k++) places.add(i * stride + k * dilation);
  return [...places].sort((a, b) => a - b);
}

/** The weight with its channels last. */
function weightByPlace(plan: DepthwisePlan): PreparedBuffer {
  const { channels, height, width, weightSteps: steps } = plan;
  return {
    buffer: plan.weight,
    bytes: height.kernel * width.kernel * channels * ELEMENT,
    key: `channels last ${channels} x ${height.kernel} x ${width.kernel}: ${Object.values(steps).join()}`,
    emit: (module) =>
      module.func({ params: ["i32", "i32"], name: "prepare_depthwise" }, (f, from, to) => {
        const [c, source] = f.locals("i32", 2) as [Address, Address];
        for (let kh = 0; kh < height.kernel; kh++)
          for (let kw = 0; kw < width.kernel; kw++) {
            const start = (steps.origin + kh * steps.h + kw * steps.w) * ELEMENT;
            f.get(from).i32(start).op("i32.add").set(source).i32(0).set(c);
            countUp(f, c, 1, channels, () => {
              f.get(to, source).memory("f32.load").memory("f32.store");
              f.increase(to, ELEMENT).increase(source, steps.c * ELEMENT);
            });
          }
      }),
  };
}

function emitDepthwise(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  memories: readonly KernelBuffer[],
  whole: Depthwise,
): number {
  const { plan, bands, epilogue } = whole;
  const { height, width, channels } = plan;
  const copy = copyBand(module, whole);
  const row = rowOfResults(module, whole);
  const finish = epilogue?.emit(module, imports);
  return kernelEntry(module, { name: "depthwise", memories, forms: 1 }, (entry) => {
    const { f, addressOf, forms, scratch, first, end } = entry;
    const weight = forms[0]!;
    const [image, start, stop, source, target] = f.locals("i32", 5) as readonly Address[] as [
      Address,
      Address,
      Address,
      Address,
      Address,
    ];
    const [firstRow, endRow] = f.locals("i32", 2) as [Address, Address];
    forUnits(f, first, end, () => {
      f.get(first).i32(bands.bands).op("i32.div_u").set(image);
      f.get(first).i32(bands.bands).op("i32.rem_u").i32(bands.rows).op("i32.mul").tee(start);
      f.i32(bands.rows).op("i32.add").tee(stop).i32(height.out);
      f.get(stop).i32(height.out).op("i32.lt_s", "select").set(stop);
      f.get(addressOf(plan.image), image).i32(height.size * width.size * channels * ELEMENT);
      f.op("i32.mul", "i32.add").get(scratch, start, stop).call(copy);
      f.copy(scratch, source);
      f.get(image).i32(height.out).op("i32.mul").get(start).op("i32.add").i32(width.out).op("i32.mul");
      f.set(firstRow);
      f.get(addressOf(plan.nest.output), firstRow)
        .i32(channels * ELEMENT)
        .op("i32.mul", "i32.add");
      f.set(target);
      countUp(f, start, 1, stop, () => {
        f.get(source, weight, target).call(row);
        f.increase(source, height.stride * bands.across * channels * ELEMENT);
        f.increase(target, width.out * channels * ELEMENT);
        f.get(firstRow).i32(width.out).op("i32.add").set(endRow);
        finish?.(f, { addressOf, scratch, firstRow, endRow });
        f.copy(endRow, firstRow);
      });
    });
  });
}

/** Adds a function `(image, target, start, stop)`: copies what some rows of the result read. */
function copyBand(module: ModuleBuilder, { plan, bands }: Depthwise): number {
  const { height, width, channels } = plan;
  const params = ["i32", "i32", "i32", "i32"] as const;
  return module.func({ params, name: "depthwise_copy" }, (f, image, target, start, stop) => {
    const [row, last] = f.locals("i32", 2) as [Address, Address];
    const pixel = channels * ELEMENT;
    const used = Math.min(width.size, bands.across - width.padding);
    const right = bands.across - width.padding - used;
    const fill = (offset: number, bytes: number): void => {
      if (bytes > 0) f.get(target).i32(offset).op("i32.add").i32(0).i32(bytes).memoryFill();
    };
    f.get(start).i32(height.stride).op("i32.mul").i32(height.padding).op("i32.sub").set(row);
    f.get(stop).i32(1).op("i32.sub").i32(height.stride).op("i32.mul");
    f.i32((height.kernel - 1) * height.dilation + 1 - height.padding)
      .op("i32.add")
      .set(last);
    countUp(f, row, 1, last, () => {
      f.get(row).i32(height.size).op("i32.lt_u");
      f.if(
        () => {
          fill(0, width.padding * pixel);
          f.get(target)
            .i32(width.padding * pixel)
            .op("i32.add");
          f.get(image, row)
            .i32(width.size * pixel)
            .op("i32.mul", "i32.add");
          f.i32(used * pixel).memoryCopy();
          fill((width.padding + used) * pixel, right * pixel);
        },
        () => fill(0, bands.across * pixel),
      );
      f.increase(target, bands.across * pixel);
    });
  });
}

/** Adds a function `(source, weight, target)`: one row of the result. */
function rowOfResults(module: ModuleBuilder, { plan, bands, relaxed }: Depthwise): number {
  const { width, channels } = plan;
  const { together } = bands;
  const params = ["i32", "i32", "i32"] as const;
  return module.func({ params, name: "depthwise_row" }, (f, source, weight, target) => {
    const [place, from, to, factors, end] = f.locals("i32", 5) as readonly Address[] as [
      Address,
      Address,
      Address,
      Address,
      Address,
    ];
    const code = tileCode(f, plan, bands, relaxed);
    f.i32(0).set(place);
    inGroups(f, place, { together, count: width.out }, () => {
      f.get(source, place)
        .i32(width.stride * channels * ELEMENT)
        .op("i32.mul", "i32.add")
        .set(from);
      f.get(target, place)
        .i32(channels * ELEMENT)
        .op("i32.mul", "i32.add")
        .set(to);
      f.copy(weight, factors)
        .get(to)
        .i32(channels * ELEMENT)
        .op("i32.add")
        .set(end);
      countUp(f, to, 16, end, () => {
        code(from, factors, to);
        f.increase(from, 16).increase(factors, 16);
      });
    });
  });
}

/** Code of neighboring results of four channels. */
function tileCode(
  f: FunctionBuilder,
  { height, width, channels }: DepthwisePlan,
  { together, across }: Bands,
  relaxed: boolean,
): (from: Address, factors: Address, to: Address) => void {
  const pixel = channels * ELEMENT;
  const columns = columnsOf(width, together);
  const elements = new Map<number, Local<"v128">>(columns.map((place) => [place, f.local("v128")]));
  const sums = f.locals("v128", together);
  const factor = f.local("v128");
  return (from, factors, to) => {
    for (let kh = 0; kh < height.kernel; kh++) {
      for (const [place, local] of elements)
        f.get(from)
          .memory("v128.load", (kh * height.dilation * across + place) * pixel)
          .set(local);
      for (let kw = 0; kw < width.kernel; kw++) {
        f.get(factors)
          .memory("v128.load", (kh * width.kernel + kw) * pixel)
          .set(factor);
        for (const [i, sum] of sums.entries()) {
          const element = elements.get(i * width.stride + kw * width.dilation)!;
          if (kh + kw === 0) f.get(element, factor).op("f32x4.mul").set(sum);
          else multiplyAdd(f, relaxed, element, factor, sum);
        }
      }
    }
    for (const [i, sum] of sums.entries()) f.get(to, sum).memory("v128.store", i * pixel);
  };
}
