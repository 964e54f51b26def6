/**
 * @file Code of products whose factor is computed from narrow integers. For few rows a tile
 * computes the factor in registers. For more rows a panel of it is computed in scratch memory, and
 * tiles read it there.
 */
import type { FunctionBuilder, Local, ModuleBuilder } from "@sconce/wasm";
import { i32 } from "@sconce/wasm";
import { Helpers } from "../emit/helpers.js";
import { constantsInPlace } from "../emit/vector/constants.js";
import { type Vector, VectorWriter } from "../emit/vector/lines.js";
import type { Expansion } from "./expansion.js";
import type { Address } from "./index-code.js";
import {
  extraParams,
  finishTile,
  multiplyAdd,
  PANEL_BYTES,
  storeTile,
  type TileInit,
  VECTORS,
} from "./micro.js";
import { shared } from "./shared.js";

/** Bytes of the integers of a step. */
const NARROW_BYTES = 8;

/** What functions over a factor are made for. */
export interface ExpandedInit {
  readonly expansion: Expansion;
  /** Whether all steps of the product are one group. */
  readonly isOne: boolean;
  /** Bytes of a panel of the integers, then of each number. */
  readonly panelBytes: readonly number[];
}
const keyOf = ({ expansion, isOne, panelBytes }: ExpandedInit): string =>
  `${isOne} ${panelBytes.join()} ${expansion.key}`;
const paramsOf = ({ numbers }: Expansion): "i32"[] => numbers.map(() => "i32");

/** Addresses of the integers and of the numbers of a panel, at the steps that are next. */
interface PanelPlaces {
  readonly narrow: Address;
  readonly numbers: readonly Address[];
  /** Steps that are left: whole groups, or steps of the only one. */
  readonly steps: Address;
}
/** The factor at the steps of a byte. */
interface FactorAt {
  /** Reads the integers of four columns; others may lie in the same registers. */
  readonly readFour: (four: number) => void;
  /** Returns the factor of four columns whose integers were read, at a step of the byte. */
  readonly factor: (phase: number, four: number) => Vector;
}
/** What is done with the factor. */
interface FactorReader {
  /** Panels side by side. */
  readonly panels: number;
  /** Whether the integers of all columns are kept at once. */
  readonly keepsAll: boolean;
  /** Takes the factor at the steps of a byte. */
  readonly byte: (at: FactorAt) => void;
  /** Moves on by the steps of a byte. */
  readonly next: () => void;
}

/** Writes loops over the steps of panels. */
function eachByte(
  module: ModuleBuilder,
  f: FunctionBuilder,
  { expansion, isOne, panelBytes }: ExpandedInit,
  { narrow, numbers: addresses, steps }: PanelPlaces,
  { panels, keepsAll, byte, next }: FactorReader,
): void {
  const { group, phases, numbers } = expansion;
  const w = new VectorWriter(f, new Helpers(module, new Map()), constantsInPlace(f));
  const own = numbers.map(() => f.locals("v128", VECTORS * panels));
  const read = integerReader(f, narrow, expansion.narrow.dtype, { panels, keepsAll, bytes: panelBytes[0]! });
  const left = f.local("i32");
  const readNumbers = (): void => {
    for (const [n, vectors] of own.entries())
      for (const [i, one] of vectors.entries()) {
        const ofPanel = Math.floor(i / VECTORS) * panelBytes[1 + n]!;
        f.get(addresses[n]!)
          .memory("v128.load", ofPanel + 16 * (i % VECTORS))
          .set(one);
      }
  };
  const oneByte = (): void => {
    read.start();
    byte({
      readFour: read.readFour,
      factor: (phase, four) => {
        const columns = own.map((vectors) => () => void f.get(vectors[four]!));
        return phases[phase]!.write(w, { narrow: read.four(four), numbers: columns });
      },
    });
    f.increase(narrow, NARROW_BYTES);
    next();
  };
  if (isOne) {
    readNumbers();
    f.assign(left, i32(steps).over(phases.length)).countDown(left, oneByte);
    return;
  }
  f.loop((again) => {
    readNumbers();
    f.assign(left, group / phases.length).countDown(left, oneByte);
    for (const address of addresses) f.increase(address, PANEL_BYTES);
    f.increase(steps, -group).get(steps).brIf(again);
  });
}

/** Returns code that reads the integers of the columns of panels into lanes of 32 bits. */
function integerReader(
  f: FunctionBuilder,
  narrow: Address,
  dtype: string,
  {
    panels,
    keepsAll,
    bytes,
  }: { readonly panels: number; readonly keepsAll: boolean; readonly bytes: number },
) {
  const sign = dtype === "int8" ? "s" : "u";
  const wide = f.locals("v128", panels);
  const kept = f.locals("v128", keepsAll ? VECTORS * panels : 1);
  const localOf = (four: number): Local<"v128"> => kept[keepsAll ? four : 0]!;
  return {
    start: (): void => {
      for (const [at, eight] of wide.entries())
        f.get(narrow)
          .memory(`v128.load8x8_${sign}`, at * bytes)
          .set(eight);
    },
    readFour: (four: number): void => {
      f.get(wide[Math.floor(four / VECTORS)]!)
        .op(`i32x4.extend_${four % VECTORS === 0 ? "low" : "high"}_i16x8_${sign}`)
        .set(localOf(four));
    },
    four:
      (four: number): Vector =>
      () =>
        void f.get(localOf(four)),
  };
}

/** Adds a function `(narrow, ...numbers, target, steps)` that computes a panel of the factor. */
export function unpackKernel(module: ModuleBuilder, init: ExpandedInit): number {
  const { expansion } = init;
  return shared(module, `unpack ${keyOf(init)}`, () => {
    const params = ["i32", ...paramsOf(expansion), "i32", "i32"] as const;
    return module.func({ params, name: "unpack" }, (f, ...given) => {
      const all = given as readonly Local<"i32">[];
      const [target, steps] = all.slice(-2) as [Address, Address];
      const places = { narrow: all[0]!, numbers: all.slice(1, -2), steps };
      eachByte(module, f, init, places, {
        panels: 1,
        keepsAll: false,
        byte: ({ readFour, factor }) => {
          for (let four = 0; four < VECTORS; four++) {
            readFour(four);
            for (const phase of expansion.phases.keys()) {
              f.get(target);
              factor(phase, four)();
              f.memory("v128.store", PANEL_BYTES * phase + 16 * four);
            }
          }
        },
        next: () => void f.increase(target, PANEL_BYTES * expansion.phases.length),
      });
    });
  });
}

/** Rows whose elements are kept while columns follow one another. */
const MOST_SPREAD = 2;

/** What is added to the sums of a tile at the steps of a byte. */
interface TileStep {
  readonly sums: readonly (readonly Local<"v128">[])[];
  readonly phases: number;
  readonly relaxed: boolean;
  readonly pushElement: (phase: number, row: number) => void;
}

/** Keeps the elements of few rows in registers, and computes four columns after the other. */
function byColumns(f: FunctionBuilder, at: FactorAt, { sums, phases, relaxed, pushElement }: TileStep): void {
  const elements = Array.from({ length: phases }, () => f.locals("v128", sums.length));
  const column = f.local("v128");
  for (const [phase, rows] of elements.entries())
    for (const [r, element] of rows.entries()) {
      pushElement(phase, r);
      f.set(element);
    }
  for (const four of sums[0]!.keys()) {
    at.readFour(four);
    for (const [phase, rows] of elements.entries()) {
      at.factor(phase, four)();
      f.set(column);
      for (const [r, element] of rows.entries()) multiplyAdd(f, relaxed, element, column, sums[r]![four]!);
    }
  }
}

/** Keeps the columns in registers, and adds one row after the other. */
function byRows(f: FunctionBuilder, at: FactorAt, { sums, phases, relaxed, pushElement }: TileStep): void {
  const columns = sums[0]!.map(() => f.local("v128"));
  const element = f.local("v128");
  for (const four of columns.keys()) at.readFour(four);
  for (let phase = 0; phase < phases; phase++) {
    for (const [four, column] of columns.entries()) {
      at.factor(phase, four)();
      f.set(column);
    }
    for (const [r, sum] of sums.entries()) {
      pushElement(phase, r);
      f.set(element);
      for (const [four, one] of sum.entries()) multiplyAdd(f, relaxed, element, columns[four]!, one);
    }
  }
}

/**
 * Adds a function `(a, narrow, ...numbers, c, steps, rowBytes, isMore, aBytes, ...loads)` that
 * multiplies rows of A by panels of the factor, as the other microkernels do.
 */
export function expandedTile(
  module: ModuleBuilder,
  rows: number,
  panels: number,
  init: ExpandedInit,
  tile: TileInit,
): number {
  const { expansion } = init;
  const { lanes, relaxed, from, direct } = tile;
  const key = `expanded ${rows} ${panels} ${lanes} ${relaxed} ${from} ${direct?.key} ${keyOf(init)}`;
  return shared(module, key, () => {
    const own = new Array<"i32">(2 + expansion.numbers.length + 5).fill("i32");
    const params = [...own, ...extraParams(direct)];
    return module.func({ params, name: `expanded_${rows}x${panels}` }, (f, ...given) => {
      const all = given as readonly Local<"i32">[];
      const [a, narrow] = all as [Address, Address];
      const numbers = all.slice(2, 2 + expansion.numbers.length);
      const [c, steps, rowBytes, isMore, aBytes, ...extra] = all.slice(2 + numbers.length) as [
        Address,
        Address,
        Address,
        Address,
        Address,
        ...Address[],
      ];
      const sums = Array.from({ length: rows }, () => f.locals("v128", VECTORS * panels));
      const pointers = [a];
      if (from === "rows")
        for (let r = 1; r < rows; r++) pointers.push(f.let(i32(pointers[r - 1]!).plus(aBytes)));
      const pushElement = (phase: number, r: number): void => {
        const [pointer, place] = from === "panels" ? [a, lanes * phase + r] : [pointers[r]!, phase];
        f.get(pointer).memory("v128.load32_splat", 4 * place);
      };
      const keepsAll = rows > MOST_SPREAD;
      const add = keepsAll ? byRows : byColumns;
      const byte = (at: FactorAt): void =>
        add(f, at, { sums, phases: expansion.phases.length, relaxed, pushElement });
      const bytes = 4 * expansion.phases.length * (from === "panels" ? lanes : 1);
      const next = (): void => {
        for (const pointer of pointers) f.increase(pointer, bytes);
      };
      eachByte(module, f, init, { narrow, numbers, steps }, { panels, keepsAll, byte, next });
      if (direct === undefined) storeTile(f, sums, { c, rowBytes, isMore });
      else finishTile(module, f, sums, { c, rowBytes, extra }, direct);
    });
  });
}
