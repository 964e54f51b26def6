/** @file Indices as sums of parts that depend on separate axes. */
import {
  type Axis,
  add,
  atom,
  constant,
  fixedValue,
  forEachAtom,
  type Index,
  type IndexTerm,
  multiply,
  ZERO,
} from "@sconce/codegen";

/** Returns the axes of several places that indices depend on. */
export function axesIn(axes: readonly Axis[], ...indices: readonly Index[]): Axis[] {
  const used = new Set<string>();
  for (const index of indices)
    forEachAtom(index, (item) => {
      if (item.kind === "axis") used.add(item.name);
    });
  return axes.filter(({ name, extent }) => used.has(name) && fixedValue(extent) !== 1);
}

/**
 * Returns the terms of an index by the set of axes that they depend on; undefined if one needs two
 * sets.
 */
export function separate(index: Index, sets: readonly ReadonlySet<string>[]): Index[] | undefined {
  const parts = sets.map(() => ZERO);
  parts[0] = constant(index.constant);
  for (const term of index.terms) {
    const at = homeOf(term, sets);
    if (at === undefined) return undefined;
    parts[at] = add(parts[at]!, multiply(term.atoms.map(atom).reduce(multiply), constant(term.coefficient)));
  }
  return parts;
}

function homeOf(term: IndexTerm, sets: readonly ReadonlySet<string>[]): number | undefined {
  let home: number | undefined;
  let isMixed = false;
  forEachAtom({ terms: [term], constant: 0, text: "" }, (item) => {
    if (item.kind === "value") isMixed = true;
    if (item.kind !== "axis") return;
    const at = sets.findIndex((set) => set.has(item.name));
    isMixed ||= home !== undefined && home !== at;
    home = at;
  });
  return isMixed || home === -1 ? undefined : (home ?? 0);
}
