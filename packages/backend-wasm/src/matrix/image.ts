/** @file Reads how nests address images: steps along axes, and the guards of edges. */
import {
  type Axis,
  add,
  atom,
  conjunctsOf,
  constant,
  extentOf,
  fixedValue,
  forEachAtom,
  type Index,
  product,
  type Scalar,
  scale,
} from "@sconce/codegen";

/** Returns the factor of an axis in an index; 0 where it is not a term. */
export const coefficientOf = ({ terms }: Index, { name }: Pick<Axis, "name">): number =>
  terms.find(({ atoms: [item, ...more] }) => more.length === 0 && item?.kind === "axis" && item.name === name)
    ?.coefficient ?? 0;

/** Returns whether an index depends on one of some axes. */
export function dependsOn(index: Index, axes: readonly (Axis | undefined)[]): boolean {
  const names = new Set(axes.map((axis) => axis?.name));
  let isFound = false;
  forEachAtom(index, (item) => {
    isFound ||= item.kind === "axis" && names.has(item.name);
  });
  return isFound;
}

/** An index as a sum of steps along some axes, and the rest. */
interface Along {
  /** The step of each axis; 0 for those without one. */
  readonly steps: readonly number[];
  readonly rest: Index;
}

/** Splits an index; undefined if it is not linear in the axes. */
export function along(index: Index, axes: readonly (Axis | undefined)[]): Along | undefined {
  const names = axes.map((axis) => axis?.name);
  const steps = axes.map(() => 0);
  let rest = constant(index.constant);
  for (const { coefficient, atoms } of index.terms) {
    const [item, ...more] = atoms;
    const at = more.length === 0 && item?.kind === "axis" ? names.indexOf(item.name) : -1;
    if (at >= 0) steps[at] = coefficient;
    else rest = add(rest, scale(product(atoms.map(atom)), coefficient));
  }
  return dependsOn(rest, axes) ? undefined : { steps, rest };
}

/** Coefficients of an index that is a sum of axes; undefined for others. */
export function linear(index: Index): ReadonlyMap<string, { axis: Axis; coefficient: number }> | undefined {
  const found = new Map<string, { axis: Axis; coefficient: number }>();
  for (const { coefficient, atoms } of index.terms) {
    const [item] = atoms;
    if (atoms.length !== 1 || item?.kind !== "axis") return undefined;
    found.set(item.name, { axis: item, coefficient });
  }
  return found;
}

/**
 * Returns the steps along axes; undefined if an index depends on anything else or runs backward.
 */
export function stepsOf(
  index: Index,
  axes: readonly Axis[],
): ((axis: Axis | undefined) => number) | undefined {
  const parts = along(index, axes);
  if (parts === undefined || parts.rest.terms.length > 0 || parts.steps.some((step) => step < 0))
    return undefined;
  return (axis) => (axis === undefined ? 0 : coefficientOf(index, axis));
}

/** A coordinate of an image that must lie in the image. */
export interface Guard {
  readonly index: Index;
  /** Whether it must not be negative. */
  readonly low: boolean;
  /** What it must be below; undefined if that holds anyway. */
  readonly limit: number | undefined;
}

/** Returns what a condition says of coordinates; undefined if it says anything else. */
export function guardsOf(when: Scalar | undefined): readonly Guard[] | undefined {
  const guards = new Map<string, Guard>();
  for (const part of when === undefined ? [] : conjunctsOf(when)) {
    if (part.kind !== "call" || (part.fn !== "ge" && part.fn !== "lt")) return undefined;
    const [left, right] = part.args as [Scalar, Scalar];
    const limit = limitOf(right);
    if (left.kind !== "index" || limit === undefined || (part.fn === "ge" && limit !== 0)) return undefined;
    const { index } = left;
    const known = guards.get(index.text) ?? { index, low: false, limit: undefined };
    const guard =
      part.fn === "ge" ? { ...known, low: true } : { ...known, limit: Math.min(limit, known.limit ?? limit) };
    guards.set(index.text, guard);
  }
  return [...guards.values()];
}
function limitOf(scalar: Scalar): number | undefined {
  if (scalar.kind === "index") return fixedValue(scalar.index);
  return scalar.kind === "constant" && scalar.dtype === "int64" ? Number(scalar.value) : undefined;
}

/** What a sum reads: elements of a buffer, where coordinates lie in it. */
export interface Image {
  readonly buffer: number;
  readonly index: Index;
  readonly guards: readonly Guard[];
}

/** Reads a factor of float32 and its condition; undefined for others. */
export function imageOf(value: Scalar, when?: Scalar): Image | undefined {
  const guards = guardsOf(when);
  if (value.kind !== "load" || value.dtype !== "float32" || guards === undefined) return undefined;
  return { buffer: value.buffer, index: value.index, guards };
}

/** How windows move along one direction of an image. */
export interface Direction {
  /** Results, and elements of a window. */
  readonly out: number;
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** The coordinate of the first element that the first result reads; negative with padding. */
  readonly start: number;
  /** Elements of the image, where a guard says so. */
  readonly limit: number | undefined;
}
interface DirectionInit {
  readonly place: Axis;
  readonly tap: Axis | undefined;
  /** Elements of memory from one coordinate to the next. */
  readonly unit: number;
}

/** Reads directions; undefined if windows are not regular, or if other guards are left. */
export function directionsOf(image: Image, given: readonly DirectionInit[]): Direction[] | undefined {
  const used = new Set<Guard>();
  const found = given.map((one) => directionOf(image, one, used));
  const isWhole = found.every((one) => one !== undefined) && used.size === image.guards.length;
  return isWhole ? found : undefined;
}

function directionOf(
  { index, guards }: Image,
  { place, tap, unit }: DirectionInit,
  used: Set<Guard>,
): Direction | undefined {
  const out = extentOf(place);
  const stride = Math.max(unit, coefficientOf(index, place)) / unit;
  const dilation = tap === undefined ? 1 : coefficientOf(index, tap) / unit;
  if (!Number.isInteger(stride) || !Number.isInteger(dilation) || dilation < 1) return undefined;
  const shape = { out, kernel: tap === undefined ? 1 : extentOf(tap), stride, dilation };
  const guard = guards.find((one) => dependsOn(one.index, [place, tap]));
  if (guard === undefined) return { ...shape, start: 0, limit: undefined };
  used.add(guard);
  const steps = stepsOf(guard.index, tap === undefined ? [place] : [place, tap]);
  const isOwn =
    steps !== undefined &&
    (out === 1 || steps(place) === stride) &&
    (tap === undefined || steps(tap) === dilation);
  const start = guard.index.constant;
  return isOwn && (start >= 0 || guard.low) ? { ...shape, start, limit: guard.limit } : undefined;
}
