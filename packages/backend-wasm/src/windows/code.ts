/**
 * @file Code of windows over images whose channels are last. Four channels are one vector. Pixels
 * whose window lies in the image are computed four at a time, with the taps of a row unrolled; the
 * others by loops over the taps that lie in it.
 */
import { extentOf, type LoopNest, type LoopProgram, printLoops } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type Expression, type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode, PreparedBuffer } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type ImageEpilogue, imageParts } from "../matrix/epilogue.js";
import { coefficientOf } from "../matrix/image.js";
import { type Address, indexAt, unflatten } from "../matrix/index-code.js";
import type { MatrixOptions } from "../matrix/options.js";
import { ELEMENT } from "../matrix/product-plan.js";
import { SUMS, windowEpilogue } from "./epilogue.js";
import { LANES, pixelAtEdge, pixelsInside, VECTOR, type Windows } from "./pixels.js";
import { type Guard, type Steps, type WindowPlan, windowPlan } from "./window-plan.js";

/** Pixels that are computed together. */
const PIXELS = 4;
/** Columns of a window that are unrolled, at most. */
const MOST_UNROLLED = 8;
/** Rows, and columns, of a window at most: errors of sums grow with their lengths. */
const MOST_TAPS = 512;
/** Pixels of a row whose windows reach over its edges, at most: the code has a call for each. */
const MOST_EDGES = 256;

/** Returns the code of a nest whose sizes are bound; undefined if it is anything else. */
export function windowKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  { relaxed, isConstant }: MatrixOptions,
): KernelCode | undefined {
  if (program.buffers[nest.output]!.dtype !== "float32") return undefined;
  const plan = windowPlan(nest);
  if (plan === undefined || plan.size.some((taps) => taps > MOST_TAPS)) return undefined;
  const inside = insideOf(plan);
  if (plan.columns - (inside.end - inside.start) > MOST_EDGES) return undefined;
  const { weight, channels, size } = plan;
  const own = windowEpilogue(nest, plan.reduce, plan.roles);
  // Other values are computed from the sums of a row. Ordinary kernels compute pools with them.
  if (own === undefined && weight === undefined) return undefined;
  const epilogue = own ?? SUMS;
  const padded = Math.ceil(channels / LANES) * LANES;
  const windows = { plan, epilogue, relaxed, padded, inside };
  const form = weight && preparedWeight(windows, weight);
  const isPrepared = weight !== undefined && isConstant(weight.buffer);
  const at = form === undefined || isPrepared ? 0 : form.bytes;
  const read = [plan.image.buffer, ...epilogue.loads.map(({ buffer }) => buffer)];
  if (weight !== undefined && !isPrepared) read.push(weight.buffer);
  const { reduce } = plan;
  const sums = { nest: own === undefined ? nest : { ...nest, value: reduce }, reduce };
  const scratch = { at, bytes: at + VECTOR };
  const { epilogue: rest, ...parts } = imageParts(sums, read, scratch, { program, sizes });
  return {
    ...parts,
    prepared: isPrepared ? [form!] : [],
    units: plan.outer.reduce((count, axis) => count * extentOf(axis), 1),
    emit: (module, imports) =>
      emitWindows(module, imports, { ...windows, rest, form, isPrepared, memories: parts.memories }),
    get text() {
      const what = `windows of ${size.join(" x ")} over ${channels} channels`;
      return `${what}\n${printLoops({ ...program, nests: [nest] })}`;
    },
  };
}
/** Returns the pixels of a row for which no tap lies outside of the image. */
function insideOf({ guards: [, guard], columns, roles, size }: WindowPlan): { start: number; end: number } {
  if (guard === undefined) return { start: 0, end: columns };
  const fits = (at: number): boolean => {
    const first = columnPlace(guard, roles.column.name, at);
    return first >= 0 && first + (size[1] - 1) * guard.dilation < guard.limit;
  };
  let start = 0;
  while (start < columns && !fits(start)) start++;
  let end = start;
  while (end < columns && fits(end)) end++;
  return { start, end };
}
/** Returns the coordinate of the first tap for a pixel of a row. */
const columnPlace = ({ place }: Guard, name: string, at: number): number =>
  place.constant + coefficientOf(place, { name }) * at;

/** Returns the weights by taps, the channels of each side by side. */
function preparedWeight({ plan, padded }: Windows, weight: Steps): PreparedBuffer {
  const { size, channels } = plan;
  const [rows, columns] = size;
  return {
    buffer: weight.buffer,
    bytes: rows * columns * padded * ELEMENT + VECTOR,
    key: `windows ${size} of ${channels}: ${weight.outer.text} ${weight.channel} ${weight.taps}`,
    emit: (module) =>
      module.func({ params: ["i32", "i32"], name: "prepare_taps" }, (f, from, to) => {
        f.countUp(f.let(0), channels, () => {
          for (let row = 0; row < rows; row++)
            for (let column = 0; column < columns; column++) {
              const at = weight.outer.constant + row * weight.taps[0] + column * weight.taps[1];
              f.get(to, from).memory("f32.load", at * ELEMENT);
              f.memory("f32.store", (row * columns + column) * padded * ELEMENT);
            }
          f.increase(from, weight.channel * ELEMENT).increase(to, ELEMENT);
        });
      }),
  };
}

/** What the entry of a kernel is written from. */
interface WindowEntry extends Windows {
  readonly memories: readonly KernelBuffer[];
  readonly form: PreparedBuffer | undefined;
  /** Whether the weights come in their form; otherwise the kernel makes it. */
  readonly isPrepared: boolean;
  /** What is computed from the sums of a row. */
  readonly rest: ImageEpilogue | undefined;
}

function emitWindows(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  windows: WindowEntry,
): number {
  const { plan, inside, memories, form, isPrepared } = windows;
  const isUnrolled = plan.size[1] <= MOST_UNROLLED;
  const together = isUnrolled ? PIXELS : 1;
  const rest = isUnrolled ? (inside.end - inside.start) % PIXELS : 0;
  const isGrouped = inside.end - inside.start >= together;
  const group = isUnrolled && isGrouped ? pixelsInside(module, windows, PIXELS) : undefined;
  const last = rest > 0 ? pixelsInside(module, windows, rest) : undefined;
  const one = pixelAtEdge(module, windows);
  const prepare = form !== undefined && !isPrepared ? form.emit(module) : undefined;
  const finish = windows.rest?.emit(module, imports);
  const forms = isPrepared ? 1 : 0;
  return kernelEntry(module, { name: "windows", memories, forms }, (entry) => {
    const { f, addressOf, scratch, first, end } = entry;
    if (prepare !== undefined) f.get(addressOf(plan.weight!.buffer), scratch).call(prepare);
    const weights = entry.forms[0] ?? scratch;
    const row = new RowWriter(f, windows, addressOf, weights);
    forUnits(f, first, end, () => {
      row.start(first);
      for (let at = 0; at < inside.start; at++) row.edge(at, one);
      if (inside.end > inside.start) {
        row.moveTo(inside.start);
        const groups = Math.floor((inside.end - inside.start) / together);
        if (groups > 0) f.countDown(f.let(groups), () => row.inside(group ?? one, together));
        if (last !== undefined) row.inside(last, rest);
      }
      for (let at = inside.end; at < plan.columns; at++) row.edge(at, one);
      if (finish === undefined) return;
      const firstRow = f.let(i32(first).times(plan.columns));
      finish(f, { addressOf, scratch, firstRow, endRow: f.let(i32(firstRow).plus(plan.columns)) });
    });
  });
}

/** Writes the calls for the pixels of one row of the result. */
class RowWriter {
  readonly #f: FunctionBuilder;
  readonly #windows: Windows;
  readonly #addressOf: (buffer: number) => Address;
  readonly #weights: Address;
  readonly #rows: Address;
  readonly #weight: Address;
  /** Addresses for the first pixel: of the image, the result and the loads of the epilogue. */
  readonly #bases: readonly Address[];
  /** The same for the pixel that is computed. */
  readonly #moving: readonly Address[];

  constructor(
    f: FunctionBuilder,
    windows: Windows,
    addressOf: (buffer: number) => Address,
    weights: Address,
  ) {
    this.#f = f;
    this.#windows = windows;
    this.#addressOf = addressOf;
    this.#weights = weights;
    const count = 2 + windows.epilogue.loads.length;
    [this.#rows, this.#weight] = f.locals("i32", 2);
    this.#bases = f.locals("i32", count);
    this.#moving = f.locals("i32", count);
  }

  /** Bytes from one pixel to the next, for each address. */
  get #steps(): readonly number[] {
    const { plan, epilogue } = this.#windows;
    return [plan.image.column, plan.channels, ...epilogue.loads.map(({ column }) => column)].map(
      (step) => step * ELEMENT,
    );
  }

  /** Computes the addresses of a row, and which rows of the window lie in the image. */
  start(unit: Address): void {
    const [f, { plan, epilogue, padded }] = [this.#f, this.#windows];
    const places = unflatten(f, unit, plan.outer);
    const sources = [plan.image, undefined, ...epilogue.loads];
    for (const [i, source] of sources.entries()) {
      const base = this.#addressOf(source?.buffer ?? plan.nest.output);
      const place = source ? indexAt(source.outer, places) : i32(unit).times(plan.columns * plan.channels);
      f.assign(this.#bases[i]!, i32(base).plus(place.times(ELEMENT)));
    }
    const [rows, columns] = plan.size;
    f.copy(this.#weights, this.#weight).assign(this.#rows, rows);
    const guard = plan.guards[0];
    if (guard === undefined) return;
    const place = f.let(indexAt(guard.place, places));
    // Taps from the first that is not before the image to the last that is not behind it.
    const until = (end: number): Expression => i32(end).minus(place).most(0).parts(guard.dilation);
    const low = f.let(until(0));
    f.assign(this.#rows, until(guard.limit).least(rows).minus(low).most(0));
    f.increase(this.#bases[0]!, i32(low).times(plan.image.taps[0] * ELEMENT));
    f.increase(this.#weight, i32(low).times(columns * padded * ELEMENT));
  }

  /** Moves to a pixel of the row. */
  moveTo(column: number): void {
    for (const [i, step] of this.#steps.entries())
      this.#f.assign(this.#moving[i]!, i32(this.#bases[i]!).plus(column * step));
  }

  /** Computes pixels whose windows lie in the image, and moves behind them. */
  inside(call: number, pixels: number): void {
    const [image, output, ...loads] = this.#moving as [Address, Address, ...Address[]];
    const [f, { plan }] = [this.#f, this.#windows];
    f.put(image, this.#weight, output, this.#rows, plan.size[1], ...loads).call(call);
    for (const [i, step] of this.#steps.entries()) f.increase(this.#moving[i]!, pixels * step);
  }

  /** Computes one pixel whose window may reach over the edge. */
  edge(column: number, call: number): void {
    const [f, { plan, padded }] = [this.#f, this.#windows];
    const [low, high] = tapsAt(plan, column);
    const [image, output, ...loads] = this.#steps.map((step, i) => i32(this.#bases[i]!).plus(step * column));
    f.put(image!.plus(low * plan.image.taps[1] * ELEMENT));
    f.put(i32(this.#weight).plus(low * padded * ELEMENT), output!, high > low ? this.#rows : 0);
    f.put(Math.max(1, high - low), ...loads).call(call);
  }
}

/** Returns the columns of the window of a pixel that lie in the image. */
function tapsAt({ guards: [, guard], roles, size }: WindowPlan, at: number): readonly [number, number] {
  if (guard === undefined) return [0, size[1]];
  const first = columnPlace(guard, roles.column.name, at);
  const low = Math.max(0, Math.ceil(-first / guard.dilation));
  return [low, Math.min(size[1], Math.ceil((guard.limit - first) / guard.dilation))];
}
