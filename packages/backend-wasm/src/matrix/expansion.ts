/**
 * @file Factors that are computed from integers of eight bits or fewer: quantized weights. The
 * integers stay in memory as they are, and kernels compute four steps or columns at a time.
 */
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  fixedValue,
  forEachAtom,
  forEachScalar,
  type Index,
  indicesOf,
  Rewriter,
  type Scalar,
  scale,
} from "@sconce/codegen";
import type { LoadScalar } from "../emit/vector/scalars.js";
import { type ExpansionForm, FormReader } from "./expansion-form.js";

/** Names of the axes that the axis of a sum is divided into; no nest has such names. */
export const GROUP = "group";
export const STEP = "step";

/** How the elements of a factor are computed. */
export interface Expansion {
  /** The integers, by the axes of the columns, of the group and of the step in it. */
  readonly narrow: LoadScalar;
  /** What is read besides: a number for each column, or for each group of a column. */
  readonly numbers: readonly LoadScalar[];
  /** Steps of a sum that have the same numbers. */
  readonly group: number;
  /** How elements are computed from a byte: one for each step that lies in it. */
  readonly phases: readonly ExpansionForm[];
  /** Equal keys are computed by the same code. */
  readonly key: string;
}

/**
 * Steps of the longest group, unless all steps are one: a block of them is in the nearest cache.
 */
const LONGEST_GROUP = 384;
/** Elements that may lie in one byte. */
const MOST_PHASES = 4;

/** Returns how a factor is computed; undefined unless it is from narrow integers. */
export function expansionOf(value: Scalar, inner: Axis): Expansion | undefined {
  const steps = fixedValue(inner.extent);
  if (value.dtype !== "float32" || steps === undefined || steps < 1) return undefined;
  const loads: LoadScalar[] = [];
  forEachScalar(value, (scalar) => {
    if (scalar.kind === "load") loads.push(scalar);
  });
  const bytes = loads.filter(({ dtype }) => dtype === "int8" || dtype === "uint8");
  for (const buffer of new Set(bytes.map((one) => one.buffer))) {
    const expansion = expansionFrom(buffer, value, inner, steps);
    if (expansion !== undefined) return expansion;
  }
  return undefined;
}

function expansionFrom(buffer: number, value: Scalar, inner: Axis, steps: number): Expansion | undefined {
  const divisors = divisorsOf(buffer, value, inner);
  if (divisors.bytes.size > 1 || divisors.numbers.size > 1) return undefined;
  const [perByte = 1] = divisors.bytes;
  const [group = steps] = divisors.numbers;
  const isDivided = steps % group === 0 && group % perByte === 0;
  const isShort = group === steps || group <= LONGEST_GROUP;
  if (!isDivided || !isShort || perByte > MOST_PHASES) return undefined;
  const places = placesOf(steps / group, group / perByte);
  const reader = new FormReader(buffer);
  const phases: ExpansionForm[] = [];
  for (let at = 0; at < perByte; at++) {
    const step = add(scale(places.group, group), scale(places.step, perByte), constant(at));
    const form = reader.form(new Rewriter({ axes: new Map([[inner.name, step]]) }).scalar(value));
    if (form === undefined) return undefined;
    phases.push(form);
  }
  const { narrow, numbers } = reader;
  const own = new Set([GROUP, STEP]);
  if (narrow === undefined || ![narrow, ...numbers].every(({ index }) => isSeparate(index, own)))
    return undefined;
  if (numbers.some(({ index }) => hasAxis(index, STEP))) return undefined;
  const key = `${narrow.dtype} ${group} ${phases.map((form) => form.text).join("; ")}`;
  return { narrow, numbers, group, phases, key };
}

/**
 * Returns the places of the group and in the group; an axis of one place is always at its first.
 */
function placesOf(groups: number, steps: number): { readonly group: Index; readonly step: Index } {
  const place = (name: string, extent: number): Index =>
    extent === 1 ? constant(0) : atom(axis(name, constant(extent)));
  return { group: place(GROUP, groups), step: place(STEP, steps) };
}

/**
 * Returns what steps are divided by: in the places of bytes and in conditions, and in those of
 * numbers.
 */
function divisorsOf(
  buffer: number,
  value: Scalar,
  inner: Axis,
): { readonly bytes: ReadonlySet<number>; readonly numbers: ReadonlySet<number> } {
  const [bytes, numbers] = [new Set<number>(), new Set<number>()];
  forEachScalar(value, (scalar) => {
    const into = scalar.kind === "load" && scalar.buffer !== buffer ? numbers : bytes;
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        const isDivision = item.kind === "quotient" || item.kind === "remainder";
        if (isDivision && hasAxis(item.numerator, inner.name))
          into.add(fixedValue(item.denominator) ?? Number.NaN);
      });
  });
  return { bytes, numbers };
}

function hasAxis(index: Index, name: string): boolean {
  let found = false;
  forEachAtom(index, (item) => {
    found ||= item.kind === "axis" && item.name === name;
  });
  return found;
}

/** Returns whether each term of an index is of one axis, or of axes of the sum alone. */
function isSeparate(index: Index, own: ReadonlySet<string>): boolean {
  return index.terms.every((term) => {
    const names = new Set<string>();
    let isPlain = true;
    forEachAtom({ terms: [term], constant: 0, text: "" }, (item) => {
      if (item.kind === "axis") names.add(own.has(item.name) ? "" : item.name);
      else if (item.kind === "value" || item.kind === "size") isPlain = false;
    });
    return isPlain && names.size <= 1;
  });
}
