/**
 * @file Winograd's algorithm for convolutions of 3x3 elements: tiles of the image and the weights
 * are transformed, one product of matrices is made for each place of a tile, and the sums are
 * transformed back.
 */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { FunctionBuilder, ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type ImageEpilogue, imageParts } from "./epilogue.js";
import { type Address, addresses, countUp } from "./index-code.js";
import { blockKernel, COLUMNS } from "./micro.js";
import type { MatrixOptions } from "./options.js";
import { ELEMENT } from "./plan.js";
import { constantsOf, TRANSFORMS, transform } from "./transforms.js";
import {
  type Extent,
  type WinogradPlan,
  type WinogradTiles,
  winogradPlan,
  winogradTiles,
} from "./winograd-plan.js";
import { lateWeights, preparedWeight } from "./winograd-weight.js";

/** Places in scratch memory, in bytes. */
interface Scratch {
  readonly zeros: number;
  readonly unused: number;
  readonly image: number;
  readonly sums: number;
  /** A panel of weights, if the kernel transforms them. */
  readonly weight: number;
  readonly at: number;
  readonly bytes: number;
}
interface Winograd {
  readonly plan: WinogradPlan;
  readonly tiles: WinogradTiles;
  readonly scratch: Scratch;
  readonly epilogue: ImageEpilogue | undefined;
  readonly relaxed: boolean;
}

/** The code of a convolution; undefined if the nest is another one. */
export function winogradKernel(
  nest: LoopNest,
  program: LoopProgram,
  sizes: Bindings,
  options: MatrixOptions,
): KernelCode | undefined {
  const { relaxed, isConstant, winograd = 2 } = options;
  const plan = winograd === 0 ? undefined : winogradPlan(nest);
  if (plan === undefined || winograd === 0 || !isConstant(plan.weight)) return undefined;
  if (program.buffers[nest.output]!.dtype !== "float32") return undefined;
  const tiles = winogradTiles(plan, winograd, relaxed);
  const scratch = scratchOf(plan, tiles);
  const { epilogue, ...parts } = imageParts(plan, [plan.image], scratch, { program, sizes });
  const { height, width, channels, results, images } = plan;
  return {
    ...parts,
    prepared: [preparedWeight(plan, tiles)],
    units: images * tiles.blocks * tiles.parts,
    emit: (module, imports) =>
      emitWinograd(module, imports, parts.memories, { plan, tiles, scratch, epilogue, relaxed }),
    text:
      `convolution F(${tiles.side}x${tiles.side}, 3x3) of ${channels} to ${results} channels, ` +
      `${images} x ${height.out} x ${width.out}\n`,
  };
}

function scratchOf(plan: WinogradPlan, units: WinogradTiles): Scratch {
  const { channels } = plan;
  const { tiles, reads, panels, inKernel } = units;
  let bytes = 0;
  const take = (floats: number): number => {
    const at = bytes;
    bytes += Math.ceil((floats * ELEMENT) / 16) * 16 + 16;
    return at;
  };
  const planes = reads * reads;
  const places = {
    zeros: take(channels),
    unused: take(panels * COLUMNS),
    image: take(planes * tiles * channels),
    sums: take(planes * tiles * panels * COLUMNS),
    weight: take(inKernel ? lateWeights(plan, units).floats : 0),
    at: take(4),
  };
  return { ...places, bytes };
}

function emitWinograd(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  memories: readonly KernelBuffer[],
  whole: Winograd,
): number {
  const { plan, tiles, relaxed, epilogue } = whole;
  const { rows, across, down, lanes } = tiles;
  const last = (down - (tiles.blocks - 1) * rows) * across;
  const block = blockKernel(module, [rows * across, last], { lanes, relaxed, from: "rows" });
  const forward = imageTransform(module, whole);
  const back = sumTransform(module, whole);
  const finish = epilogue?.emit(module, imports);
  const products = productsOf(module, whole, block);
  return kernelEntry(module, { name: "winograd", memories, forms: 1 }, (entry) => {
    const { f, addressOf, forms, scratch, first, end } = entry;
    const weight = forms[0]!;
    const [span, known, image, start, stop, count] = addresses(f, 6);
    f.get(scratch)
      .i32(whole.scratch.zeros)
      .op("i32.add")
      .i32(0)
      .i32(plan.channels * ELEMENT)
      .memoryFill();
    f.i32(-1).set(known);
    forUnits(f, first, end, () => {
      f.get(first).i32(tiles.parts).op("i32.div_u").set(span);
      f.get(span).i32(tiles.blocks).op("i32.div_u").set(image);
      f.get(span).i32(tiles.blocks).op("i32.rem_u").i32(rows).op("i32.mul").tee(start);
      f.i32(rows).op("i32.add").tee(stop).i32(down).get(stop).i32(down).op("i32.lt_s", "select").set(stop);
      f.get(stop, start).op("i32.sub").i32(across).op("i32.mul").set(count);
      // Parts of the results share the tiles.
      f.get(span, known).op("i32.ne");
      f.if(() => {
        f.get(addressOf(plan.image), scratch, image, start, stop).call(forward);
        f.copy(span, known);
      });
      const part = partOf(f, whole, first);
      products(f, { weight, scratch, count, ...part });
      f.get(addressOf(plan.nest.output), part.firstColumn).i32(ELEMENT).op("i32.mul", "i32.add");
      f.get(scratch, image, start, stop, part.endColumn, part.firstColumn).op("i32.sub").call(back);
      finish?.(f, { addressOf, scratch, ...part, ...pixels(f, whole, image, start, stop) });
    });
  });
}

/** Results of a unit. */
interface Part {
  readonly firstColumn: Address;
  readonly endColumn: Address;
}
function partOf(f: FunctionBuilder, { plan, tiles }: Winograd, unit: Address): Part {
  const [firstColumn, endColumn] = addresses(f, 2);
  const { parts, panels } = tiles;
  const { results } = plan;
  f.get(unit)
    .i32(parts)
    .op("i32.rem_u")
    .i32(panels * COLUMNS)
    .op("i32.mul")
    .tee(firstColumn);
  f.i32(panels * COLUMNS)
    .op("i32.add")
    .tee(endColumn)
    .i32(results)
    .get(endColumn)
    .i32(results);
  f.op("i32.lt_s", "select").set(endColumn);
  return { firstColumn, endColumn };
}

/** What the products of a unit are made of. */
interface Unit extends Part {
  readonly weight: Address;
  readonly scratch: Address;
  /** Its tiles. */
  readonly count: Address;
}

/** Returns code for one product for each place of a tile. */
function productsOf(
  module: ModuleBuilder,
  whole: Winograd,
  block: number,
): (f: FunctionBuilder, unit: Unit) => void {
  const { plan, tiles, scratch } = whole;
  const late = tiles.inKernel ? lateProducts(module, whole, block) : undefined;
  return (f, unit) => {
    const { weight, firstColumn, endColumn } = unit;
    const [panels, from, to, a] = addresses(f, 4);
    f.get(endColumn, firstColumn).op("i32.sub");
    f.i32(COLUMNS - 1)
      .op("i32.add")
      .i32(COLUMNS)
      .op("i32.div_u")
      .set(panels);
    f.get(unit.scratch).i32(scratch.sums).op("i32.add").set(to);
    f.get(unit.scratch).i32(scratch.image).op("i32.add").set(a);
    if (late !== undefined) return late(f, { ...unit, panels, a, to });
    f.get(weight, firstColumn)
      .i32(plan.channels * ELEMENT)
      .op("i32.mul", "i32.add")
      .set(from);
    const plane = plan.channels * tiles.padded * ELEMENT;
    const [steps, isMore] = addresses(f, 2);
    f.i32(plan.channels).set(steps).i32(0).set(isMore);
    planes(f, whole, block, { a, from, to, plane, count: unit.count, panels, steps, isMore });
  };
}

/** As {@link productsOf}, where some weights at a time are transformed. */
function lateProducts(
  module: ModuleBuilder,
  whole: Winograd,
  block: number,
): (
  f: FunctionBuilder,
  unit: Unit & { readonly panels: Address; readonly a: Address; readonly to: Address },
) => void {
  const { plan, tiles, scratch } = whole;
  const late = lateWeights(plan, tiles);
  const transform = late.emit(module);
  return (f, { weight, scratch: memory, firstColumn, count, panels, a, to }) => {
    const [first, channel, steps, panel, one, source, transformed, sums] = addresses(f, 8);
    f.get(weight, firstColumn)
      .i32(late.panel / COLUMNS)
      .op("i32.mul", "i32.add")
      .set(first);
    f.get(memory).i32(scratch.weight).op("i32.add").set(transformed);
    f.i32(1).set(one).i32(0).set(channel);
    countUp(f, channel, late.channels, plan.channels, () => {
      f.i32(plan.channels).get(channel).op("i32.sub").tee(steps);
      f.i32(late.channels).get(steps).i32(late.channels).op("i32.lt_s", "select").set(steps);
      f.copy(first, source).copy(to, sums).i32(0).set(panel);
      countUp(f, panel, 1, panels, () => {
        f.get(source, transformed, steps).call(transform);
        const from = transformed;
        const { plane } = late;
        planes(f, whole, block, { a, from, to: sums, plane, count, panels: one, steps, isMore: channel });
        f.increase(source, late.panel).increase(sums, COLUMNS * ELEMENT);
      });
      f.increase(first, late.channels * late.channel).increase(a, late.channels * ELEMENT);
    });
  };
}

/** Weights and sums of some panels. */
interface Planes {
  /** The first row of tiles. */
  readonly a: Address;
  readonly from: Address;
  readonly to: Address;
  /** Bytes of weights from one place of a tile to the next. */
  readonly plane: number;
  readonly count: Address;
  readonly panels: Address;
  /** Channels, and whether earlier ones are in the sums. */
  readonly steps: Address;
  readonly isMore: Address;
}
function planes(
  f: FunctionBuilder,
  { plan: { channels }, tiles }: Winograd,
  block: number,
  { a: first, from, to, plane, count, panels, steps, isMore }: Planes,
): void {
  const width = tiles.panels * COLUMNS;
  const [at, a, b, c] = addresses(f, 4);
  f.i32(0).set(at).copy(first, a).copy(from, b).copy(to, c);
  countUp(f, at, 1, tiles.reads * tiles.reads, () => {
    f.get(a, b, c, steps, count, panels)
      .i32(width * ELEMENT)
      .get(isMore);
    f.i32(channels * ELEMENT).call(block);
    f.increase(a, tiles.tiles * channels * ELEMENT);
    f.increase(b, plane);
    f.increase(c, tiles.tiles * width * ELEMENT);
  });
}

/** The first pixel of a unit in the result, and the end of its pixels. */
function pixels(
  f: FunctionBuilder,
  { plan: { height, width }, tiles: { side } }: Winograd,
  image: Address,
  start: Address,
  stop: Address,
): { readonly firstRow: Address; readonly endRow: Address } {
  const [firstRow, endRow] = f.locals("i32", 2) as [Address, Address];
  const line = (from: Address, to: Address): void => {
    f.get(from).i32(side).op("i32.mul").tee(to).i32(height.out).get(to).i32(height.out);
    f.op("i32.lt_s", "select").get(image).i32(height.out).op("i32.mul", "i32.add");
    f.i32(width.out).op("i32.mul").set(to);
  };
  line(start, firstRow);
  line(stop, endRow);
  return { firstRow, endRow };
}

/** Runs a body for each tile of some rows. */
function eachTile(
  f: FunctionBuilder,
  { tiles: { across } }: Winograd,
  start: Address,
  stop: Address,
  body: (down: Address, right: Address) => void,
): void {
  const right = f.local("i32");
  countUp(f, start, 1, stop, () => {
    f.i32(0).set(right);
    countUp(f, right, 1, across, () => body(start, right));
  });
}

/** Writes whether each of some places along a direction is inside, as -1 or 0. */
function insides(f: FunctionBuilder, place: Address, count: number, { size }: Extent): readonly Address[] {
  return Array.from({ length: count }, (_, i) => {
    const inside = f.local("i32");
    // A place before the start is large as an unsigned number.
    f.i32(0).get(place).i32(i).op("i32.add").i32(size).op("i32.lt_u", "i32.sub").set(inside);
    return inside;
  });
}

const SPAN = ["i32", "i32", "i32", "i32", "i32"] as const;

/** Adds a function `(image, scratch, number, start, stop)`: transforms the tiles of some rows. */
function imageTransform(module: ModuleBuilder, whole: Winograd): number {
  const { plan, tiles, scratch } = whole;
  const { reads, side } = tiles;
  const { height, width, channels } = plan;
  return module.func({ params: SPAN, name: "winograd_image" }, (f, source, memory, image, start, stop) => {
    const [top, left, base, target, at] = addresses(f, 5);
    const pointers = Array.from({ length: reads }, () => f.locals("i32", reads));
    const zeros = f.local("i32");
    const constants = constantsOf(f, TRANSFORMS[side]!.image);
    f.get(memory).i32(scratch.zeros).op("i32.add").set(zeros);
    f.get(memory).i32(scratch.image).op("i32.add").set(target);
    f.get(source, image)
      .i32(plan.imageStep * ELEMENT)
      .op("i32.mul", "i32.add");
    const origin = plan.origin - height.start * height.step - width.start * width.step;
    f.i32(origin * ELEMENT)
      .op("i32.add")
      .set(source);
    eachTile(f, whole, start, stop, (down, right) => {
      f.get(down).i32(side).op("i32.mul").i32(height.start).op("i32.add").set(top);
      f.get(right).i32(side).op("i32.mul").i32(width.start).op("i32.add").set(left);
      f.get(source, top)
        .i32(height.step * ELEMENT)
        .op("i32.mul", "i32.add");
      f.get(left)
        .i32(width.step * ELEMENT)
        .op("i32.mul", "i32.add")
        .set(base);
      const [rows, columns] = [insides(f, top, reads, height), insides(f, left, reads, width)];
      for (const [i, line] of pointers.entries())
        for (const [j, pointer] of line.entries()) {
          f.get(base)
            .i32((i * height.step + j * width.step) * ELEMENT)
            .op("i32.add")
            .get(zeros);
          f.get(rows[i]!, columns[j]!).op("i32.and", "select").set(pointer);
        }
      f.i32(0).set(at);
      countUp(f, at, 16, channels * ELEMENT, () => {
        transform(f, {
          matrix: TRANSFORMS[side]!.image,
          constants,
          load: (i, j) => f.get(pointers[i]![j]!, at).op("i32.add").memory("v128.load"),
          store: (i, j, push) => {
            f.get(target);
            push();
            f.memory("v128.store", (i * reads + j) * tiles.tiles * channels * ELEMENT);
          },
        });
        f.increase(target, 16);
      });
    });
  });
}

/**
 * Adds a function `(result, scratch, number, start, stop, count)`: transforms so many sums of each
 * tile to results.
 */
function sumTransform(module: ModuleBuilder, whole: Winograd): number {
  const { plan, tiles, scratch } = whole;
  const { reads, side, panels } = tiles;
  const { height, width, results } = plan;
  const padded = panels * COLUMNS;
  const params = [...SPAN, "i32"] as const;
  return module.func({ params, name: "winograd_sums" }, (f, result, memory, image, start, stop, count) => {
    f.get(count).i32(ELEMENT).op("i32.mul").set(count);
    const [top, left, base, source, at] = addresses(f, 5);
    const pointers = Array.from({ length: side }, () => f.locals("i32", side));
    const unused = f.local("i32");
    const constants = constantsOf(f, TRANSFORMS[side]!.sums);
    f.get(memory).i32(scratch.unused).op("i32.add").set(unused);
    f.get(memory).i32(scratch.sums).op("i32.add").set(source);
    f.get(result, image)
      .i32(height.out * width.out * results * ELEMENT)
      .op("i32.mul", "i32.add")
      .set(result);
    eachTile(f, whole, start, stop, (down, right) => {
      f.get(down).i32(side).op("i32.mul").set(top).get(right).i32(side).op("i32.mul").set(left);
      f.get(result, top).i32(width.out).op("i32.mul").get(left).op("i32.add");
      f.i32(results * ELEMENT)
        .op("i32.mul", "i32.add")
        .set(base);
      const [rows, columns] = [
        insides(f, top, side, { ...height, size: height.out }),
        insides(f, left, side, { ...width, size: width.out }),
      ];
      for (const [i, line] of pointers.entries())
        for (const [j, pointer] of line.entries()) {
          f.get(base)
            .i32((i * width.out + j) * results * ELEMENT)
            .op("i32.add")
            .get(unused);
          f.get(rows[i]!, columns[j]!).op("i32.and", "select").set(pointer);
        }
      f.i32(0).set(at);
      countUp(f, at, 16, count, () => {
        transform(f, {
          matrix: TRANSFORMS[side]!.sums,
          constants,
          load: (i, j) =>
            f
              .get(source, at)
              .op("i32.add")
              .memory("v128.load", (i * reads + j) * tiles.tiles * padded * ELEMENT),
          store: (i, j, push) => {
            f.get(pointers[i]![j]!, at).op("i32.add");
            push();
            f.memory("v128.store");
          },
        });
      });
      f.increase(source, padded * ELEMENT);
    });
  });
}
