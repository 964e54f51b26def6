/** @file Functions that compute pixels: four channels at once. */
import type { FunctionBuilder, Local, ModuleBuilder } from "@sconce/wasm";
import type { SharedFunctions } from "../emit/core/shared-functions.js";
import { Helpers } from "../emit/helpers.js";
import { HoistedConstants } from "../emit/vector/constants.js";
import { type Vector, VectorWriter } from "../emit/vector/lines.js";
import type { Address } from "../matrix/index-code.js";
import { multiplyAdd } from "../matrix/micro.js";
import { ELEMENT } from "../matrix/product-plan.js";
import type { WindowEpilogue } from "./epilogue.js";
import type { WindowPlan } from "./window-plan.js";

/** Floats, and bytes, of a vector. */
export const LANES = 4;
export const VECTOR = 16;

/** Everything that code is written from. */
export interface Windows {
  readonly plan: WindowPlan;
  readonly epilogue: WindowEpilogue;
  /** Whether one instruction may multiply and add. */
  readonly relaxed: boolean;
  /** Floats from one tap of the weights to the next. */
  readonly padded: number;
  /** Pixels of a row whose whole windows lie in the image. */
  readonly inside: { readonly start: number; readonly end: number };
}

/** Vectors that windows are reduced into: pixels, or channels of one pixel. */
interface Sums {
  readonly total: readonly Local<"v128">[];
  /** Where a maximum has seen NaN. */
  readonly nan: readonly Local<"v128">[];
}

/** What both functions have: parameters, and locals that hold constants. */
class PixelWriter {
  readonly f: FunctionBuilder;
  readonly windows: Windows;
  readonly image: Address;
  readonly weight: Address;
  readonly output: Address;
  readonly rows: Address;
  readonly columns: Address;
  readonly loads: readonly Address[];
  readonly #vectors: VectorWriter;
  readonly #start: Vector;
  readonly #scratch: Local<"v128">;

  constructor(f: FunctionBuilder, functions: SharedFunctions, windows: Windows, given: Parameters) {
    this.f = f;
    this.windows = windows;
    [this.image, this.weight, this.output, this.rows, this.columns, ...this.loads] = given;
    // Engines build a constant again in each iteration.
    const start = this.isMax ? Number.NEGATIVE_INFINITY : 0;
    const constants = HoistedConstants.of(f, [...windows.epilogue.constants, start]);
    this.#vectors = new VectorWriter(f, functions, constants.get);
    this.#start = this.#vectors.number(start);
    this.#scratch = f.local("v128");
  }
  get isMax(): boolean {
    return this.windows.plan.reduce.reduce === "max";
  }

  sums(count: number): Sums {
    return { total: this.f.locals("v128", count), nan: this.isMax ? this.f.locals("v128", count) : [] };
  }
  clear({ total, nan }: Sums): void {
    for (const local of total) {
      this.#start();
      this.f.set(local);
    }
    for (const local of nan) this.f.i32x4(0).set(local);
  }

  /** Adds a tap to a sum, whose element is in a local. */
  take({ total, nan }: Sums, at: number, element: Local<"v128">, weight: Local<"v128"> | undefined): void {
    const { f } = this;
    const sum = total[at]!;
    if (this.isMax) {
      f.get(sum, element).op("f32x4.pmax").set(sum);
      f.get(nan[at]!, element, element).op("f32x4.ne", "v128.or").set(nan[at]!);
    } else if (weight === undefined) f.get(sum, element).op("f32x4.add").set(sum);
    else multiplyAdd(f, this.windows.relaxed, element, weight, sum);
  }

  /** Computes the rest of the nest from a sum, and stores channels of it. */
  finish({ total, nan }: Sums, at: number, pixel: number, offset: number, lanes: number): void {
    const { f, windows, loads } = this;
    const { epilogue, plan } = windows;
    const sum = total[at]!;
    if (nan.length > 0) f.f32x4(Number.NaN).get(sum, nan[at]!).op("v128.bitselect").set(sum);
    const to = pixel * plan.channels * ELEMENT + offset;
    const load = (i: number): Vector => {
      const { column, channel } = epilogue.loads[i]!;
      const from = pixel * column * ELEMENT + channel * offset;
      return () => void f.get(loads[i]!).memory(channel === 1 ? "v128.load" : "v128.load32_splat", from);
    };
    const value = epilogue.write(this.#vectors, () => void f.get(sum), load);
    if (lanes === LANES) {
      f.get(this.output);
      value();
      f.memory("v128.store", to);
      return;
    }
    value();
    f.set(this.#scratch);
    if (lanes >= 2) f.get(this.output, this.#scratch).memoryLane("v128.store64_lane", 0, to);
    if (lanes === 1) f.get(this.output, this.#scratch).memoryLane("v128.store32_lane", 0, to);
    if (lanes === 3) f.get(this.output, this.#scratch).memoryLane("v128.store32_lane", 2, to + 2 * ELEMENT);
  }

  /** Moves all addresses to further channels. */
  skip(bytes: number): void {
    this.f.increase(this.image, bytes).increase(this.output, bytes);
    if (this.windows.plan.weight !== undefined) this.f.increase(this.weight, bytes);
    for (const [i, { channel }] of this.windows.epilogue.loads.entries())
      if (channel === 1) this.f.increase(this.loads[i]!, bytes);
  }

  /** Runs a body over blocks of channels, and moves from one to the next. */
  blocks(count: number, vectors: number, body: () => void): void {
    if (count === 0) return;
    this.f.countDown(this.f.let(count), () => {
      body();
      this.skip(vectors * VECTOR);
    });
  }

  /** Runs a body for a count in a local; not at all for zero. */
  count(from: Address, body: () => void): void {
    const left = this.f.let(from);
    // V8 of Node 20 keeps sums in registers only if the loop is inside of a branch.
    this.f.get(left).if(() => this.f.countDown(left, body));
  }
}

const parametersOf = ({ epilogue }: Windows) =>
  ["i32", "i32", "i32", "i32", "i32", ...epilogue.loads.map(() => "i32" as const)] as const;
type Parameters = readonly [Address, Address, Address, Address, Address, ...Address[]];

/** Adds a function that computes consecutive pixels whose whole windows lie in the image. */
export function pixelsInside(module: ModuleBuilder, windows: Windows, pixels: number): number {
  const { plan } = windows;
  return module.func({ params: parametersOf(windows), name: `pixels_${pixels}` }, (f, ...given) => {
    const writer = new PixelWriter(f, new Helpers(module, new Map()), windows, given);
    const sums = writer.sums(pixels);
    const row = unrolledRow(writer, sums, pixels);
    const block = (lanes: number): void => {
      writer.clear(sums);
      row();
      for (let pixel = 0; pixel < pixels; pixel++) writer.finish(sums, pixel, pixel, 0, lanes);
    };
    writer.blocks(Math.floor(plan.channels / LANES), 1, () => block(LANES));
    if (plan.channels % LANES > 0) block(plan.channels % LANES);
  });
}

/**
 * Returns what writes the loop over the rows of windows; elements that pixels share are read once.
 */
function unrolledRow(writer: PixelWriter, sums: Sums, pixels: number): () => void {
  const { f, windows } = writer;
  const { image, size, weight: hasWeight } = windows.plan;
  const [from, weights] = f.locals("i32", 2);
  const weight = hasWeight === undefined ? undefined : f.local("v128");
  const elements = new Map<number, Local<"v128">>();
  const elementAt = (offset: number): Local<"v128"> => {
    const known = elements.get(offset) ?? f.local("v128");
    elements.set(offset, known);
    return known;
  };
  return () => {
    f.copy(writer.image, from).copy(writer.weight, weights);
    writer.count(writer.rows, () => {
      const read = new Set<number>();
      for (let tap = 0; tap < size[1]; tap++) {
        if (weight !== undefined)
          f.get(weights)
            .memory("v128.load", tap * windows.padded * ELEMENT)
            .set(weight);
        for (let pixel = 0; pixel < pixels; pixel++) {
          const offset = (pixel * image.column + tap * image.taps[1]) * ELEMENT;
          const element = elementAt(offset);
          if (!read.has(offset)) f.get(from).memory("v128.load", offset).set(element);
          read.add(offset);
          writer.take(sums, pixel, element, weight);
        }
      }
      f.increase(from, image.taps[0] * ELEMENT);
      if (weight !== undefined) f.increase(weights, size[1] * windows.padded * ELEMENT);
    });
  };
}

/** Vectors of one pixel that are computed together. */
const VECTORS = 4;

/** Adds a function that computes one pixel, from some rows and columns of its window. */
export function pixelAtEdge(module: ModuleBuilder, windows: Windows): number {
  const { plan } = windows;
  return module.func({ params: parametersOf(windows), name: "pixel" }, (f, ...given) => {
    const writer = new PixelWriter(f, new Helpers(module, new Map()), windows, given);
    const block = (vectors: number, lanes: number): void => {
      const sums = writer.sums(vectors);
      writer.clear(sums);
      taps(writer, sums, vectors);
      for (let at = 0; at < vectors; at++) writer.finish(sums, at, 0, at * VECTOR, lanes);
    };
    const whole = Math.floor(plan.channels / LANES);
    writer.blocks(Math.floor(whole / VECTORS), VECTORS, () => block(VECTORS, LANES));
    writer.blocks(whole % VECTORS, 1, () => block(1, LANES));
    if (plan.channels % LANES > 0) block(1, plan.channels % LANES);
  });
}

/**
 * Loops over the taps of a window. Each row has its own sum, so that errors of long sums stay
 * small.
 */
function taps(writer: PixelWriter, sums: Sums, vectors: number): void {
  const { f, windows } = writer;
  const { image, size, weight: hasWeight } = windows.plan;
  const [row, weightRow, from, weights] = f.locals("i32", 4);
  const [element, weight] = f.locals("v128", 2);
  const ofRow = writer.isMax ? sums : writer.sums(vectors);
  f.copy(writer.image, row).copy(writer.weight, weightRow);
  writer.count(writer.rows, () => {
    if (!writer.isMax) writer.clear(ofRow);
    f.copy(row, from).copy(weightRow, weights);
    writer.count(writer.columns, () => {
      for (let at = 0; at < vectors; at++) {
        if (hasWeight !== undefined)
          f.get(weights)
            .memory("v128.load", at * VECTOR)
            .set(weight);
        f.get(from)
          .memory("v128.load", at * VECTOR)
          .set(element);
        writer.take(ofRow, at, element, hasWeight === undefined ? undefined : weight);
      }
      f.increase(from, image.taps[1] * ELEMENT).increase(weights, windows.padded * ELEMENT);
    });
    if (!writer.isMax)
      for (let at = 0; at < vectors; at++)
        f.get(sums.total[at]!, ofRow.total[at]!).op("f32x4.add").set(sums.total[at]!);
    f.increase(row, image.taps[0] * ELEMENT).increase(weightRow, size[1] * windows.padded * ELEMENT);
  });
}
