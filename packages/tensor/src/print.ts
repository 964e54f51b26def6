/** @file Tensors as PyTorch's `print` shows them (`torch/_tensor_str.py`). */
import { type DType, dtypeInfo, type TypedArray } from "./dtype.js";
import { type Element, elementReader } from "./element.js";
import { type Format, floatFormat, plainFormat } from "./print-format.js";
import { LINE_WIDTH, type PrintOptions, type PrintStyle, printStyle } from "./print-options.js";
import { numel } from "./shape.js";

/** What is printed of a tensor. */
export interface Printable {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly storageOffset: number;
  readonly hasValues: boolean;
  /** Whether the values are in memory; they are not read for printing. @defaultValue true */
  readonly isLoaded?: boolean;
  readonly data: TypedArray;
  readonly requiresGrad: boolean;
}

/** A view of the elements that are printed. */
interface View {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** How the elements of one tensor print. */
interface Layout {
  readonly style: PrintStyle;
  readonly isSummary: boolean;
  /** Characters of an element, with the comma and the blank after it. */
  readonly elementWidth: number;
  readonly text: (position: number) => string;
}

const PREFIX = "tensor(";
/** Dtypes that a printed tensor does not name: PyTorch infers them from the text. */
const INFERRED: ReadonlySet<DType> = new Set(["float32", "complex64", "int64", "bool"]);

/** A tensor that would print more elements, or that has more dimensions, prints without them. */
const MOST_SHOWN = 1_000_000;
const MOST_DIMENSIONS = 500;

/** Returns how many elements print: an expanded tensor can have more than there is memory. */
function shownElements(shape: readonly number[], { threshold, edgeItems }: PrintStyle): number {
  const isSummary = numel(shape) > threshold;
  return shape.reduce((count, size) => count * (isSummary ? Math.min(size, 2 * edgeItems) : size), 1);
}

/**
 * Returns the text of PyTorch's `print(tensor)`. Where PyTorch prints more than a million elements,
 * or more than 500 dimensions, only the size prints. A tensor without values prints as PyTorch's on
 * the `meta` device. Of a large tensor, only the elements that print are read.
 *
 * @throws SconceError `TENSOR_OPTION` for an option that does not exist, or a value that it cannot
 * have
 */
export function printTensor(tensor: Printable, options?: PrintOptions): string {
  const style = printStyle(options);
  const { dtype, shape } = tensor;
  const isEmpty = numel(shape) === 0;
  const suffixes: string[] = [];
  if (!tensor.hasValues) suffixes.push("device='meta'");
  const isKnown = tensor.hasValues && (tensor.isLoaded ?? true);
  if (tensor.hasValues && !isKnown) suffixes.push("not loaded");
  const isTooLarge = shownElements(shape, style) > MOST_SHOWN || shape.length > MOST_DIMENSIONS;
  const shows = isKnown && !isEmpty && !isTooLarge;
  if (shows ? style.edgeItems === 0 : !isKnown || shape.length !== 1)
    suffixes.push(`size=${sizeText(shape)}`);
  if (shows ? !INFERRED.has(dtype) : dtype !== "float32") suffixes.push(`dtype=torch.${dtype}`);
  if (tensor.requiresGrad) suffixes.push("requires_grad=True");
  const body = shows ? elementsText(tensor, style) : isKnown && isEmpty ? "[]" : "...";
  return suffixedText(PREFIX, body, suffixes, style.lineWidth);
}

/**
 * Makes Node's `console.log` show the objects of a class as text. The method is not a member of the
 * type, so that the types of two copies of Sconce stay compatible.
 *
 * @param text what is shown; what `toString` gives by default
 */
export function showsAsText<T extends object>(prototype: T, text: (shown: T) => string = ownText): void {
  const value = function (this: T): string {
    return text(this);
  };
  Object.defineProperty(prototype, Symbol.for("nodejs.util.inspect.custom"), { value, configurable: true });
}

/** Not `String`: values that refuse to be primitives are shown nevertheless. */
const ownText = (shown: object): string => shown.toString();

/** Returns a shape as Python's tuple: `(2, 3)`, `(2,)`, `()`. */
export const sizeText = (shape: readonly unknown[]): string =>
  `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/**
 * Returns what PyTorch prints of a tensor, from its parts: suffixes that do not fit into the line
 * begin another one. `prefix` is `tensor(` or alike.
 */
export function suffixedText(
  prefix: string,
  body: string,
  suffixes: readonly string[],
  lineWidth = LINE_WIDTH,
): string {
  let text = prefix + body;
  let width = text.length - text.lastIndexOf("\n") + 1;
  for (const suffix of suffixes) {
    const isBroken = width + suffix.length + 2 > lineWidth;
    text += isBroken ? `,\n${" ".repeat(prefix.length)}${suffix}` : `, ${suffix}`;
    width = isBroken ? prefix.length + suffix.length : width + suffix.length + 2;
  }
  return `${text})`;
}

function elementsText(tensor: Printable, style: PrintStyle): string {
  const isSummary = numel(tensor.shape) > style.threshold;
  const view = { shape: tensor.shape, strides: tensor.strides, offset: tensor.storageOffset };
  const positions = printedPositions(view, isSummary, style.edgeItems, []);
  const layout = { style, isSummary, ...elementFormat(tensor, positions, style) };
  return nestedText(view, PREFIX.length, layout);
}

/** Positions of the elements whose texts decide the width of all. */
function printedPositions(view: View, isSummary: boolean, edge: number, found: number[]): number[] {
  const [size, ...shape] = view.shape;
  if (size === undefined) {
    found.push(view.offset);
    return found;
  }
  const [step, ...strides] = view.strides as [number, ...number[]];
  // Without ends PyTorch takes the width from all elements of a vector, and from none of a matrix.
  const ends = isSummary && edge === 0 ? (shape.length === 0 ? size : 0) : edge;
  for (const i of shownIndices(size, isSummary, ends))
    if (i !== undefined)
      printedPositions({ shape, strides, offset: view.offset + i * step }, isSummary, edge, found);
  return found;
}

/**
 * Yields the indices of a dimension that print; undefined where an ellipsis represents the others.
 */
function* shownIndices(size: number, isSummary: boolean, edge: number): Generator<number | undefined> {
  const isCut = isSummary && size > 2 * edge;
  for (let i = 0; i < (isCut ? edge : size); i++) yield i;
  if (!isCut) return;
  yield undefined;
  for (let i = size - edge; i < size; i++) yield i;
}

/** Chooses how elements print, by the elements that are shown. */
function elementFormat(
  tensor: Printable,
  positions: readonly number[],
  style: PrintStyle,
): Pick<Layout, "elementWidth" | "text"> {
  const { dtype, data } = tensor;
  const read = elementReader(dtype, data);
  const { kind } = dtypeInfo(dtype);
  if (kind === "complex") {
    const part = (lane: "re" | "im"): Format =>
      floatFormat(
        positions.map((position) => (read(position) as { re: number; im: number })[lane]),
        style,
        dtype,
      );
    return complexFormat(read, part("re"), part("im"));
  }
  const values = positions.map(read);
  if (kind === "float") {
    const format = floatFormat(values as number[], style, dtype);
    return { elementWidth: format.width + 2, text: (position) => format.text(read(position) as number) };
  }
  const format = plainFormat(values.map(plainText));
  return { elementWidth: format.width + 2, text: (position) => format.pad(plainText(read(position))) };
}

/** Returns an integer or a bool as Python's. */
const plainText = (value: Element): string =>
  value === true ? "True" : value === false ? "False" : String(value as number | bigint);

function complexFormat(
  read: (position: number) => Element,
  real: Format,
  imaginary: Format,
): Pick<Layout, "elementWidth" | "text"> {
  return {
    elementWidth: real.width + imaginary.width + 3,
    text: (position) => {
      const { re, im } = read(position) as { re: number; im: number };
      const tail = `${imaginary.text(im)}j`.trimStart();
      return real.text(re) + (tail.startsWith("-") ? tail : `+${tail}`);
    },
  };
}

function nestedText(view: View, indent: number, layout: Layout): string {
  const { style, isSummary } = layout;
  const [size, ...shape] = view.shape;
  if (size === undefined) return layout.text(view.offset);
  const [step, ...strides] = view.strides as [number, ...number[]];
  const at = (i: number): number => view.offset + i * step;
  const shown = [...shownIndices(size, isSummary, style.edgeItems)];
  if (shape.length === 0)
    return vectorText(
      shown.map((i) => (i === undefined ? ellipsis(style) : layout.text(at(i)))),
      indent,
      layout,
    );
  const items = shown.map((i) =>
    i === undefined ? "..." : nestedText({ shape, strides, offset: at(i) }, indent + 1, layout),
  );
  return `[${items.join(`,${"\n".repeat(shape.length)}${" ".repeat(indent + 1)}`)}]`;
}

/** PyTorch writes a blank before the dots among elements. */
const ellipsis = ({ edgeItems }: PrintStyle): string => (edgeItems === 0 ? "..." : " ...");

function vectorText(items: readonly string[], indent: number, { style, elementWidth }: Layout): string {
  const perLine = Math.max(1, Math.floor((style.lineWidth - indent) / elementWidth));
  const lines: string[] = [];
  for (let i = 0; i < items.length; i += perLine) lines.push(items.slice(i, i + perLine).join(", "));
  return `[${lines.join(`,\n${" ".repeat(indent + 1)}`)}]`;
}
