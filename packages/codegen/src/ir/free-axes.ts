/** @file The axes that a scalar reads and that no reduction in it has. */
import { forEachAtom, type Index } from "./index-expr.js";
import { partsOf, type Scalar } from "./scalar.js";
import { indicesOf } from "./traverse.js";

/** Finds them, each scalar once. */
export class FreeAxes {
  readonly #known = new Map<Scalar, ReadonlySet<string>>();

  /** Returns the names of the axes that a scalar depends on. */
  of(scalar: Scalar): ReadonlySet<string> {
    let names = this.#known.get(scalar);
    if (names === undefined) {
      names = this.#find(scalar);
      this.#known.set(scalar, names);
    }
    return names;
  }

  #find(scalar: Scalar): ReadonlySet<string> {
    const found = new Set<string>();
    const add = (names: Iterable<string>): void => {
      for (const name of names) found.add(name);
    };
    if (scalar.kind !== "reduce") {
      for (const index of indicesOf(scalar)) add(this.#inIndex(index));
      for (const part of partsOf(scalar)) add(this.of(part));
      return found;
    }
    add(this.of(scalar.body));
    if (scalar.when !== undefined) add(this.of(scalar.when));
    for (const { name } of scalar.axes) found.delete(name);
    for (const { extent } of scalar.axes) add(this.#inIndex(extent));
    if (scalar.initial !== undefined) add(this.of(scalar.initial));
    return found;
  }
  #inIndex(index: Index): ReadonlySet<string> {
    const found = new Set<string>();
    forEachAtom(index, (item) => {
      if (item.kind === "axis") found.add(item.name);
      if (item.kind === "value") for (const name of this.of(item.scalar)) found.add(name);
    });
    return found;
  }
}
