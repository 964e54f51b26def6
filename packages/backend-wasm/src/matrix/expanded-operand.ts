/**
 * @file Factors that are computed from narrow integers, as kernels read them: panels of eight
 * columns, made once. A panel of integers has the bytes of its columns side by side, and a panel of
 * numbers one of each column for a group.
 */
import { type Axis, fixedValue, type Index, type Scalar, scale, volumeOf } from "@sconce/codegen";
import { type DType, isFloatDType } from "@sconce/tensor";
import { i32, type ModuleBuilder } from "@sconce/wasm";
import { shiftOf } from "../emit/core/types.js";
import { loadElement } from "../emit/elements.js";
import { Helpers } from "../emit/helpers.js";
import type { LoadScalar } from "../emit/vector/scalars.js";
import type { PreparedBuffer } from "../kernel-code.js";
import { type Expansion, expansionOf, GROUP, STEP } from "./expansion.js";
import { type Address, indexAt, isEmittable, unflatten } from "./index-code.js";
import { FLOAT32 } from "./numbers.js";
import { axesIn, separate } from "./separate.js";

/** Where integers or numbers lie: byte offsets that are added. */
interface ExpandedPlaces {
  readonly buffer: number;
  readonly dtype: DType;
  /** By the axes outside of the product, by the columns, and by the group and the step in it. */
  readonly outer: Index;
  readonly lanes: Index;
  readonly inner: Index;
  readonly outerAxes: readonly Axis[];
}

/** A factor that is computed from narrow integers. */
export interface ExpandedOperand {
  readonly expansion: Expansion;
  readonly narrow: ExpandedPlaces;
  readonly numbers: readonly ExpandedPlaces[];
}

/** Returns how a factor is computed; undefined if it is not from narrow integers. */
export function expandedOperand(
  value: Scalar,
  inner: Axis,
  outer: readonly Axis[],
  lanes: readonly Axis[],
): ExpandedOperand | undefined {
  const expansion = expansionOf(value, inner);
  if (expansion === undefined) return undefined;
  const narrow = placesOf(expansion.narrow, outer, lanes);
  const numbers = expansion.numbers.flatMap((one) => placesOf(one, outer, lanes) ?? []);
  const isWhole = narrow !== undefined && numbers.length === expansion.numbers.length;
  return isWhole ? { expansion, narrow, numbers } : undefined;
}

function placesOf(
  { index, dtype, buffer }: LoadScalar,
  outer: readonly Axis[],
  lanes: readonly Axis[],
): ExpandedPlaces | undefined {
  const names = (axes: readonly Axis[]): Set<string> => new Set(axes.map(({ name }) => name));
  const bytes = scale(index, 2 ** shiftOf(dtype));
  const parts = separate(bytes, [names(outer), names(lanes), new Set([GROUP, STEP])]);
  if (parts === undefined || !parts.every(isEmittable)) return undefined;
  const [ofOuter, ofLanes, ofInner] = parts as [Index, Index, Index];
  const outerAxes = axesIn(outer, ofOuter);
  return { buffer, dtype, outer: ofOuter, lanes: ofLanes, inner: ofInner, outerAxes };
}

/** Returns whether numbers are integers in panels; those of 64 bits become floats. */
const isNarrowInteger = (dtype: DType): boolean => dtype !== "int64" && !isFloatDType(dtype);

/** Panels of one buffer. */
export interface ExpandedForm {
  readonly places: ExpandedPlaces;
  readonly prepared: PreparedBuffer;
  /** Bytes of a panel, and of all panels of a place of the outer axes. */
  readonly panelBytes: number;
  readonly placeBytes: number;
}
/** What the panels of a product are made from. */
interface Columns {
  readonly axes: readonly Axis[];
  readonly count: number;
  readonly steps: number;
}

/** Columns of a panel. */
const LANES = FLOAT32.columns;
/** Steps of the sum that one byte holds. */
const stepsPerByte = ({ phases }: Expansion): number => phases.length;

/** Returns the panels that kernels read: of the integers, then of each number. */
export function expandedForms(
  { expansion, narrow, numbers }: ExpandedOperand,
  columns: Columns,
): ExpandedForm[] {
  const { group } = expansion;
  const groups = columns.steps / group;
  const inGroup = group / stepsPerByte(expansion);
  return [
    formOf(narrow, columns, { groups, steps: inGroup, element: 1 }),
    ...numbers.map((one) => formOf(one, columns, { groups, steps: 1, element: 4 })),
  ];
}

interface Layout {
  readonly groups: number;
  /** Entries of a group. */
  readonly steps: number;
  /** Bytes of an entry in the panel. */
  readonly element: number;
}

function formOf(places: ExpandedPlaces, columns: Columns, layout: Layout): ExpandedForm {
  const { groups, steps, element } = layout;
  const panelBytes = groups * steps * element * LANES;
  const placeBytes = Math.ceil(columns.count / LANES) * panelBytes;
  const describe = (axes: readonly Axis[]): string =>
    axes.map(({ name, extent }) => `${name}<${fixedValue(extent)}`).join();
  const at = `${places.outer.text} ${places.lanes.text} ${places.inner.text}`;
  const over = `${describe(places.outerAxes)} ${describe(columns.axes)}`;
  return {
    places,
    panelBytes,
    placeBytes,
    prepared: {
      buffer: places.buffer,
      bytes: volumeOf(places.outerAxes) * placeBytes,
      key: `columns of ${element}, ${groups} groups of ${steps}: ${at} over ${over}`,
      emit: (module) => emitForm(module, places, columns, layout),
    },
  };
}

/** Adds a function `(from, to)` that makes all panels of a buffer. */
function emitForm(
  module: ModuleBuilder,
  { outer, lanes, inner, outerAxes, dtype }: ExpandedPlaces,
  { axes, count }: Columns,
  { groups, steps, element }: Layout,
): number {
  const helpers = new Helpers(module, new Map());
  return module.func({ params: ["i32", "i32"], name: "prepare_columns" }, (f, from, to) => {
    const [base, lane, offset, column] = f.locals("i32", 4);
    const pointers = f.locals("i32", LANES);
    const [group, step] = [f.local("i32"), f.local("i32")];
    const places = new Map([
      [GROUP, group],
      [STEP, step],
    ]);
    const copyOne = (pointer: Address, l: number): void => {
      f.put(to, i32(pointer).plus(offset));
      if (element === 1) f.memory("i32.load8_u").memory("i32.store8", l);
      else {
        loadElement(f, helpers, dtype, 0);
        if (dtype === "int64") f.op("f32.convert_i64_s");
        f.memory(isNarrowInteger(dtype) ? "i32.store" : "f32.store", 4 * l);
      }
    };
    const onePanel = (): void => {
      for (const [l, pointer] of pointers.entries()) {
        // The last column there is, for those beyond it.
        f.assign(
          column,
          i32(lane)
            .plus(l)
            .least(count - 1),
        );
        f.assign(pointer, i32(base).plus(indexAt(lanes, unflatten(f, column, axes))));
      }
      f.assign(group, 0).countUp(group, groups, () => {
        f.assign(step, 0).countUp(step, steps, () => {
          f.assign(offset, indexAt(inner, places));
          for (const [l, pointer] of pointers.entries()) copyOne(pointer, l);
          f.increase(to, element * LANES);
        });
      });
    };
    const place = f.let(0);
    f.countUp(place, volumeOf(outerAxes), () => {
      f.assign(base, i32(from).plus(indexAt(outer, unflatten(f, place, outerAxes))));
      f.assign(lane, 0).countUp(lane, count, onePanel, LANES);
    });
  });
}
