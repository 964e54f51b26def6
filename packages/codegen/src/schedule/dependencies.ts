/** @file Which axes the values of scalars depend on. */
import { forEachAtom } from "../ir/index-expr.js";
import { partsOf, type Scalar } from "../ir/scalar.js";
import { indicesOf } from "../ir/traverse.js";

/** Names of the axes that scalars depend on; each scalar is looked at once. */
export class Dependencies {
  readonly #known = new Map<Scalar, ReadonlySet<string>>();

  /** Says what a scalar depends on, in place of what its parts do. */
  set(scalar: Scalar, axes: ReadonlySet<string>): void {
    this.#known.set(scalar, axes);
  }

  of(scalar: Scalar): ReadonlySet<string> {
    const found = this.#known.get(scalar);
    if (found !== undefined) return found;
    const axes = new Set<string>();
    const take = (part: Scalar): void => {
      for (const axis of this.of(part)) axes.add(axis);
    };
    partsOf(scalar).forEach(take);
    for (const index of indicesOf(scalar))
      forEachAtom(index, (item) => {
        if (item.kind === "axis") axes.add(item.name);
        if (item.kind === "value") take(item.scalar);
      });
    if (scalar.kind === "reduce") for (const { name } of scalar.axes) axes.delete(name);
    this.#known.set(scalar, axes);
    return axes;
  }
}
