import { type IntLike, isStatic } from "@sconce/symbolic";
import { type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { type Draft, Skip, type Val } from "./draft.js";
import { exactly, type Facts, rounded } from "./facts.js";
import { Choices, mix, type StepRecipe } from "./recipe.js";

/** Adds one call, with what it needs, to a draft. */
export interface Maker {
  /** The operators that it may be asked for by. */
  readonly targets: readonly string[];
  /** In-place operators are for programs that may mutate. */
  readonly mutates?: boolean;
  /** Makes the call of one of the wanted targets. */
  make(step: Step, target: string): void;
}

/** What a maker decides by, and what it builds on. */
export class Step {
  readonly draft: Draft;
  readonly choose: Choices;
  readonly #key: number;
  #made = 0;

  constructor(draft: Draft, recipe: StepRecipe) {
    this.draft = draft;
    this.choose = new Choices(recipe);
    this.#key = recipe.key;
  }

  /** Returns a value that fits. Leaves the step out when there is none. */
  pick(fits: (val: Val) => boolean = () => true): Val {
    const found = this.choose.rendezvous(this.draft.vals.filter(fits));
    if (found === undefined) throw new Skip();
    return found;
  }

  seed(): number {
    return mix(this.#key, this.#made++, 0x5eed);
  }

  /** Returns a lifted constant, parameter (floats only) or buffer of static sizes. */
  constant(dtype: DType, shape: readonly IntLike[]): Val {
    const kind = (["CONSTANT_TENSOR", "PARAMETER", "BUFFER"] as const)[
      this.choose.below(isFloat(dtype) ? 3 : 1)
    ]!;
    if (!shape.every(isStatic)) throw new Skip();
    return this.draft.input(kind, { dtype, shape }, this.seed());
  }

  /** Returns a constant of these elements, none larger than `bound`. */
  given(tensor: Tensor, bound: number): Val {
    const { dtype, shape } = tensor;
    return this.draft.input("CONSTANT_TENSOR", { dtype, shape, tensor, bound }, this.seed());
  }

  buffer(dtype: DType, shape: readonly IntLike[]): Val {
    if (!shape.every(isStatic)) throw new Skip();
    return this.draft.input("BUFFER", { dtype, shape }, this.seed());
  }

  /** Another value that broadcasts with this one: of the draft, or a constant made for it. */
  partner(val: Val, fits: (other: Val) => boolean = () => true): Val {
    const found = this.draft.vals.filter(
      (other) => fits(other) && broadcasts(val.fake.shape, other.fake.shape),
    );
    if (found.length > 0 && this.choose.below(3) > 0) return this.choose.rendezvous(found)!;
    const shape = val.fake.shape.slice(this.choose.below(val.fake.ndim + 1));
    const narrow = shape.map((size) => (!isStatic(size) || this.choose.below(4) === 3 ? 1 : size));
    const other = this.constant(val.fake.dtype, narrow);
    return fits(other) ? other : val;
  }

  /** Returns the value, through `tanh` when it could be larger than `limit`. */
  tamed(val: Val, limit: number): Val {
    if (val.facts.bound <= limit) return val;
    if (!isFloat(val.fake.dtype)) throw new Skip();
    return this.draft.call("aten.tanh.default", [val], rounded(1, val.facts.noise, val.fake.dtype));
  }

  /** `abs(x) + 0.5`, where zero and negative numbers are not allowed. */
  positive(val: Val): Val {
    if (val.fake.dtype === "bool") throw new Skip();
    const { facts } = val;
    const size = this.draft.call("aten.abs.default", [val], { ...facts, home: "fresh" });
    return this.draft.call("aten.add.Scalar", [size, 0.5], {
      ...facts,
      bound: facts.bound + 0.5,
      home: "fresh",
    });
  }

  /** Returns a dimension of the value. Leaves the step out for a value without any. */
  dim(val: Val): number {
    if (val.fake.ndim === 0) throw new Skip();
    return this.choose.below(val.fake.ndim);
  }

  /** Returns how many elements the dimensions have at most. */
  extent(val: Val, dims: readonly number[]): number {
    return dims.reduce((product, d) => product * this.draft.most(val.fake.shape[d]!), 1);
  }
}

export const isFloat = (dtype: DType): boolean => dtypeInfo(dtype).kind === "float";
export const floats = (val: Val): boolean => isFloat(val.fake.dtype);
export const numbers = (val: Val): boolean => val.fake.dtype !== "bool";
export const exact = (val: Val): boolean => val.facts.exact;
export const isStaticVal = (val: Val): boolean => val.fake.shape.every(isStatic);

/** Two shapes that broadcast without a condition on symbols. */
export function broadcasts(a: readonly IntLike[], b: readonly IntLike[]): boolean {
  for (let d = 1; d <= Math.min(a.length, b.length); d++) {
    const [x, y] = [a[a.length - d]!, b[b.length - d]!];
    if (x !== y && x !== 1 && y !== 1) return false;
  }
  return true;
}

/** Returns whether the second broadcasts to the first as it is. */
export const broadcastsTo = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  b.length <= a.length && b.every((size, d) => size === 1 || size === a[a.length - b.length + d]);

/**
 * Returns the same elements in another arrangement: what is known of them is shared with the
 * storage.
 */
export const arranged = (val: Val): Facts => val.facts;
/** Returns a copy of the elements. */
export const copied = (val: Val): Facts => ({ ...val.facts, home: "fresh" });

/**
 * Returns the result of an operator that rounds once at most: exact on exact operands for single
 * and double precision. Half precision may be computed wider and rounded elsewhere.
 */
export function computed(operands: readonly Val[], bound: number, noise: number, dtype: DType): Facts {
  const simple = !isFloat(dtype) || dtypeInfo(dtype).itemSize >= 4;
  return simple && operands.every(exact) ? exactly(bound) : rounded(bound, noise, dtype);
}
