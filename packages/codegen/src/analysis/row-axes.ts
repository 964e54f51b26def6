/**
 * @file Finds the axes of a nest that count rows, from the index by which it reads one value of
 * each row.
 */
import { elementsOf, extentsOf } from "../ir/extents.js";
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  coordinatesOf,
  fixedValue,
  forEachAtom,
  type Index,
  multiply,
  ONE,
  product,
  same,
  scale,
  ZERO,
} from "../ir/index-expr.js";
import { Rewriter } from "../ir/rewrite.js";

/**
 * Returns the axes as functions of a row and a place in it, if the index counts rows. Such an index
 * is a sum of axes, each times the extents of those after it. Some may be the outer or the inner
 * part of an axis that a reshape merged.
 */
export function rowAxesOf(
  axes: readonly Axis[],
  index: Index,
  { row, rows, place }: { readonly row: Index; readonly rows: Index; readonly place: Index },
): ReadonlyMap<string, Index> | undefined {
  const { parts, places } = parted(axes, index);
  const rewriter = new Rewriter({ axes: places });
  const ofRow = rowOrder(rewriter.index(index), parts);
  if (ofRow === undefined || !same(elementsOf(ofRow), rows)) return undefined;
  const ofPlace = parts.filter((one) => !ofRow.includes(one));
  const made = new Map<string, Index>();
  for (const [flat, list] of [[row, ofRow] as const, [place, ofPlace] as const])
    coordinatesOf(flat, extentsOf(list)).forEach((at, d) => {
      made.set(list[d]!.name, at);
    });
  const inner = new Rewriter({ axes: made });
  return new Map(axes.map(({ name }) => [name, inner.index(places.get(name) ?? ZERO)]));
}

/**
 * Returns the axes of more than one element, those that the index divides as two parts; `places`
 * has each axis as a function of them.
 */
function parted(
  axes: readonly Axis[],
  index: Index,
): { readonly parts: readonly Axis[]; readonly places: ReadonlyMap<string, Index> } {
  const parts: Axis[] = [];
  const places = new Map<string, Index>();
  for (const one of axes) {
    const extent = fixedValue(one.extent);
    const by = divisorOf(index, one.name);
    if (extent === 1) places.set(one.name, ZERO);
    else if (extent === undefined || by === undefined || extent % by !== 0 || by === extent) {
      parts.push(one);
      places.set(one.name, atom(one));
    } else {
      const [outer, inner] = [
        axis(`${one.name} over ${by}`, constant(extent / by)),
        axis(`${one.name} in ${by}`, constant(by)),
      ];
      parts.push(outer, inner);
      places.set(one.name, add(scale(atom(outer), by), atom(inner)));
    }
  }
  return { parts, places };
}
/** Returns the number by which the index divides an axis. */
function divisorOf(index: Index, name: string): number | undefined {
  let by: number | undefined;
  forEachAtom(index, (item) => {
    if (item.kind !== "quotient" && item.kind !== "remainder") return;
    const [term] = item.numerator.terms;
    const [divided] = term?.atoms ?? [];
    if (item.numerator.terms.length === 1 && divided?.kind === "axis" && divided.name === name)
      by ??= fixedValue(item.denominator);
  });
  return by;
}

/**
 * Returns the axes of the index, the slowest first; undefined if it does not count their elements.
 */
function rowOrder(index: Index, axes: readonly Axis[]): Axis[] | undefined {
  if (index.constant !== 0) return undefined;
  const left = index.terms.map(({ coefficient, atoms }) => {
    const found = axes.find(({ name }) => atoms.some((item) => item.kind === "axis" && item.name === name));
    const others = atoms.filter((item) => item.kind !== "axis" || item.name !== found?.name);
    return { found, step: scale(product(others.map(atom)), coefficient) };
  });
  const order: Axis[] = [];
  for (let step: Index = ONE; left.length > 0; step = multiply(step, order[0]!.extent)) {
    const at = left.findIndex((one) => same(one.step, step));
    const [next] = at < 0 ? [] : left.splice(at, 1);
    if (next?.found === undefined || order.includes(next.found)) return undefined;
    order.unshift(next.found);
  }
  return order;
}
