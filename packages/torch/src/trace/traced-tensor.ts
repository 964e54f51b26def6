import { markClass } from "@sconce/errors";
import { areStatic, type FakeTensor } from "@sconce/ir";
import { type Items, Storage, Tensor } from "@sconce/tensor";
import { COPY } from "../this-copy.js";
import { dynamicShape, tracedValues } from "./errors.js";
import { refusal } from "./refusals.js";

/** Every access to the bytes fails: the values of a traced tensor are not known. */
class TracedStorage extends Storage {
  constructor() {
    super(new Uint8Array(0));
    Object.defineProperty(this, "bytes", {
      get: (): never => {
        throw refusal(tracedValues());
      },
      enumerable: false,
    });
  }

  override get hasValues(): boolean {
    return false;
  }
}

const NO_STORAGE = new TracedStorage();

/** Returns whether a tensor was made of a traced one behind the trace: its values are not known. */
export const isCopyOfTraced = ({ storage }: Tensor): boolean => storage === NO_STORAGE;

type SizesKey = "shape" | "strides";

/** The lists of fakes with dynamic sizes, by key. */
const lists = {
  shape: new WeakMap<FakeTensor, Items<number>>(),
  strides: new WeakMap<FakeTensor, Items<number>>(),
};

/** Returns a list of which static entries are numbers; reading a dynamic one throws. */
function partlyStatic(key: SizesKey, fake: FakeTensor): Items<number> {
  const known = lists[key].get(fake);
  if (known !== undefined) return known;
  const sizes = fake[key];
  const list = new Array<number>(sizes.length);
  sizes.forEach((size, dim) => {
    if (typeof size === "number") list[dim] = size;
    else Object.defineProperty(list, dim, dynamicEntry(key, dim, fake));
  });
  Object.freeze(showsSizes(list, sizes));
  lists[key].set(fake, list as Iterable<number> as Items<number>);
  return list as Iterable<number> as Items<number>;
}

const dynamicEntry = (key: SizesKey, dim: number, fake: FakeTensor): PropertyDescriptor => ({
  get(): never {
    throw refusal(dynamicShape(key, dim, fake));
  },
  enumerable: true,
});

/** Lets Node's console show the sizes of a list. */
const showsSizes = (list: number[], sizes: readonly unknown[]): number[] =>
  Object.defineProperty(list, Symbol.for("nodejs.util.inspect.custom"), {
    value: () => `[ ${sizes.map(String).join(", ")} ]`,
  });

/**
 * Lists with dynamic entries are made when they are read. The getters are shared: so all tensors
 * have the same hidden class.
 */
const dynamicProperty = (key: SizesKey): PropertyDescriptor => ({
  get(this: TracedTensor): Items<number> {
    return partlyStatic(key, this.fake);
  },
  enumerable: true,
  configurable: true,
});
const DYNAMIC = { shape: dynamicProperty("shape"), strides: dynamicProperty("strides") };

/**
 * A tensor while a program is traced: dtype, sizes and strides are known, values are not. Operators
 * on it are recorded. An in-place operator may change its sizes, so `fake` is replaced.
 */
export class TracedTensor extends Tensor {
  static {
    markClass(TracedTensor, "TracedTensor", COPY);
  }

  #fake: FakeTensor;

  constructor(fake: FakeTensor) {
    const { dtype, requiresGrad, shape, strides } = fake;
    const sizes = { shape: areStatic(shape) ? shape : [], strides: areStatic(strides) ? strides : [] };
    super({ dtype, ...sizes, storage: NO_STORAGE, requiresGrad });
    this.#fake = fake;
    if (sizes.shape !== shape) Object.defineProperty(this, "shape", DYNAMIC.shape);
    if (sizes.strides !== strides) Object.defineProperty(this, "strides", DYNAMIC.strides);
  }

  /** What is known of the tensor now. */
  get fake(): FakeTensor {
    return this.#fake;
  }

  /** Takes on what an in-place operator has made of the tensor. */
  becomes(fake: FakeTensor): void {
    this.#fake = fake;
    for (const key of ["shape", "strides"] as const) {
      const value = fake[key];
      const property = areStatic(value)
        ? { value, writable: true, enumerable: true, configurable: true }
        : DYNAMIC[key];
      Object.defineProperty(this, key, property);
    }
  }

  /** The number of dimensions. */
  override get ndim(): number {
    return this.#fake.ndim;
  }

  /**
   * Refuses `JSON.stringify`: what it would write is not what the tensor holds.
   * @throws SconceError `TRACED_VALUES`
   */
  override toJSON(): never {
    throw refusal(tracedValues());
  }

  override toString(): string {
    return this.#fake.toString();
  }
}
