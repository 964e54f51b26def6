/** @file Functions of one place of a batch, head, query and key, called for all places at once. */

import { defaultOperators } from "@sconce/ops";
import { ShapeEnv } from "@sconce/symbolic";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import {
  callOperator,
  type OperatorArgument,
  type OperatorKeywords,
  type OperatorResult,
  type Recorder,
  withTrace,
} from "../trace/dispatch.js";

const op = (target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords = {}): Tensor =>
  callOperator(`aten.${target}`, args, kwargs) as Tensor;

/** The function cannot be called for all places at once. */
class NotAtOnce extends Error {}

const RANK = 4;
const CONVERSIONS = /^aten\.(clone|detach|alias|_to_copy|to)\./;
const FACTORIES = /^aten\.new_(ones|zeros|full|empty)\./;

/** Returns the indices of each dimension of scores, as tensors that broadcast over them. */
export const placesOf = (sizes: readonly number[]): readonly Tensor[] =>
  sizes.map((size, dim) =>
    op("view.default", [
      op("arange.default", [size], { dtype: { kind: "dtype", dtype: "int32" } }),
      sizes.map((_, d) => (d === dim ? size : 1)),
    ]),
  );

/**
 * Calls a function of one place for all places: at once, where its operators are pointwise or read
 * a tensor at the places, otherwise one by one.
 *
 * @param inputs tensors of four dimensions that broadcast; the function takes an element of each
 * @param sizes the sizes of the result
 */
export function overPlaces(
  fn: (...elements: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  sizes: readonly number[],
): Tensor {
  const all = atOnce(fn, inputs) ?? oneByOne(fn, inputs, sizes);
  return op("expand.default", [all, sizes]);
}

function atOnce(fn: (...elements: Tensor[]) => Tensor, inputs: readonly Tensor[]): Tensor | undefined {
  const recorder = new PlaceCalls(inputs);
  try {
    const result = withTrace(recorder, () => fn(...inputs));
    if (recorder.isOfAll(result)) return result;
    return result.ndim === 0 ? op("view.default", [result, [1, 1, 1, 1]]) : undefined;
  } catch (error) {
    if (error instanceof NotAtOnce) return undefined;
    throw error;
  }
}

/** Runs calls for all places, and refuses those that mean something else there. */
class PlaceCalls implements Recorder {
  readonly env = new ShapeEnv();
  readonly #ofAll: WeakSet<Tensor>;
  readonly #operators = defaultOperators();

  constructor(inputs: readonly Tensor[]) {
    this.#ofAll = new WeakSet(inputs);
  }

  /** Returns whether a value is one tensor of all places. */
  isOfAll(value: unknown): boolean {
    return value instanceof Tensor && this.#ofAll.has(value);
  }

  call(target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords): OperatorResult {
    const isOfAll = args.some((arg) => this.#holdsAll(arg));
    if (Object.values(kwargs).some((arg) => arg instanceof Tensor)) throw new NotAtOnce();
    const given = isOfAll ? this.#given(target, args) : args;
    const result = callOperator(target, given, kwargs);
    if (!isOfAll) return result;
    if (!(result instanceof Tensor)) throw new NotAtOnce();
    this.#ofAll.add(result);
    return result;
  }

  #holdsAll(arg: OperatorArgument): boolean {
    return Array.isArray(arg) ? arg.some((item) => this.#holdsAll(item)) : this.isOfAll(arg);
  }

  #given(target: string, args: readonly OperatorArgument[]): readonly OperatorArgument[] {
    const row = this.#operators.get(target);
    const [self, second] = args;
    if (row === undefined || row.schema.isMutable) throw new NotAtOnce();
    if (CONVERSIONS.test(target)) return args;
    if (FACTORIES.test(target)) {
      if (!Array.isArray(second) || second.length > 0) throw new NotAtOnce();
      return [self, new Array<number>(RANK).fill(1), ...args.slice(2)];
    }
    if (target === "aten.index.Tensor" && self instanceof Tensor && !this.isOfAll(self)) {
      const indices = second as readonly (Tensor | null)[];
      const isPlaces = (index: Tensor | null): boolean =>
        index !== null && dtypeInfo(index.dtype).kind === "int";
      if (indices.length !== self.ndim || !indices.every(isPlaces)) throw new NotAtOnce();
      return [self, indices.map((index) => this.#aligned(index))];
    }
    if (!row.tags.includes("pointwise")) throw new NotAtOnce();
    return args.map((arg) => this.#aligned(arg));
  }

  #aligned(arg: OperatorArgument): OperatorArgument {
    if (!(arg instanceof Tensor) || this.isOfAll(arg)) return arg;
    if (arg.ndim > 0) throw new NotAtOnce();
    return op("view.default", [arg, [1, 1, 1, 1]]);
  }

  arithmetic(): void {
    throw new NotAtOnce();
  }

  discarded(): void {}

  freshConstant(value: Tensor): Tensor {
    return value;
  }

  inFunction<T>(_name: string, _kind: string, run: () => T): T {
    return run();
  }
}

function oneByOne(
  fn: (...elements: Tensor[]) => Tensor,
  inputs: readonly Tensor[],
  sizes: readonly number[],
): Tensor {
  const whole = inputs.map((input) => op("expand.default", [input, sizes]));
  const count = sizes.reduce((a, b) => a * b, 1);
  const results: Tensor[] = [];
  for (let i = 0; i < count; i++) {
    let rest = i;
    const place = sizes.toReversed().map((size) => {
      const at = rest % size;
      rest = (rest - at) / size;
      return at;
    });
    const elements = whole.map((tensor) =>
      place.toReversed().reduce<Tensor>((one, at) => op("select.int", [one, 0, at]), tensor),
    );
    results.push(fn(...elements));
  }
  if (count === 0) return fn(...whole);
  return op("view.default", [op("stack.default", [results]), sizes]);
}
