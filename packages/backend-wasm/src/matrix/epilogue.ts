/**
 * @file The rest of a nest around its sum of products: computed from a block of sums while it is in
 * the cache. A sum alone is copied to its place.
 */
import {
  type Axis,
  atom,
  axis,
  constant,
  coordinatesOf,
  elementsOf,
  fixedValue,
  flatIndex,
  type Index,
  indexLiteral,
  type Kernel,
  KernelFrame,
  type KernelMemory,
  type KernelOperand,
  type LoopProgram,
  Rewriter,
  type Scalar,
  scale,
  volumeOf,
} from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { type Expression, type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import { vectorCode } from "../emit/printed-kernel.js";
import { WASM } from "../emit/target.js";
import type { KernelBuffer, KernelCode, KernelImport } from "../kernel-code.js";
import type { Blocks } from "./blocks.js";
import { type Address, indexAt, type Places } from "./index-code.js";
import { ELEMENT, type MatrixPlan } from "./product-plan.js";
import { shared } from "./shared.js";

/** A finished block: which part of the result it is, and where things lie. */
export interface FinishedBlock {
  readonly addressOf: (buffer: number) => Address;
  readonly scratch: Address;
  /** The place along the outer axes. */
  readonly place: Address;
  /** Sizes that are known when the kernel runs, by their texts. */
  readonly sizes: Places;
  readonly firstRow: Address;
  readonly endRow: Address;
  readonly firstColumn: Address;
  readonly endColumn: Address;
}

/** How the result is computed from the sums. */
export interface Epilogue {
  /** Buffers that it reads. */
  readonly reads: readonly number[];
  readonly imports: readonly KernelImport[];
  readonly scratchBytes: number;
  /** Adds functions; returns code that finishes a block. */
  readonly emit: (
    module: ModuleBuilder,
    imports: ReadonlyMap<string, number>,
  ) => (f: FunctionBuilder, at: FinishedBlock) => void;
}

/** A nest as rows and columns. */
type Product = Pick<MatrixPlan, "nest" | "place" | "reduce" | "rows" | "columns" | "outer">;

/** Names of the flat places, which no axis of a nest has. */
export const ROW = "row";
export const COLUMN = "column";
export const PLACE = "place";
/** In place of buffers of the program. */
const TILE = -1;
export const SUMS = TILE;
const AT = -2;

/** Returns the places of a nest's axes, by row, column and place of a product. */
export function flatPlaces(plan: Product): ReadonlyMap<string, Index> {
  const places = new Map<string, Index>();
  const flat = (name: string, axes: readonly Axis[]): void => {
    const extents = axes.map(({ extent }) => extent);
    const at = coordinatesOf(atom(axis(name, elementsOf(axes))), extents);
    for (const [d, one] of axes.entries()) places.set(one.name, at[d]!);
  };
  flat(ROW, plan.rows);
  flat(COLUMN, plan.columns);
  flat(PLACE, plan.outer);
  return places;
}

/** Where an element of the result lies, in elements. */
export function outputIndex(plan: Product, rewriter: Rewriter): Index {
  const { axes } = plan.nest;
  const flat = (): Index =>
    flatIndex(
      axes.map((one) => atom(one)),
      axes.map(({ extent }) => extent),
    );
  return rewriter.index(plan.place ?? flat());
}

/** Returns what is computed from the sums of a product. */
export function epilogueOf(
  plan: MatrixPlan,
  blocks: Blocks,
  program: LoopProgram,
  sizes: Bindings | undefined,
): Epilogue {
  if (plan.nest.value === plan.reduce && plan.place === undefined) return copied(plan, blocks);
  return computed(plan, blocks, program, sizes);
}

/** Adds a function `(from, to, count)` that copies float32. */
const copyRow = (module: ModuleBuilder): number =>
  module.func({ params: ["i32", "i32", "i32"], name: "copy_row" }, (f, from, to, count) => {
    f.while(i32(count).is("ge_s", 4), () => {
      f.get(to, from).memory("v128.load").memory("v128.store");
      f.increase(from, 16).increase(to, 16).increase(count, -4);
    });
    f.while(count, () => {
      f.get(to, from).memory("f32.load").memory("f32.store");
      f.increase(from, 4).increase(to, 4).increase(count, -1);
    });
  });

/** Copies a block to the result. */
function copied(plan: MatrixPlan, blocks: Blocks): Epilogue {
  const { bytes } = plan.numbers;
  const output = scale(outputIndex(plan, new Rewriter({ axes: flatPlaces(plan) })), bytes);
  return {
    reads: [],
    imports: [],
    scratchBytes: 0,
    emit: (module) => {
      const copy = shared(module, "copy_row", () => copyRow(module));
      return (f, at) => {
        const row = f.let(at.firstRow);
        const from = f.let(i32(at.scratch).plus(blocks.scratch.tile));
        const places = new Map([...at.sizes, [ROW, row], [COLUMN, at.firstColumn], [PLACE, at.place]]);
        f.countUp(row, at.endRow, () => {
          f.put(from, i32(at.addressOf(plan.nest.output)).plus(indexAt(output, places)));
          f.put(
            i32(at.endColumn)
              .minus(at.firstColumn)
              .times(bytes / ELEMENT),
          );
          f.call(copy).increase(from, blocks.columns * bytes);
        });
      };
    },
  };
}

/** Runs a kernel over the rows of a block. */
function computed(
  plan: MatrixPlan,
  blocks: Blocks,
  program: LoopProgram,
  sizes: Bindings | undefined,
): Epilogue {
  const { tile, at: place, bytes } = blocks.scratch;
  const frame = new KernelFrame({ program, sizes, target: WASM });
  const code = vectorCode(
    rowKernel(plan, { length: blocks.rows * blocks.columns, columns: blocks.columns }, frame),
  );
  return {
    ...partsOf(code),
    emit: (module, imports) => {
      const entry = code.emit(module, imports);
      return (f, at) => {
        const values = [at.firstRow, at.firstColumn, at.endColumn, at.place];
        for (const [i, value] of values.entries())
          f.get(at.scratch, value).memory("i32.store", place + 4 * i);
        pushMemories(f, code, at, place, i32(at.scratch).plus(tile));
        for (const { text } of code.open?.given ?? []) f.get(at.sizes.get(text)!);
        f.put(i32(at.scratch).plus(bytes), at.firstRow, at.endRow).call(entry);
      };
    },
  };
}

/** Finished rows of the result: all of their columns, or some. */
type ImageRows = Pick<FinishedBlock, "addressOf" | "scratch" | "firstRow" | "endRow"> &
  Partial<Pick<FinishedBlock, "firstColumn" | "endColumn">>;

/** How the result is computed from sums that are where the result will be. */
export interface ImageEpilogue extends Omit<Epilogue, "emit"> {
  /** Adds functions; returns code that finishes some rows. */
  readonly emit: (
    module: ModuleBuilder,
    imports: ReadonlyMap<string, number>,
  ) => (f: FunctionBuilder, at: ImageRows) => void;
}

/** What a convolution that writes its sums into the result has besides its own code. */
interface ImageParts extends Pick<KernelCode, "memories" | "scratchBytes" | "imports"> {
  /** Undefined if the sums are the result. */
  readonly epilogue: ImageEpilogue | undefined;
}
/**
 * Returns the rest of a nest, and the memories of the whole.
 *
 * @param inputs buffers that the convolution reads as they are
 * @param scratch places of four numbers, and of the rest's own memory
 */
export function imageParts(
  { nest, reduce }: Pick<Product, "nest" | "reduce">,
  inputs: readonly number[],
  scratch: { readonly at: number; readonly bytes: number },
  { program, sizes }: { readonly program: LoopProgram; readonly sizes: Bindings },
): ImageParts {
  const [columns, rows] = [nest.axes.slice(-1), nest.axes.slice(0, -1)];
  const epilogue = imageEpilogue({ nest, reduce, rows, columns, outer: [] }, scratch, program, sizes);
  const read = new Set([...inputs, ...(epilogue?.reads ?? [])]);
  const memories: KernelBuffer[] = [...read].map((buffer) => ({ buffer, access: "read" }));
  memories.push({ buffer: nest.output, access: "write" });
  return {
    epilogue,
    memories,
    scratchBytes: scratch.bytes + (epilogue?.scratchBytes ?? 0),
    imports: epilogue?.imports ?? [],
  };
}

/** Returns what is computed from sums in the result itself; undefined if they are the result. */
function imageEpilogue(
  product: Product,
  scratch: { readonly at: number; readonly bytes: number },
  program: LoopProgram,
  sizes: Bindings,
): ImageEpilogue | undefined {
  if (product.nest.value === product.reduce) return undefined;
  const columns = volumeOf(product.columns);
  const frame = new KernelFrame({ program, sizes, target: WASM });
  const code = vectorCode(rowKernel(product, { length: volumeOf(product.nest.axes), columns }, frame));
  return {
    ...partsOf(code),
    emit: (module, imports) => {
      const entry = code.emit(module, imports);
      return (f, at) => {
        const { firstColumn = 0, endColumn = columns } = at;
        for (const [i, value] of [0, firstColumn, endColumn, 0].entries())
          f.put(at.scratch, value).memory("i32.store", scratch.at + 4 * i);
        // The kernel subtracts the first column from places in the tile.
        const tile = i32(at.addressOf(product.nest.output)).plus(i32(firstColumn).times(ELEMENT));
        pushMemories(f, code, at, scratch.at, tile);
        f.put(i32(at.scratch).plus(scratch.bytes), at.firstRow, at.endRow).call(entry);
      };
    },
  };
}

const partsOf = ({ memories, imports, scratchBytes }: KernelCode): Omit<Epilogue, "emit"> => ({
  reads: memories.flatMap(({ buffer, access }) => (access === "read" && buffer >= 0 ? [buffer] : [])),
  imports,
  scratchBytes,
});

function pushMemories(
  f: FunctionBuilder,
  { memories }: KernelCode,
  { addressOf, scratch }: Pick<FinishedBlock, "addressOf" | "scratch">,
  at: number,
  tile: Expression,
): void {
  for (const { buffer } of memories)
    f.put(buffer === TILE ? tile : buffer === AT ? i32(scratch).plus(at) : addressOf(buffer));
}

/** Returns the kernel of a row of a block; rows are its units. */
function rowKernel(
  product: Product,
  sums: { readonly length: number; readonly columns: number },
  frame: KernelFrame,
): Kernel {
  const { nest, reduce } = product;
  const { dtype } = reduce;
  const sum: Scalar = { kind: "load", dtype, buffer: TILE, index: constant(0) };
  const rewriter = new Rewriter({ axes: flatPlaces(product), scalars: new Map([[reduce, sum]]) });
  const [value, place] = [rewriter.scalar(nest.value), outputIndex(product, rewriter)];
  const local = (name: string, buffer: number, type: KernelMemory["type"], length: number): KernelMemory =>
    frame.memory({ name, space: "global", access: "read", type, length, buffer });
  const output = frame.output(nest.output);
  const tile = local("tile", TILE, dtype, sums.length);
  const at = local("at", AT, "int32", 4);
  const given = (i: number): KernelOperand => frame.op("cast", "index", [frame.load(at, indexLiteral(i))]);
  const [firstRow, start, end] = [given(0), given(1), given(2)];
  const row = frame.op("thread", "index", [], 0);
  frame.defineAxis(ROW, () => row);
  frame.defineAxis(PLACE, () => given(3));
  const tileRow = frame.op("sub", "index", [
    frame.place(frame.op("sub", "index", [row, firstRow]), sums.columns),
    start,
  ]);
  frame.loop({ axis: COLUMN, start, end }, (column) => {
    frame.known(sum, frame.load(tile, frame.op("add", "index", [tileRow, column])));
    frame.store(output, frame.index(place), frame.scalar(value));
  });
  const units = elementsOf(product.rows);
  const count = fixedValue(units);
  return frame.kernel({ grid: [count ?? 0, 1, 1], size: 1, ...(count === undefined && { units }) });
}
