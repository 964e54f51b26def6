/** @file Recorded values in which some symbols have known values. */
import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { type IntLike, substitute } from "@sconce/symbolic";

/** Recorded values in which some symbols have known values. */
export class KnownSymbols {
  readonly #known: ReadonlyMap<string, number>;

  constructor(known: ReadonlyMap<string, number>) {
    this.#known = known;
  }

  in(val: MetaValue): MetaValue {
    const size = (one: IntLike): IntLike => substitute(one, this.#known) as IntLike;
    if (val instanceof FakeTensor)
      return new FakeTensor({
        ...val,
        shape: val.shape.map(size),
        strides: val.strides.map(size),
        storageOffset: size(val.storageOffset),
      });
    if (Array.isArray(val)) return (val as readonly MetaValue[]).map((item) => this.in(item));
    return isSymScalar(val) ? ({ ...val, expr: substitute(val.expr, this.#known) } as MetaValue) : val;
  }
}
