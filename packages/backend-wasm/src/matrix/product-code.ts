/**
 * @file Writes the code of matrix products: factors are packed into panels, or read where they are,
 * and tiles of a block are summed up in registers.
 */
import { atom, axis, constant, elementsOf, type Index, multiply, ZERO } from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { type Expression, type FunctionBuilder, i32, type ModuleBuilder } from "@sconce/wasm";
import type { KernelBuffer, PreparedBuffer } from "../kernel-code.js";
import { forUnits, type KernelEntry, kernelEntry } from "../kernel-entry.js";
import type { Blocks } from "./blocks.js";
import { type Counts, countsIn, isFixed } from "./counts.js";
import type { Direct } from "./direct.js";
import { type Epilogue, type FinishedBlock, PLACE } from "./epilogue.js";
import { addExpanded, type ExpandedKernels, type ExpandedSource, expandedKernels } from "./expanded-tiles.js";
import { type Address, indexAt, type Places, unflatten } from "./index-code.js";
import { blockKernel, type TileInit } from "./micro.js";
import { bytesOfFactor } from "./numbers.js";
import type { MatrixOptions } from "./options.js";
import { packKernel, writeTable } from "./pack.js";
import { writePadded } from "./pad-code.js";
import { innerStepOf, oneStepOf, rowStepOf } from "./prepared.js";
import type { MatrixPlan, Operand } from "./product-plan.js";

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
  /** Where B is computed from narrow integers: how, and their panels. */
  readonly expanded?: ExpandedSource | undefined;
  /** Sizes that the entry gets. */
  readonly given: readonly Index[];
}

/** Returns what the device makes of constants for a product, in the order of the entry. */
export const preparedIn = ({ preparedA, preparedB, expanded }: Product): PreparedBuffer[] => [
  ...[preparedA, preparedB].filter((one) => one !== undefined),
  ...(expanded?.forms ?? []).map(({ prepared }) => prepared),
];

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
  const { plan, blocks, options, memories, epilogue, preparedA, preparedB, expanded, given } = product;
  const { lanes } = blocks;
  const last = plan.m - (blocks.rowBlocks - 1) * blocks.rows;
  const heights = isFixed(elementsOf(plan.rows))
    ? [Math.min(blocks.rows, plan.m), last]
    : Array.from({ length: blocks.rows }, (_, i) => i + 1);
  // Without packing where each row has a pointer in a register, which older engines lack.
  const rowStep = preparedA === undefined && options.relaxed ? rowStepOf(plan) : undefined;
  const from = rowStep === undefined ? "panels" : "rows";
  const tile: TileInit = {
    numbers: plan.numbers,
    direct: product.direct,
    lanes,
    relaxed: options.relaxed,
    from,
  };
  const kernels =
    expanded === undefined
      ? { block: blockKernel(module, heights, tile) }
      : expandedKernels(module, expanded, { plan, heights, tile });
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
  const packB = preparedB === undefined && expanded === undefined ? pack(plan.b, true) : undefined;
  const prepared = preparedIn(product);
  return kernelEntry(
    module,
    { name: "product", memories, forms: prepared.length + given.length },
    (entry) => {
      const { f, forms, ...at } = entry;
      const formOf = (form: PreparedBuffer): Address => forms[prepared.indexOf(form)]!;
      // The panels of a factor: made by code, or prepared.
      const panels = {
        a: rowStep === undefined ? panelsOf(packA, preparedA, formOf) : { rowStep },
        b: expanded === undefined ? panelsOf(packB, preparedB, formOf) : EXPANDED,
      };
      const sizes = new Map(given.map(({ text }, i) => [text, forms[prepared.length + i]!]));
      const counts = countsIn(f, product, sizes);
      writeEntry(f, { product, ...at, panels, formOf, kernels, finish, sizes, counts });
    },
  );
}

/** A packing function, the address of what is packed, bytes between rows, or neither. */
type Panels =
  | typeof EXPANDED
  | { readonly pack: number }
  | { readonly form: Address; readonly bytes: number }
  | { readonly rowStep: Index };
/** Panels that are computed from narrow integers. */
const EXPANDED = { expanded: true } as const;
const panelsOf = (
  pack: number | undefined,
  prepared: PreparedBuffer | undefined,
  formOf: (form: PreparedBuffer) => Address,
): Panels => (pack === undefined ? { form: formOf(prepared!), bytes: prepared!.bytes } : { pack });

interface EntryInit extends Omit<KernelEntry, "f" | "forms"> {
  readonly product: Product;
  readonly panels: { readonly a: Panels; readonly b: Panels };
  readonly formOf: (form: PreparedBuffer) => Address;
  readonly kernels: { readonly block: number } | ExpandedKernels;
  readonly finish: (f: FunctionBuilder, at: FinishedBlock) => void;
  readonly sizes: Places;
  readonly counts: Counts;
}
function writeEntry(f: FunctionBuilder, init: EntryInit): void {
  const { product, scratch, first, end, counts, sizes } = init;
  const { plan, blocks } = product;
  const [place, rest] = f.locals("i32", 2);
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
  const a = factor(f, init, "a");
  const tiles = tilesOf(f, init);
  forUnits(f, first, end, () => {
    f.assign(rest, i32(first).over(counts.rowBlocks));
    f.assign(at.rowBlock, i32(first).rest(counts.rowBlocks));
    f.assign(at.columnBlock, i32(rest).rest(counts.columnBlocks));
    f.assign(place, i32(rest).over(counts.columnBlocks));
    const outer = unflatten(f, place, plan.outer, { sizes });
    rangeOf(f, at.rowBlock, blocks.rows, counts.rows, at.firstRow, at.endRow);
    rangeOf(f, at.columnBlock, blocks.columns, counts.columns, at.firstColumn, at.endColumn);
    const entry: Entry = { f, product, addressOf: init.addressOf, scratch, outer, place, sizes, ...at };
    a.start(entry);
    tiles.start(entry);
    steps(entry, init, a, tiles);
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
  f.assign(first, i32(block).times(size));
  f.assign(end, i32(first).plus(size)).assign(end, i32(end).least(count));
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
  /** Returns the address of the panels, after code that packs them. */
  panels(entry: Entry): Expression;
}

function factor(f: FunctionBuilder, init: EntryInit, side: "a" | "b"): Factor {
  const own = init.panels[side];
  if ("expanded" in own) throw internalError("an expanded factor has no panels in memory");
  if ("rowStep" in own) return rowsFactor(f, init, own.rowStep);
  return "form" in own ? preparedFactor(f, init, side, own.form) : packedFactor(f, init, side, own.pack);
}

/** Rows that are read where they are. */
function rowsFactor(f: FunctionBuilder, { product, addressOf, sizes }: EntryInit, rowStep: Index): Factor {
  const { a, numbers } = product.plan;
  const base = f.local("i32");
  return {
    start: ({ outer }) => void f.assign(base, i32(addressOf(a.buffer)).plus(indexAt(a.outer, outer))),
    panels: ({ firstRow, firstStep }) =>
      i32(base)
        .plus(i32(firstRow).times(indexAt(rowStep, sizes)))
        .plus(i32(firstStep).times(numbers.bytes)),
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
    start: ({ outer }) =>
      void f.assign(base, i32(form).plus(flatAt(plan[side], outer).times(padded * plan.k))),
    panels: ({ firstStep, steps, firstRow, firstColumn }) =>
      i32(base)
        .plus(i32(firstStep).times(padded))
        .plus(
          i32(isA ? firstRow : firstColumn)
            .times(steps)
            .times(bytes),
        ),
  };
}

/** Panels that are packed for each block, after the operand is copied into a frame of zeros. */
function packedFactor(f: FunctionBuilder, init: EntryInit, side: "a" | "b", pack: number): Factor {
  const { product, scratch, counts } = init;
  const { plan, blocks } = product;
  const operand = plan[side];
  const at = placesOf(blocks, side);
  const packed = f.let(-1);
  const [base, key] = f.locals("i32", 2);
  const start = startOf(f, init, operand, at.padded);
  return {
    start: ({ outer }) => {
      f.assign(key, flatAt(operand, outer));
      f.assign(base, start(outer, key).plus(indexAt(operand.outer, outer)));
    },
    panels: (entry) => {
      const [first, end, block] =
        side === "a"
          ? [entry.firstRow, entry.endRow, entry.rowBlock]
          : [entry.firstColumn, entry.endColumn, entry.columnBlock];
      const panels = i32(scratch).plus(at.packed);
      const packNow = (): void => {
        const step = openStepOf(plan, operand);
        const table = i32(scratch).plus(at.table);
        if (step === undefined) f.put(base, table.plus(i32(entry.firstStep).times(4)));
        else f.put(i32(base).plus(i32(entry.firstStep).times(indexAt(step, init.sizes))), table);
        f.put(entry.steps, first, end, panels, ...init.sizes.values()).call(pack);
      };
      if (isFixed(elementsOf(plan.inner)) && blocks.stepBlocks > 1) packNow();
      else {
        // Neighboring blocks share their rows or columns.
        const wanted = f.let(
          i32(key)
            .times(side === "a" ? counts.rowBlocks : counts.columnBlocks)
            .plus(block),
        );
        const isOther = i32(wanted).is("ne", packed);
        const hasMore = i32(counts.steps).is("gt_s", blocks.steps);
        f.put(typeof counts.steps === "number" ? isOther : isOther.or(hasMore)).if(() => {
          packNow();
          f.copy(wanted, packed);
        });
      }
      return panels;
    },
  };
}
const placesOf = ({ scratch }: Blocks, side: "a" | "b") =>
  side === "a"
    ? { table: scratch.tableA, padded: scratch.paddedA, packed: scratch.packedA }
    : { table: scratch.tableB, padded: scratch.paddedB, packed: scratch.packedB };

/** Returns the address of an operand, or of its padded copy, made when its key changes. */
function startOf(
  f: FunctionBuilder,
  { scratch, addressOf }: EntryInit,
  { padding, buffer, type }: Operand,
  padded: number,
): (outer: Places, key: Address) => Expression {
  if (padding === undefined) return () => i32(addressOf(buffer));
  const known = f.let(-1);
  const [copy, source] = f.locals("i32", 2);
  const bytes = bytesOfFactor(type);
  return (outer, key) => {
    f.assign(copy, i32(scratch).plus(padded));
    f.put(i32(key).is("ne", known)).if(() => {
      f.assign(source, i32(addressOf(buffer)).plus(indexAt(padding.from, outer).times(bytes)));
      writePadded(f, padding, source, copy, bytes);
      f.copy(key, known);
    });
    return i32(copy);
  };
}

/** Returns the flat place over the outer axes that a factor depends on. */
const flatAt = ({ outerAxes }: Pick<Operand, "outerAxes">, outer: Places): Expression =>
  outerAxes.reduce(
    (flat, { extent, name }) => flat.times(indexAt(extent, outer)).plus(outer.get(name)!),
    i32(0),
  );

/** Returns the address of the first number of a block in a buffer. */
const placeIn = (
  { addressOf, place, firstRow, firstColumn, sizes }: Entry,
  buffer: number,
  { outer, row, column }: Direct["output"],
): Expression =>
  i32(addressOf(buffer))
    .plus(indexAt(outer, new Map([...sizes, [PLACE, place]])))
    .plus(i32(firstRow).times(row))
    .plus(i32(firstColumn).times(column));

/** What tiles of some steps are added to. */
interface TileTarget {
  readonly panelsA: Address;
  /** The first result of the block, and bytes from one row to the next. */
  readonly at: Expression;
  readonly row: number;
  /** Bytes of a row of A. */
  readonly rowBytes: Expression;
}
/** Code of the tiles of a block: what happens once for a block, and the products of some steps. */
interface Tiles {
  start(entry: Entry): void;
  add(entry: Entry, target: TileTarget): void;
}

function tilesOf(f: FunctionBuilder, init: EntryInit): Tiles {
  const { kernels } = init;
  return "block" in kernels ? blockTiles(f, init, kernels.block) : expandedTiles(f, init, kernels);
}

/** Tiles over panels of B. */
function blockTiles(f: FunctionBuilder, init: EntryInit, block: number): Tiles {
  const b = factor(f, init, "b");
  const { direct, plan } = init.product;
  return {
    start: (entry) => b.start(entry),
    add: (entry, { panelsA, at, row, rowBytes }) => {
      const { firstRow, endRow, firstColumn, endColumn, firstStep } = entry;
      const panelsB = f.let(b.panels(entry));
      f.put(panelsA, panelsB, at, entry.steps, i32(endRow).minus(firstRow));
      f.put(i32(endColumn).minus(firstColumn).parts(plan.numbers.columns), row, firstStep, rowBytes);
      for (const load of direct?.loads ?? []) f.put(placeIn(entry, load.buffer, load), load.row);
      f.call(block);
    },
  };
}

/** Tiles over panels that are computed from narrow integers. */
function expandedTiles(
  f: FunctionBuilder,
  { product, scratch, formOf }: EntryInit,
  kernels: ExpandedKernels,
): Tiles {
  const { blocks, expanded, direct } = product;
  const forms = expanded!.forms;
  const bases = forms.map(() => f.local("i32"));
  return {
    start: ({ outer }) => {
      for (const [i, { prepared, places, placeBytes }] of forms.entries())
        f.assign(bases[i]!, i32(formOf(prepared)).plus(flatAt(places, outer).times(placeBytes)));
    },
    add: (entry, { panelsA, at, row, rowBytes }) => {
      const loads = (direct?.loads ?? []).map((load) => ({ ...load, at: placeIn(entry, load.buffer, load) }));
      addExpanded(
        f,
        kernels,
        { ...entry, expanded: expanded!, bases, loads },
        {
          a: panelsA,
          c: at,
          row,
          rowBytes,
          panel: i32(scratch).plus(blocks.scratch.packedB),
        },
      );
    },
  };
}

/** Adds all products of a block to its tile of scratch memory, or stores the results. */
function steps(entry: Entry, { panels, counts }: EntryInit, a: Factor, tiles: Tiles): void {
  const { f, product, scratch, firstStep, sizes } = entry;
  const { plan, blocks, direct } = product;
  const target =
    direct === undefined
      ? { at: i32(scratch).plus(blocks.scratch.tile), row: blocks.columns * plan.numbers.bytes }
      : { at: placeIn(entry, plan.nest.output, direct.output), row: direct.output.row };
  const rowStep = "rowStep" in panels.a ? panels.a.rowStep : ZERO;
  f.assign(firstStep, 0);
  const someSteps = (): void => {
    f.assign(entry.steps, i32(counts.steps).minus(firstStep));
    f.assign(entry.steps, i32(entry.steps).least(blocks.steps));
    const panelsA = f.let(a.panels(entry));
    tiles.add(entry, { ...target, panelsA, rowBytes: indexAt(rowStep, sizes) });
  };
  f.countUp(firstStep, counts.steps, someSteps, blocks.steps);
}
