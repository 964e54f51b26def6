/** @file Slices as Python writes them: `x[0, 3]`, `x[0, 3, 40:, 16:]`. */
import type { SliceStart } from "./protocol.js";

/** What a text names: the first element, or why it names none. */
export type ParsedSlice =
  | { readonly start: SliceStart; readonly problem?: undefined }
  | { readonly problem: string };

/** Integers of an index. */
const INTEGER = /^[+-]?\d{1,15}$/;

/**
 * Returns the text of a slice. The last two dimensions are rows and columns: the text has them
 * where the table does not begin at the first one.
 */
export function sliceText(name: string, shape: readonly number[], start: SliceStart): string {
  const { index, row, column } = start;
  const rest = [row, column].slice(0, shape.length).map((from) => (from === 0 ? ":" : `${from}:`));
  const parts = [...index.map(String), ...rest];
  while (parts.at(-1) === ":") parts.pop();
  return parts.length === 0 ? name : `${name}[${parts.join(", ")}]`;
}

/** Returns the first element that the text of a slice names. */
export function parseSlice(text: string, name: string, shape: readonly number[]): ParsedSlice {
  const [, given, inside] = /^\s*([^[\]\s]*)\s*(?:\[([^[\]]*)\])?\s*$/.exec(text) ?? [];
  if (given === undefined) return { problem: `write an index in brackets: ${exampleOf(name, shape)}` };
  if (given !== "" && given !== name) return { problem: `the value is ${name}, not ${given}` };
  const items = itemsOf(inside ?? "", shape.length);
  if (typeof items === "string") return { problem: items };
  const first = new Array<number>(shape.length).fill(0);
  for (const [dimension, item] of items.entries()) {
    const from = startOf(item, dimension, shape[dimension]!);
    if (typeof from === "string") return { problem: from };
    first[dimension] = from;
  }
  const rows = Math.max(0, shape.length - 2);
  const start = { index: first.slice(0, rows), row: first[rows] ?? 0, column: first[rows + 1] ?? 0 };
  return { start };
}

/** Returns a text that names a slice of such a value. */
const exampleOf = (name: string, { length }: readonly number[]): string =>
  length === 0 ? name : `${name}[${new Array<number>(Math.max(1, length - 2)).fill(0).join(", ")}]`;

/** Returns the indices of all dimensions that the text has, or what is wrong with their number. */
function itemsOf(inside: string, dimensions: number): string[] | string {
  const whole = inside.trim().replace(/,$/, "");
  if (whole === "" || whole === "()") return [];
  const items = whole.split(",").map((item) => item.trim());
  const at = items.indexOf("...");
  const named = items.length - (at < 0 ? 0 : 1);
  if (named > dimensions)
    return `${named} ${named === 1 ? "index" : "indices"} for ${dimensions} ${dimensions === 1 ? "dimension" : "dimensions"}`;
  if (at >= 0) items.splice(at, 1, ...new Array<string>(dimensions - named).fill(":"));
  return items;
}

/** Where an index of a dimension begins, or why it is none. */
function startOf(item: string, dimension: number, size: number): number | string {
  if (INTEGER.test(item)) {
    const given = Number(item);
    const index = given < 0 ? given + size : given;
    if (index >= 0 && index < size) return index;
    return `index ${given} is out of range for dimension ${dimension} with size ${size}`;
  }
  const bounds = item.split(":").map((bound) => bound.trim());
  if (bounds.length === 3) return `"${item}": steps are not supported, write START:STOP`;
  if (bounds.length !== 2 || !bounds.every((bound) => bound === "" || INTEGER.test(bound)))
    return `"${item}" is not an index: write a number or START:STOP`;
  const [from, to] = bounds.map((bound, i) => boundOf(bound, size, i === 0 ? 0 : size));
  // All of an empty dimension is empty, and is shown as such.
  return from! < to! || (size === 0 && item === ":")
    ? from!
    : `${item} has no elements in dimension ${dimension} with size ${size}`;
}

/**
 * Returns a bound of a range as Python takes it: from the end where it is negative, and cut to the
 * size.
 */
function boundOf(bound: string, size: number, otherwise: number): number {
  if (bound === "") return otherwise;
  const given = Number(bound);
  return Math.min(size, Math.max(0, given < 0 ? given + size : given));
}
