/** @file Lazy tensors: functions from coordinates to the expression of an element. */
import type { DType } from "@sconce/tensor";
import { fitsInto } from "../../ir/always.js";
import { coordinatesOf, flatIndex, type Index, ONE, same, subtract, ZERO } from "../../ir/index-expr.js";
import { load, type Scalar } from "../../ir/scalar.js";
import { Evaluation, TooLarge } from "./evaluation.js";

/** Returns the value of one element. */
export type ElementOf = (coordinates: readonly Index[]) => Scalar;

export interface LazyInit {
  readonly dtype: DType;
  readonly shape: readonly Index[];
  /** The graph node whose value it is, or belongs to. */
  readonly node: string;
  /** The tensors that elements are computed from. */
  readonly inputs: readonly LazyTensor[];
  readonly element: ElementOf;
  /** Operations of one element without those of its inputs; 0 for views. */
  readonly operations?: number;
  /** Whether an element takes a reduction, so that computing it twice is expensive. */
  readonly heavy?: boolean;
  /**
   * For a view: its base. The view shows each element of the base at most once unless `repeats`.
   */
  readonly view?: { readonly base: LazyTensor; readonly repeats: boolean } | undefined;
}

/** Counts the tensors that got memory: what is known of others may have changed since. */
let placed = 0;
/** What the code of one expression may be, if it can be divided. */
const CODE = { values: 2048, choices: 64, nested: 12 };
/** The expression that is being made. */
let evaluation: Evaluation<LazyTensor> | undefined;

/** What holds of a tensor as long as no other gets memory. */
interface Facts {
  readonly placed: number;
  readonly root: LazyTensor;
  readonly repeats: boolean;
  readonly heavy: boolean;
  readonly depth: number;
  /** Bounds of what takes a walk to count: what inputs share is counted once, or many times. */
  readonly mostOpen: number;
  readonly leastOperations: number;
  readonly mostOperations: number;
  readonly mostReads: number;
}
const IN_MEMORY = { repeats: false, heavy: false, depth: 0, mostOpen: 0 } as const;

/** The value of a graph node during lowering: an expression, or a buffer after materialization. */
export class LazyTensor {
  /** The dtype of the elements. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly Index[];
  /** The name of the node that it is the value of. */
  readonly node: string;
  /** The tensors that its elements are computed from. */
  readonly inputs: readonly LazyTensor[];
  /** What it is a view of, where it moves no values. */
  readonly view: LazyInit["view"];
  readonly #element: ElementOf;
  readonly #operations: number;
  readonly #heavy: boolean;
  #buffer: number | undefined;
  #order: readonly number[] | undefined;
  #facts: Facts | undefined;

  constructor(init: LazyInit) {
    this.dtype = init.dtype;
    this.shape = init.shape;
    this.node = init.node;
    this.inputs = init.inputs;
    this.view = init.view;
    this.#element = init.element;
    this.#operations = init.operations ?? 0;
    this.#heavy = init.heavy ?? false;
  }

  /** The buffer that holds all elements. */
  get buffer(): number | undefined {
    return this.#buffer;
  }
  /** The dimensions in the order of the buffer, outermost first; undefined for their own order. */
  get order(): readonly number[] | undefined {
    return this.#order;
  }
  /**
   * From now on elements are read from memory. They lie there in row-major order of the dimensions,
   * or of the dimensions in another order.
   */
  place(buffer: number, order?: readonly number[]): void {
    this.#buffer = buffer;
    this.#order = order;
    placed++;
  }

  /** What depends on which of its inputs have memory, found anew when some tensor gets memory. */
  get #known(): Facts {
    if (this.#facts?.placed !== placed) this.#facts = this.#found();
    return this.#facts;
  }
  #found(): Facts {
    if (this.#buffer !== undefined)
      return { placed, root: this, ...IN_MEMORY, leastOperations: 0, mostOperations: 0, mostReads: 1 };
    const base = this.view === undefined ? undefined : this.view.base.#known;
    let [heavy, depth, mostOpen, mostReads] = [this.#heavy, 0, 1, 0];
    let [leastOperations, mostOperations] = [0, this.#operations];
    for (const input of this.inputs) {
      const known = input.#known;
      heavy ||= known.heavy;
      depth = Math.max(depth, known.depth);
      mostOpen += known.mostOpen;
      mostReads += known.mostReads;
      leastOperations = Math.max(leastOperations, known.leastOperations);
      mostOperations += known.mostOperations;
    }
    return {
      placed,
      root: base?.root ?? this,
      repeats: this.view?.repeats === true || base?.repeats === true,
      heavy,
      depth: depth + 1,
      mostOpen,
      leastOperations: leastOperations + this.#operations,
      mostOperations,
      mostReads,
    };
  }

  /** Whether an element takes a reduction that no buffer holds. */
  get heavy(): boolean {
    return this.#known.heavy;
  }
  /** Whether an element itself takes a reduction, not one of its inputs. */
  get isReduction(): boolean {
    return this.#buffer === undefined && this.#heavy;
  }
  /** Tensors without memory that follow each other, from this one down to memory. */
  get depth(): number {
    return this.#known.depth;
  }
  /** No fewer than the tensors without memory that an element is computed from. */
  get mostOpen(): number {
    return this.#known.mostOpen;
  }
  /** No fewer than the buffers that an element is computed from. */
  get mostReads(): number {
    return this.#known.mostReads;
  }
  /** No fewer than the operations of an element. */
  get mostOperations(): number {
    return this.#known.mostOperations;
  }
  /** Returns whether an element takes more operations. */
  takesMoreThan(operations: number): boolean {
    const { leastOperations, mostOperations } = this.#known;
    if (leastOperations > operations || mostOperations <= operations) return leastOperations > operations;
    return this.operations > operations;
  }
  /**
   * Operations that one element takes, down to memory; what several inputs share is counted once.
   */
  get operations(): number {
    return operationsOf([this]);
  }
  /** Operations of an element without those of its inputs. */
  get ownOperations(): number {
    return this.#buffer === undefined ? this.#operations : 0;
  }

  /**
   * Returns the element at coordinates, one index for each dimension. Readers of the same
   * coordinates get the same object.
   */
  element(coordinates: readonly Index[]): Scalar {
    if (this.#buffer === undefined) {
      const make = (): Scalar => this.#element(coordinates);
      return evaluation === undefined ? make() : evaluation.element(this, coordinates, make);
    }
    const [at, shape] = [inOrder(coordinates, this.#order), inOrder(this.shape, this.#order)];
    return load(this.#buffer, flatIndex(at, shape), this.dtype);
  }

  /** The tensor that this one is a view of, through any number of views. */
  get root(): LazyTensor {
    return this.#known.root;
  }
  /** Whether some view on the way to the root shows elements more than once. */
  get repeats(): boolean {
    return this.#known.repeats;
  }
}

/**
 * Returns the element of a tensor at coordinates, in which all readers of a value share it; or the
 * tensor below it that has to get memory first, as the expression is too large.
 */
export function evaluate(
  tensor: LazyTensor,
  coordinates: readonly Index[],
): { readonly value: Scalar } | { readonly split: LazyTensor } {
  const saved = evaluation;
  const own = new Evaluation<LazyTensor>(tensor.mostOpen > 1);
  evaluation = own;
  try {
    const value = tensor.element(coordinates);
    if (tensor.mostOpen === 1 || fitsInto(value, CODE)) return { value };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
  } finally {
    evaluation = saved;
  }
  const below = [...withInputs([tensor])].filter((one) => one !== tensor && one.buffer === undefined);
  return { split: own.split(below) };
}

/** Items of the dimensions in the order in which they lie in memory. */
export const inOrder = <T>(items: readonly T[], order: readonly number[] | undefined): readonly T[] =>
  order === undefined ? items : order.map((dim) => items[dim]!);

/** Returns the tensors and all that they are computed from down to memory, each once. */
export function withInputs(
  tensors: readonly LazyTensor[],
  into = new Set<LazyTensor>(),
): ReadonlySet<LazyTensor> {
  for (const tensor of tensors) {
    if (into.has(tensor)) continue;
    into.add(tensor);
    if (tensor.buffer === undefined) withInputs(tensor.inputs, into);
  }
  return into;
}
/** Operations that elements of the tensors take together, down to memory. */
function operationsOf(tensors: readonly LazyTensor[]): number {
  let total = 0;
  for (const tensor of withInputs(tensors)) total += tensor.ownOperations;
  return total;
}

/** Returns a view: coordinates here become coordinates of the base. */
export function viewOf(
  base: LazyTensor,
  node: string,
  shape: readonly Index[],
  map: (coordinates: readonly Index[]) => readonly Index[],
  repeats = false,
): LazyTensor {
  return new LazyTensor({
    dtype: base.dtype,
    shape,
    node,
    inputs: [base],
    element: (coordinates) => base.element(map(coordinates)),
    view: { base, repeats },
  });
}

/** Returns the same elements in row-major order under another shape of as many elements. */
export function reshaped(base: LazyTensor, node: string, shape: readonly Index[]): LazyTensor {
  if (shape.length === base.shape.length && shape.every((extent, d) => same(extent, base.shape[d]!)))
    return viewOf(base, node, shape, (coordinates) => coordinates);
  return viewOf(base, node, shape, (coordinates) => reshapeCoordinates(coordinates, shape, base.shape));
}

/**
 * Coordinates of the element that has the same row-major place; dimensions that both shapes share
 * keep theirs.
 */
function reshapeCoordinates(
  coordinates: readonly Index[],
  from: readonly Index[],
  to: readonly Index[],
): Index[] {
  let head = 0;
  while (head < from.length && head < to.length && same(from[head]!, to[head]!)) head++;
  let tail = 0;
  const most = Math.min(from.length, to.length) - head;
  while (tail < most && same(from[from.length - 1 - tail]!, to[to.length - 1 - tail]!)) tail++;
  const inner = from.slice(head, from.length - tail);
  const place = flatIndex(coordinates.slice(head, from.length - tail), inner);
  return [
    ...coordinates.slice(0, head),
    ...coordinatesOf(place, to.slice(head, to.length - tail)),
    ...coordinates.slice(from.length - tail),
  ];
}

/** Returns whether a dimension is shown in another extent by repeating its only element. */
const isBroadcast = (extent: Index, out: Index): boolean => same(extent, ONE) && !same(out, ONE);

/** The call that a view is made for. */
interface ViewCall {
  readonly node: string;
  readonly context: { readonly assume: (node: string, index: Index) => void };
}

/**
 * Returns the tensor seen in a larger shape, dimensions of one element repeated. Other dimensions
 * have the same size, which is taken for granted where their sizes are different expressions.
 */
export function broadcastTo(
  base: LazyTensor,
  { node, context }: ViewCall,
  shape: readonly Index[],
): LazyTensor {
  const lead = shape.length - base.shape.length;
  if (lead === 0 && base.shape.every((extent, d) => same(extent, shape[d]!))) return base;
  base.shape.forEach((extent, d) => {
    const whole = shape[d + lead]!;
    if (same(extent, whole) || same(extent, ONE)) return;
    context.assume(node, subtract(extent, whole));
    context.assume(node, subtract(whole, extent));
  });
  const repeats = shape.some((extent, d) =>
    d < lead ? !same(extent, ONE) : isBroadcast(base.shape[d - lead]!, extent),
  );
  return viewOf(
    base,
    node,
    shape,
    (coordinates) => base.shape.map((extent, d) => (same(extent, ONE) ? ZERO : coordinates[d + lead]!)),
    repeats,
  );
}
