/**
 * @file Writes the code of matrix products: factors are packed into panels, or read where they are,
 * and tiles of a block are summed up in registers.
 */
import { atom, axis, constant, elementsOf, type Index, multiply, ZERO } from "@sconce/codegen";
import type { FunctionBuilder, ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, PreparedBuffer } from "../kernel-code.js";
import { forUnits, type KernelEntry, kernelEntry } from "../kernel-entry.js";
import type { Blocks } from "./blocks.js";
import { type Counts, countsIn, isFixed, pushCount } from "./counts.js";
import type { Direct } from "./direct.js";
import { type Epilogue, type FinishedBlock, PLACE } from "./epilogue.js";
import { type Address, type Places, pushIndex, unflatten } from "./index-code.js";
import { blockKernel } from "./micro.js";
import { bytesOfFactor } from "./numbers.js";
import type { MatrixOptions } from "./options.js";
import { packKernel, writeTable } from "./pack.js";
import { writePadded } from "./pad-code.js";
import type { MatrixPlan, Operand } from "./plan.js";
import { innerStepOf, oneStepOf, rowStepOf } from "./prepared.js";

/** Everything that the code of one product is written from. */
export interface Product {
  readonly plan: MatrixPlan;
  readonly blocks: Blocks;
  readonly options: MatrixOptions;
  readonly epilogue: Epilogue;
  /** Undefined if results are computed from blocks of sums. */
  readonly direct: Direct | undefined;
  readonly memories: readonly KernelBuffer[];
  readonly preparedA: PreparedBuffer | undefined;
  readonly preparedB: PreparedBuffer | undefined;
  /** Sizes that the entry gets. */
  readonly given: readonly Index[];
}

/** Locals of the entry. */
interface Entry {
  readonly f: FunctionBuilder;
  readonly product: Product;
  readonly addressOf: (buffer: number) => Address;
  readonly scratch: Address;
  readonly outer: Places;
  /** The place along the outer axes. */
  readonly place: Address;
  /** The first row or column of the block, and the end of its rows or columns. */
  readonly firstRow: Address;
  readonly endRow: Address;
  readonly firstColumn: Address;
  readonly endColumn: Address;
  readonly rowBlock: Address;
  readonly columnBlock: Address;
  readonly firstStep: Address;
  readonly steps: Address;
  readonly sizes: Places;
}

/** Writes the code of a product. Returns its entry. */
export function emitProduct(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  product: Product,
): number {
  const { plan, blocks, options, memories, epilogue, preparedA, preparedB, given } = product;
  const { lanes } = blocks;
  const last = plan.m - (blocks.rowBlocks - 1) * blocks.rows;
  const heights = isFixed(elementsOf(plan.rows))
    ? [Math.min(blocks.rows, plan.m), last]
    : Array.from({ length: blocks.rows }, (_, i) => i + 1);
  // Without packing where each row has a pointer in a register, which older engines lack.
  const rowStep = preparedA === undefined && options.relaxed ? rowStepOf(plan) : undefined;
  const from = rowStep === undefined ? "panels" : "rows";
  const block = blockKernel(module, heights, {
    numbers: plan.numbers,
    direct: product.direct,
    lanes,
    relaxed: options.relaxed,
    from,
  });
  const finish = epilogue.emit(module, imports);
  const pack = (operand: Operand, columns: boolean): number =>
    packKernel(module, {
      lanes: columns ? plan.numbers.columns : lanes,
      axes: columns ? plan.columns : plan.rows,
      index: operand.lanes,
      innerStep: innerStepOf(plan, operand),
      type: operand.type,
      numbers: plan.numbers,
      name: columns ? "pack_b" : "pack_a",
      sizes: given.map(({ text }) => text),
    });
  const packA = preparedA === undefined && rowStep === undefined ? pack(plan.a, false) : undefined;
  const packB = preparedB === undefined ? pack(plan.b, true) : undefined;
  const prepared = [preparedA, preparedB].filter((one) => one !== undefined);
  return kernelEntry(
    module,
    { name: "product", memories, forms: prepared.length + given.length },
    (entry) => {
      const { f, forms, ...at } = entry;
      const formOf = (form: PreparedBuffer): Address => forms[prepared.indexOf(form)]!;
      // The panels of a factor: made by code, or prepared.
      const panels = {
        a: rowStep === undefined ? panelsOf(packA, preparedA, formOf) : { rowStep },
        b: panelsOf(packB, preparedB, formOf),
      };
      const sizes = new Map(given.map(({ text }, i) => [text, forms[prepared.length + i]!]));
      const counts = countsIn(f, product, sizes);
      writeEntry(f, { product, ...at, panels, block, finish, sizes, counts });
    },
  );
}

/** A packing function, the address of what is packed, or bytes from one row to the next. */
type Panels =
  | { readonly pack: number }
  | { readonly form: Address; readonly bytes: number }
  | { readonly rowStep: Index };
const panelsOf = (
  pack: number | undefined,
  prepared: PreparedBuffer | undefined,
  formOf: (form: PreparedBuffer) => Address,
): Panels => (pack === undefined ? { form: formOf(prepared!), bytes: prepared!.bytes } : { pack });

interface EntryInit extends Omit<KernelEntry, "f" | "forms"> {
  readonly product: Product;
  readonly panels: { readonly a: Panels; readonly b: Panels };
  readonly block: number;
  readonly finish: (f: FunctionBuilder, at: FinishedBlock) => void;
  readonly sizes: Places;
  readonly counts: Counts;
}
function writeEntry(f: FunctionBuilder, init: EntryInit): void {
  const { product, scratch, first, end, counts, sizes } = init;
  const { plan, blocks } = product;
  const place = f.local("i32");
  const rest = f.local("i32");
  const local = (): Address => f.local("i32");
  const at = {
    firstRow: local(),
    endRow: local(),
    firstColumn: local(),
    endColumn: local(),
    rowBlock: local(),
    columnBlock: local(),
    firstStep: local(),
    steps: local(),
  };
  tables(f, init);
  const [a, b] = [factor(f, init, "a"), factor(f, init, "b")];
  forUnits(f, first, end, () => {
    pushCount(f.get(first), counts.rowBlocks).op("i32.div_u").set(rest);
    pushCount(f.get(first), counts.rowBlocks).op("i32.rem_u").set(at.rowBlock);
    pushCount(f.get(rest), counts.columnBlocks).op("i32.rem_u").set(at.columnBlock);
    pushCount(f.get(rest), counts.columnBlocks).op("i32.div_u").set(place);
    const outer = unflatten(f, place, plan.outer, { sizes });
    rangeOf(f, at.rowBlock, blocks.rows, counts.rows, at.firstRow, at.endRow);
    rangeOf(f, at.columnBlock, blocks.columns, counts.columns, at.firstColumn, at.endColumn);
    const entry: Entry = { f, product, addressOf: init.addressOf, scratch, outer, place, sizes, ...at };
    a.start(entry);
    b.start(entry);
    steps(entry, init, a, b);
    init.finish(f, { ...init, ...at, place });
  });
}

/** The first of a block, and the end of those that there are. */
export function rangeOf(
  f: FunctionBuilder,
  block: Address,
  size: number,
  count: number | Address,
  first: Address,
  end: Address,
): void {
  f.get(block).i32(size).op("i32.mul").tee(first).i32(size).op("i32.add").set(end);
  pushCount(f.get(end), count);
  pushCount(f.get(end), count).op("i32.lt_s", "select").set(end);
}

/** Byte offsets of the inner places, for the factors that are packed here. */
function tables(f: FunctionBuilder, { product, scratch, panels, sizes }: EntryInit): void {
  const { plan, blocks } = product;
  for (const side of ["a", "b"] as const) {
    if (!("pack" in panels[side])) continue;
    const { table } = placesOf(blocks, side);
    const step = openStepOf(plan, plan[side]);
    if (step === undefined) writeTable(f, scratch, table, plan.inner, plan[side].inner, sizes);
    else {
      const place = axis("step", constant(blocks.steps));
      writeTable(f, scratch, table, [place], multiply(atom(place), step), sizes);
    }
  }
}
/** Bytes between inner places, where it is not known how many there are. */
const openStepOf = ({ inner }: MatrixPlan, operand: Operand): Index | undefined =>
  isFixed(elementsOf(inner)) ? undefined : oneStepOf(inner, operand.inner);

/** Code of one factor: what happens once for a block, and its panels for some steps. */
interface Factor {
  start(entry: Entry): void;
  /** Pushes the address of the panels. */
  panels(entry: Entry): void;
}

function factor(f: FunctionBuilder, init: EntryInit, side: "a" | "b"): Factor {
  const own = init.panels[side];
  if ("rowStep" in own) return rowsFactor(f, init, own.rowStep);
  return "form" in own ? preparedFactor(f, init, side, own.form) : packedFactor(f, init, side, own.pack);
}

/** Rows that are read where they are. */
function rowsFactor(f: FunctionBuilder, { product, addressOf, sizes }: EntryInit, rowStep: Index): Factor {
  const { a } = product.plan;
  const base = f.local("i32");
  return {
    start: ({ outer }) => {
      f.get(addressOf(a.buffer));
      pushIndex(f, a.outer, outer);
      f.op("i32.add").set(base);
    },
    panels: ({ firstRow, firstStep }) => {
      pushIndex(f.get(base, firstRow), rowStep, sizes);
      f.op("i32.mul", "i32.add");
      f.get(firstStep).i32(product.plan.numbers.bytes).op("i32.mul", "i32.add");
    },
  };
}

/** Panels of a constant: blocks of steps follow one another, and in each block the panels. */
function preparedFactor(f: FunctionBuilder, { product }: EntryInit, side: "a" | "b", form: Address): Factor {
  const { plan, blocks } = product;
  const isA = side === "a";
  const base = f.local("i32");
  const { bytes, columns } = plan.numbers;
  const lanes = isA ? blocks.lanes : columns;
  const padded = Math.ceil((isA ? plan.m : plan.n) / lanes) * lanes * bytes;
  return {
    start: ({ outer }) => {
      f.get(form);
      pushFlat(f, plan[side], outer);
      f.i32(padded * plan.k)
        .op("i32.mul", "i32.add")
        .set(base);
    },
    panels: ({ firstStep, steps, firstRow, firstColumn }) => {
      f.get(base).get(firstStep).i32(padded).op("i32.mul", "i32.add");
      f.get(isA ? firstRow : firstColumn, steps)
        .op("i32.mul")
        .i32(bytes)
        .op("i32.mul", "i32.add");
    },
  };
}

/** Panels that are packed for each block, after the operand is copied into a frame of zeros. */
function packedFactor(f: FunctionBuilder, init: EntryInit, side: "a" | "b", pack: number): Factor {
  const { product, scratch } = init;
  const { plan, blocks } = product;
  const operand = plan[side];
  const at = placesOf(blocks, side);
  const [base, packed, key] = f.locals("i32", 3) as readonly [Address, Address, Address];
  f.i32(-1).set(packed);
  const start = startOf(f, init, operand, at.padded);
  return {
    start: ({ outer }) => {
      pushFlat(f, operand, outer);
      f.set(key);
      start(outer, key);
      pushIndex(f, operand.outer, outer);
      f.op("i32.add").set(base);
    },
    panels: (entry) => {
      const [first, end, block] =
        side === "a"
          ? [entry.firstRow, entry.endRow, entry.rowBlock]
          : [entry.firstColumn, entry.endColumn, entry.columnBlock];
      const packNow = (): void => {
        const step = openStepOf(plan, operand);
        f.get(base);
        if (step === undefined) {
          f.get(scratch).i32(at.table).op("i32.add");
          f.get(entry.firstStep).i32(4).op("i32.mul", "i32.add");
        } else {
          pushIndex(f.get(entry.firstStep), step, init.sizes);
          f.op("i32.mul", "i32.add").get(scratch).i32(at.table).op("i32.add");
        }
        f.get(entry.steps, first, end, scratch).i32(at.packed).op("i32.add");
        f.get(...init.sizes.values()).call(pack);
      };
      if (isFixed(elementsOf(plan.inner)) && blocks.stepBlocks > 1) packNow();
      else {
        // Neighboring blocks share their rows or columns.
        const wanted = f.local("i32");
        const { counts } = init;
        pushCount(f.get(key), side === "a" ? counts.rowBlocks : counts.columnBlocks);
        f.op("i32.mul").get(block).op("i32.add");
        f.tee(wanted).get(packed).op("i32.ne");
        if (typeof counts.steps !== "number") f.get(counts.steps).i32(blocks.steps).op("i32.gt_s", "i32.or");
        f.if(() => {
          packNow();
          f.copy(wanted, packed);
        });
      }
      f.get(scratch).i32(at.packed).op("i32.add");
    },
  };
}
const placesOf = ({ scratch }: Blocks, side: "a" | "b") =>
  side === "a"
    ? { table: scratch.tableA, padded: scratch.paddedA, packed: scratch.packedA }
    : { table: scratch.tableB, padded: scratch.paddedB, packed: scratch.packedB };

/** Code that pushes the address of an operand, or of its padded copy, made when its key changes. */
function startOf(
  f: FunctionBuilder,
  { scratch, addressOf }: EntryInit,
  { padding, buffer, type }: Operand,
  padded: number,
): (outer: Places, key: Address) => void {
  if (padding === undefined) return () => f.get(addressOf(buffer));
  const [known, copy, source] = f.locals("i32", 3) as readonly [Address, Address, Address];
  f.i32(-1).set(known);
  return (outer, key) => {
    f.get(scratch).i32(padded).op("i32.add").set(copy);
    f.get(key, known).op("i32.ne");
    f.if(() => {
      f.get(addressOf(buffer));
      pushIndex(f, padding.from, outer);
      f.i32(bytesOfFactor(type)).op("i32.mul", "i32.add").set(source);
      writePadded(f, padding, source, copy, bytesOfFactor(type));
      f.copy(key, known);
    });
    f.get(copy);
  };
}

/** Pushes the flat place over the outer axes that a factor depends on. */
function pushFlat(f: FunctionBuilder, { outerAxes }: Operand, outer: Places): void {
  f.i32(0);
  for (const one of outerAxes) {
    pushIndex(f, one.extent, outer);
    f.op("i32.mul").get(outer.get(one.name)!).op("i32.add");
  }
}

/** Pushes the address of the first number of a block in a buffer. */
function pushPlace(
  { f, addressOf, place, firstRow, firstColumn, sizes }: Entry,
  buffer: number,
  { outer, row, column }: Direct["output"],
): void {
  f.get(addressOf(buffer));
  pushIndex(f, outer, new Map([...sizes, [PLACE, place]]));
  f.op("i32.add").get(firstRow).i32(row).op("i32.mul", "i32.add");
  f.get(firstColumn).i32(column).op("i32.mul", "i32.add");
}

/** Adds all products of a block to its tile of scratch memory, or stores the results. */
function steps(entry: Entry, { block, panels, counts }: EntryInit, a: Factor, b: Factor): void {
  const { f, product, scratch, firstStep, endRow, firstRow, endColumn, firstColumn } = entry;
  const { plan, blocks, direct } = product;
  const { numbers } = plan;
  const [panelsA, panelsB] = f.locals("i32", 2) as readonly [Address, Address];
  f.i32(0).set(firstStep);
  f.loop((again) => {
    pushCount(f, counts.steps).get(firstStep).op("i32.sub").set(entry.steps);
    f.get(entry.steps).i32(blocks.steps).get(entry.steps).i32(blocks.steps).op("i32.lt_s", "select");
    f.set(entry.steps);
    a.panels(entry);
    f.set(panelsA);
    b.panels(entry);
    f.set(panelsB);
    f.get(panelsA, panelsB);
    if (direct === undefined) f.get(scratch).i32(blocks.scratch.tile).op("i32.add");
    else pushPlace(entry, plan.nest.output, direct.output);
    f.get(entry.steps, endRow, firstRow).op("i32.sub");
    f.get(endColumn, firstColumn)
      .op("i32.sub")
      .i32(numbers.columns - 1)
      .op("i32.add")
      .i32(numbers.columns)
      .op("i32.div_u");
    f.i32(direct === undefined ? blocks.columns * numbers.bytes : direct.output.row).get(firstStep);
    pushIndex(f, "rowStep" in panels.a ? panels.a.rowStep : ZERO, entry.sizes);
    for (const load of direct?.loads ?? []) {
      pushPlace(entry, load.buffer, load);
      f.i32(load.row);
    }
    f.call(block);
    f.increase(firstStep, blocks.steps);
    pushCount(f.get(firstStep), counts.steps).op("i32.lt_s").brIf(again);
  });
}
