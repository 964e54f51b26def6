/**
 * @file Winograd's algorithm for convolutions of 3x3 elements: tiles of the image and the weights
 * are transformed, one product of matrices is made for each place of a tile, and the sums are
 * transformed back.
 */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, KernelCode } from "../kernel-code.js";
import { forUnits, kernelEntry } from "../kernel-entry.js";
import { type ImageEpilogue, imageParts } from "./epilogue.js";
import type { Address } from "./index-code.js";
import { blockKernel, COLUMNS } from "./micro.js";
import type { MatrixOptions } from "./options.js";
import { ELEMENT } from "./product-plan.js";
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

/** Returns the code of a convolution; undefined if the nest is another one. */
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
    const [span, image, start, stop, count] = f.locals("i32", 5);
    f.put(i32(scratch).plus(whole.scratch.zeros), 0, plan.channels * ELEMENT).memoryFill();
    const known = f.let(-1);
    forUnits(f, first, end, () => {
      f.assign(span, i32(first).over(tiles.parts));
      f.assign(image, i32(span).over(tiles.blocks));
      f.assign(start, i32(span).rest(tiles.blocks).times(rows));
      f.assign(stop, i32(start).plus(rows).least(down));
      f.assign(count, i32(stop).minus(start).times(across));
      // Parts of the results share the tiles.
      f.put(i32(span).is("ne", known)).if(() => {
        f.get(addressOf(plan.image), scratch, image, start, stop).call(forward);
        f.copy(span, known);
      });
      const part = partOf(f, whole, first);
      products(f, { weight, scratch, count, ...part });
      f.put(i32(addressOf(plan.nest.output)).plus(i32(part.firstColumn).times(ELEMENT)));
      f.put(scratch, image, start, stop, i32(part.endColumn).minus(part.firstColumn)).call(back);
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
  const width = tiles.panels * COLUMNS;
  const firstColumn = f.let(i32(unit).rest(tiles.parts).times(width));
  const endColumn = f.let(i32(firstColumn).plus(width).least(plan.results));
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
    const panels = f.let(i32(endColumn).minus(firstColumn).parts(COLUMNS));
    const to = f.let(i32(unit.scratch).plus(scratch.sums));
    const a = f.let(i32(unit.scratch).plus(scratch.image));
    if (late !== undefined) return late(f, { ...unit, panels, a, to });
    const from = f.let(i32(weight).plus(i32(firstColumn).times(plan.channels * ELEMENT)));
    const plane = plan.channels * tiles.padded * ELEMENT;
    const [steps, isMore] = [f.let(plan.channels), f.let(0)];
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
    const [steps, source, sums] = f.locals("i32", 3);
    const first = f.let(i32(weight).plus(i32(firstColumn).times(late.panel / COLUMNS)));
    const transformed = f.let(i32(memory).plus(scratch.weight));
    const [one, channel] = [f.let(1), f.let(0)];
    const onePanel = (): void => {
      f.get(source, transformed, steps).call(transform);
      const { plane } = late;
      const weights = { from: transformed, plane, panels: one };
      planes(f, whole, block, { ...weights, a, to: sums, count, steps, isMore: channel });
      f.increase(source, late.panel).increase(sums, COLUMNS * ELEMENT);
    };
    const someChannels = (): void => {
      f.assign(steps, i32(plan.channels).minus(channel)).assign(steps, i32(late.channels).least(steps));
      f.copy(first, source).copy(to, sums);
      f.countUp(f.let(0), panels, onePanel);
      f.increase(first, late.channels * late.channel).increase(a, late.channels * ELEMENT);
    };
    f.countUp(channel, plan.channels, someChannels, late.channels);
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
  const [at, a, b, c] = [f.let(0), f.let(first), f.let(from), f.let(to)];
  f.countUp(at, tiles.reads * tiles.reads, () => {
    f.put(a, b, c, steps, count, panels, width * ELEMENT, isMore, channels * ELEMENT).call(block);
    f.increase(a, tiles.tiles * channels * ELEMENT);
    f.increase(b, plane);
    f.increase(c, tiles.tiles * width * ELEMENT);
  });
}

/** Returns the first pixel of a unit in the result, and the end of its pixels. */
function pixels(
  f: FunctionBuilder,
  { plan: { height, width }, tiles: { side } }: Winograd,
  image: Address,
  start: Address,
  stop: Address,
): { readonly firstRow: Address; readonly endRow: Address } {
  const [firstRow, endRow] = [start, stop].map((line) =>
    f.let(i32(line).times(side).least(height.out).plus(i32(image).times(height.out)).times(width.out)),
  ) as [Address, Address];
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
  f.countUp(start, stop, () => {
    const right = f.let(0);
    f.countUp(right, across, () => body(start, right));
  });
}

/** Writes whether each of some places along a direction is inside, as -1 or 0. */
const insides = (f: FunctionBuilder, place: Address, count: number, { size }: Extent): readonly Address[] =>
  Array.from({ length: count }, (_, i) =>
    // A place before the start is large as an unsigned number.
    f.let(i32(0).minus(i32(place).plus(i).is("lt_u", size))),
  );

const SPAN = ["i32", "i32", "i32", "i32", "i32"] as const;

/** Adds a function `(image, scratch, number, start, stop)`: transforms the tiles of some rows. */
function imageTransform(module: ModuleBuilder, whole: Winograd): number {
  const { plan, tiles, scratch } = whole;
  const { reads, side } = tiles;
  const { height, width, channels } = plan;
  return module.func({ params: SPAN, name: "winograd_image" }, (f, source, memory, image, start, stop) => {
    const [top, left, base] = f.locals("i32", 3);
    const pointers = Array.from({ length: reads }, () => f.locals("i32", reads));
    const constants = constantsOf(f, TRANSFORMS[side]!.image);
    const zeros = f.let(i32(memory).plus(scratch.zeros));
    const target = f.let(i32(memory).plus(scratch.image));
    const origin = plan.origin - height.start * height.step - width.start * width.step;
    f.increase(
      source,
      i32(image)
        .times(plan.imageStep * ELEMENT)
        .plus(origin * ELEMENT),
    );
    eachTile(f, whole, start, stop, (down, right) => {
      f.assign(top, i32(down).times(side).plus(height.start));
      f.assign(left, i32(right).times(side).plus(width.start));
      const row = i32(source).plus(i32(top).times(height.step * ELEMENT));
      f.assign(base, row.plus(i32(left).times(width.step * ELEMENT)));
      const [rows, columns] = [insides(f, top, reads, height), insides(f, left, reads, width)];
      for (const [i, line] of pointers.entries())
        for (const [j, pointer] of line.entries()) {
          const place = i32(base).plus((i * height.step + j * width.step) * ELEMENT);
          f.assign(pointer, i32(rows[i]!).and(columns[j]!).choose(place, zeros));
        }
      const at = f.let(0);
      const fourChannels = (): void => {
        transform(f, {
          matrix: TRANSFORMS[side]!.image,
          constants,
          load: (i, j) => f.put(i32(pointers[i]![j]!).plus(at)).memory("v128.load"),
          store: (i, j, push) => {
            f.get(target);
            push();
            f.memory("v128.store", (i * reads + j) * tiles.tiles * channels * ELEMENT);
          },
        });
        f.increase(target, 16);
      };
      f.countUp(at, channels * ELEMENT, fourChannels, 16);
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
    f.assign(count, i32(count).times(ELEMENT));
    const [top, left, base] = f.locals("i32", 3);
    const pointers = Array.from({ length: side }, () => f.locals("i32", side));
    const constants = constantsOf(f, TRANSFORMS[side]!.sums);
    const unused = f.let(i32(memory).plus(scratch.unused));
    const source = f.let(i32(memory).plus(scratch.sums));
    f.increase(result, i32(image).times(height.out * width.out * results * ELEMENT));
    eachTile(f, whole, start, stop, (down, right) => {
      f.assign(top, i32(down).times(side)).assign(left, i32(right).times(side));
      const place = i32(top).times(width.out).plus(left);
      f.assign(base, i32(result).plus(place.times(results * ELEMENT)));
      const [rows, columns] = [
        insides(f, top, side, { ...height, size: height.out }),
        insides(f, left, side, { ...width, size: width.out }),
      ];
      for (const [i, line] of pointers.entries())
        for (const [j, pointer] of line.entries()) {
          const pixel = i32(base).plus((i * width.out + j) * results * ELEMENT);
          f.assign(pointer, i32(rows[i]!).and(columns[j]!).choose(pixel, unused));
        }
      const at = f.let(0);
      const fourResults = (): void =>
        transform(f, {
          matrix: TRANSFORMS[side]!.sums,
          constants,
          load: (i, j) =>
            f.put(i32(source).plus(at)).memory("v128.load", (i * reads + j) * tiles.tiles * padded * ELEMENT),
          store: (i, j, push) => {
            f.put(i32(pointers[i]![j]!).plus(at));
            push();
            f.memory("v128.store");
          },
        });
      f.countUp(at, count, fourResults, 16);
      f.increase(source, padded * ELEMENT);
    });
  });
}
