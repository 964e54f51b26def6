/** @file Parts of values that the page shows as tables and pictures. */
import { dtypeInfo, elementReader, laneReader, type Tensor, tensorStatistics } from "@sconce/tensor";
import { backendTolerance, measureError } from "@sconce/tensor/compare";
import { elementText } from "./element-text.js";
import type { NodeValue } from "./node-values.js";
import type { ElementMark, Picture, SliceStart, SliceTable, SliceView } from "./protocol.js";

/** Elements of a table. */
const MOST_ELEMENTS = 400;
/** Columns of a table whose value has more, and many rows. */
const FEW_COLUMNS = 16;
/** Sides of a picture; of larger slices some rows and columns are left out. */
const MOST_SIDE = 512;

/** Where the elements of a 2-D slice lie in a row-major tensor. */
interface Plane {
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
}

/** Returns the part of a value that begins at an element; of both values, where there are two. */
export function sliceView(name: string, value: NodeValue, wanted: SliceStart): SliceView {
  const { tensors, problem } = value;
  const { dtype, shape } = tensors[0]!.tensor;
  const [rows, columns] = [
    shape.at(-2 + Number(shape.length === 1)) ?? 1,
    shape.length < 2 ? 1 : shape.at(-1)!,
  ];
  const start = clamped(wanted, shape, { rows, columns });
  const plane = { offset: offsetOf(start.index, shape), rows, columns };
  const shownColumns = Math.min(
    columns,
    Math.max(FEW_COLUMNS, Math.floor(MOST_ELEMENTS / Math.max(1, rows))),
  );
  const shownRows = Math.floor(MOST_ELEMENTS / Math.max(1, shownColumns));
  const page = {
    from: start,
    rows: Math.min(shownRows, rows - start.row),
    columns: Math.min(shownColumns, columns - start.column),
  };
  const isEmpty = tensors[0]!.tensor.numel === 0;
  const { range, firstDifference } = factsOf(value);
  const tables = tensors.map(
    ({ backend, tensor }): SliceTable => ({
      backend,
      texts: isEmpty ? [] : textsOf(tensor, plane, page),
      picture: isEmpty ? undefined : pictureOf(tensor, plane, range),
    }),
  );
  return {
    name,
    dtype,
    shape,
    start,
    rows,
    columns,
    pageRows: shownRows,
    pageColumns: shownColumns,
    tables,
    problem,
    firstDifference,
    ...(tensors.length === 2 && !isEmpty && marksOf(tensors[0]!.tensor, tensors[1]!.tensor, plane, page)),
  };
}

/** The rows and columns of a table. */
interface Page {
  readonly from: SliceStart;
  readonly rows: number;
  readonly columns: number;
}

/** Returns the nearest element that the value has. */
function clamped(
  { index, row, column }: SliceStart,
  shape: readonly number[],
  sides: Omit<Plane, "offset">,
): SliceStart {
  const within = (at: number | undefined, size: number): number =>
    Math.max(0, Math.min(Math.trunc(at || 0), size - 1));
  return {
    index: shape.slice(0, -2).map((size, d) => within(index[d], size)),
    row: within(row, sides.rows),
    column: within(column, sides.columns),
  };
}

/** Returns the position of the first element of a slice in a row-major tensor. */
const offsetOf = (index: readonly number[], shape: readonly number[]): number =>
  shape.reduce((offset, size, d) => offset * size + (index[d] ?? 0), 0);

/** Visits the elements of a page by their positions. */
function onPage<T>(
  { offset, columns: width }: Plane,
  { from, rows, columns }: Page,
  read: (position: number) => T,
): T[][] {
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_element, j) => read(offset + (from.row + i) * width + from.column + j)),
  );
}

function textsOf({ dtype, data }: Tensor, plane: Plane, page: Page): string[][] {
  const [read, write] = [elementReader(dtype, data), elementText(dtype)];
  return onPage(plane, page, (position) => write(read(position)));
}

type Range = readonly [least: number, greatest: number];

/** What all slices of a value need. */
interface Facts {
  /** The finite elements of the first value. */
  readonly range: Range;
  readonly firstDifference: SliceStart | undefined;
}

const known = new WeakMap<NodeValue, Facts>();

function factsOf(value: NodeValue): Facts {
  let facts = known.get(value);
  if (facts === undefined) {
    const [want, got] = value.tensors.map(({ tensor }) => tensor);
    const { min = 0, max = 0 } = tensorStatistics(want!);
    const first = got && measureError(got, want!, backendTolerance(got.dtype)).first;
    facts = { range: [Number(min), Number(max)], firstDifference: first && startOf(first) };
    known.set(value, facts);
  }
  return facts;
}

function startOf(element: readonly number[]): SliceStart {
  const lead = Math.max(0, element.length - 2);
  return { index: element.slice(0, lead), row: element[lead] ?? 0, column: element[lead + 1] ?? 0 };
}

/** Reads elements as numbers, complex ones as their magnitudes. */
export function magnitudeReader({ dtype, data }: Tensor): (position: number) => number {
  const read = laneReader(dtype, data);
  if (dtypeInfo(dtype).lanes === 1) return read;
  return (position) => Math.hypot(read(2 * position), read(2 * position + 1));
}

/** Returns the whole slice in gray; undefined where it is a row, a column or an element. */
function pictureOf(
  tensor: Tensor,
  { offset, rows, columns }: Plane,
  [least, greatest]: Range,
): Picture | undefined {
  if (rows < 2 || columns < 2) return undefined;
  const [stepDown, stepRight] = [Math.ceil(rows / MOST_SIDE), Math.ceil(columns / MOST_SIDE)];
  const [height, width] = [Math.ceil(rows / stepDown), Math.ceil(columns / stepRight)];
  const read = magnitudeReader(tensor);
  const scale = greatest > least ? 255 / (greatest - least) : 0;
  const gray = new Uint8ClampedArray(height * width);
  for (let i = 0; i < height; i++)
    for (let j = 0; j < width; j++)
      gray[i * width + j] = (read(offset + i * stepDown * columns + j * stepRight) - least) * scale;
  return { width, height, gray };
}

/** Returns which elements of a second value differ from those of the first. */
function marksOf(
  want: Tensor,
  got: Tensor,
  plane: Plane,
  page: Page,
): Pick<SliceView, "marks" | "differing"> {
  const tolerance = backendTolerance(want.dtype);
  const measure = (shape: readonly number[], strides: readonly number[], position: number) =>
    measureError(
      got.asStrided(shape, strides, position),
      want.asStrided(shape, strides, position),
      tolerance,
    );
  const markAt = (position: number): ElementMark => {
    const { maxAbsolute, differing } = measure([], [], position);
    return differing > 0 ? "differs" : maxAbsolute > 0 ? "close" : "";
  };
  const { offset, rows, columns } = plane;
  return {
    marks: onPage(plane, page, markAt),
    differing: measure([rows, columns], [columns, 1], offset).differing,
  };
}
