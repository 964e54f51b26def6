/** @file Decides which values get memory, and makes the nests that fill it. */
import { internalError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";
import {
  type Axis,
  atom,
  axis,
  flatIndex,
  type Index,
  ONE,
  product,
  same,
  ZERO,
} from "../../ir/index-expr.js";
import type { LoopBuffer, LoopNest, NestHint, SizeAssumption } from "../../ir/loop-program.js";
import type { Scalar } from "../../ir/scalar.js";
import { scalarText } from "../../ir/scalar-text.js";
import { evaluate, inOrder, LazyTensor, viewOf, withInputs } from "./lazy.js";

/**
 * Values of more operations are computed once when several consumers read them. A load costs as
 * much as a few operations, so below it computing again is cheaper than a buffer and a kernel.
 */
const CHEAP = 2;
/** The same for values that read no memory. */
const CHEAP_WITHOUT_READS = 8;

/** The same for tables of which a call reads rows: most of a table may not be read. */
const CHEAP_ROWS = 8;

/** Limits of one nest: what the emitters support. */
export interface FusionLimits {
  /** Buffers that a nest may read. */
  readonly reads: number;
  /** Operations of one element, reductions counted once. */
  readonly operations: number;
  /** Returns whether products compute a factor themselves. Default: factors get memory. */
  readonly takesFactor?: ((factor: Factor) => boolean) | undefined;
}
/** A factor of a product that is an expression. */
export interface Factor {
  /** The element, over axes of its own and the axis of the sum. */
  readonly value: Scalar;
  /** The axis that the product is summed over. */
  readonly inner: Axis;
  /** The buffers that the element is computed from, by their ids. */
  readonly buffers: readonly LoopBuffer[];
}
/** Operands of which the largest get memory together, not one after the other. */
const MANY_OPERANDS = 32;
/** Tensors without memory that a nest may compute, and how many of them may follow each other. */
const MOST_OPEN = 256;
const MOST_DEPTH = 96;
/** WebGPU guarantees eight storage buffers, one of which is the output. */
export const DEFAULT_LIMITS: FusionLimits = { reads: 7, operations: 96 };

export interface MaterializeOptions {
  readonly hint?: NestHint;
  readonly group?: string;
}

/** Facts about the graph, by the names of its nodes. */
export interface GraphFacts {
  /** How many consumers read a node's value, also through views. */
  readonly uses: ReadonlyMap<string, number>;
  /** The node where all uses of a value join; see {@link joinsOf}. */
  readonly joins?: ReadonlyMap<string, string>;
  /** The graph node whose decomposition a step belongs to. */
  readonly origins?: ReadonlyMap<string, string>;
  /** Orders of dimensions in memory, see {@link Layouts}. */
  readonly layouts?: Layouts | undefined;
}

/**
 * For each node that has another than the row-major order: the dimensions of its value in the order
 * in which they lie in memory, outermost first. `[0, 2, 3, 1]` is channels-last.
 */
export type Layouts = ReadonlyMap<string, readonly number[]>;

/** Buffers and nests under construction. */
export class LoweringContext {
  readonly buffers: LoopBuffer[] = [];
  readonly nests: LoopNest[] = [];
  readonly assumptions: SizeAssumption[] = [];
  readonly #facts: GraphFacts;
  readonly #order = new Map<LazyTensor, number>();
  readonly #limits: FusionLimits;
  /** Buffers by the values that their nests compute. */
  readonly #known = new Map<string, number>();
  #axes = 0;
  #groups = 0;

  /** Nodes that are lowered: the readers of values that join there are lowered too. */
  readonly #lowered = new Set<string>();
  /** Values that products compute themselves, with no memory for any reader. */
  readonly #factors = new Set<LazyTensor>();

  constructor(facts: GraphFacts, limits: FusionLimits = DEFAULT_LIMITS) {
    this.#facts = facts;
    this.#limits = limits;
  }

  /** Returns a fresh axis of a reduction. */
  axis(extent: Index): Axis {
    return axis(`r${this.#axes++}`, extent);
  }
  /** Fresh axes and their indices. */
  axes(extents: readonly Index[]): { readonly axes: Axis[]; readonly at: Index[] } {
    const axes = extents.map((extent) => this.axis(extent));
    return { axes, at: axes.map(placeOn) };
  }
  /** Takes for granted that an index without axes is not negative. */
  assume(node: string, index: Index): void {
    if (index.terms.length > 0) this.assumptions.push({ kind: "index", node: this.#origin(node), index });
  }
  /** Returns a name for nests that belong together. */
  group(kind: string): string {
    return `${kind}_${this.#groups++}`;
  }

  /** Returns a tensor that is in memory before the first nest. */
  input(node: string, dtype: DType, shape: readonly Index[]): LazyTensor {
    const tensor = new LazyTensor({ dtype, shape, node, inputs: [], element: () => unplaced(node) });
    tensor.place(this.#buffer(node, dtype, shape, "input"));
    return tensor;
  }

  #buffer(node: string, dtype: DType, shape: readonly Index[], kind: LoopBuffer["kind"]): number {
    const id = this.buffers.length;
    this.buffers.push({ id, dtype, shape, kind, node: this.#origin(node) });
    return id;
  }

  #origin(node: string): string {
    return this.#facts.origins?.get(node) ?? node;
  }

  /** Gives a value memory, unless it has some; views share the memory of what they show. */
  materialize(tensor: LazyTensor, options: MaterializeOptions = {}): void {
    const root = tensor.root;
    if (root.buffer !== undefined) return;
    // A value with further readers would be computed by each of them.
    for (const part of withInputs(root.inputs))
      if (part.buffer === undefined && this.#isAwaited(part) && isExpensive(part) && !this.#factors.has(part))
        this.materialize(part);
    this.#nest(root, options, this.#orderOf(root, options));
  }

  /**
   * Returns how a value lies in memory. Nests with a hint or a group have their rows in the last
   * axis.
   */
  #orderOf({ node, shape }: LazyTensor, { hint, group }: MaterializeOptions): readonly number[] | undefined {
    const order = this.#facts.layouts?.get(node);
    return hint === undefined && group === undefined && order?.length === shape.length ? order : undefined;
  }

  /** Returns whether a value has further readers, all of which join in a later call. */
  #isAwaited({ node }: LazyTensor): boolean {
    const join = this.#facts.joins?.get(node);
    return join !== undefined && !this.#lowered.has(join);
  }

  /**
   * Memory that holds the elements of this very tensor in row-major order; a view that is not laid
   * out so is copied.
   */
  buffer(tensor: LazyTensor): number {
    this.materialize(tensor);
    if (tensor.buffer !== undefined && tensor.order === undefined) return tensor.buffer;
    const { at } = elementAxes(tensor);
    const element = this.#element(tensor, at);
    const whole = element.kind === "load" ? this.buffers[element.buffer] : undefined;
    const isWhole =
      element.kind === "load" &&
      same(element.index, flatIndex(at, tensor.shape)) &&
      same(volume(whole!.shape), volume(tensor.shape));
    if (isWhole && tensor.buffer === undefined) tensor.place(element.buffer);
    if (isWhole) return element.buffer;
    const isPlaced = tensor.buffer !== undefined;
    const copy = isPlaced ? viewOf(tensor, tensor.node, tensor.shape, (coordinates) => coordinates) : tensor;
    this.#nest(copy, {}, undefined);
    return copy.buffer!;
  }

  #nest(tensor: LazyTensor, { hint, group }: MaterializeOptions, order: readonly number[] | undefined): void {
    // It fitted when it was made, but later calls may have given memory to what it is computed
    // from.
    this.fit(tensor.inputs, tensor.ownOperations);
    const { axes, value, key: text } = this.#elements(tensor, order);
    // A ranking of which only the first ranks are read has no others.
    const key = hint?.kind === "rank" && hint.first !== undefined ? `${text} first ${hint.first}` : text;
    const known = this.#known.get(key);
    if (known !== undefined) {
      tensor.place(known, order);
      return;
    }
    const nodes = [...new Set([...nodesOf(tensor)].map((node) => this.#origin(node)))];
    const output = this.#buffer(tensor.node, tensor.dtype, inOrder(tensor.shape, order), "value");
    this.nests.push({ id: this.nests.length, output, axes, value, nodes, hint, group });
    this.#known.set(key, output);
    tensor.place(output, order);
  }

  /**
   * Returns what a nest for the tensor would compute, and the text by which two such nests are the
   * same.
   */
  #elements(
    tensor: LazyTensor,
    order: readonly number[] | undefined,
  ): { readonly axes: Axis[]; readonly value: Scalar; readonly key: string } {
    const { axes, at } = elementAxes(tensor, order);
    const value = this.#element(tensor, at);
    const extents = axes.map(({ extent }) => extent.text).join();
    return { axes, value, key: `${tensor.dtype}[${extents}]${order?.join() ?? ""} ${scalarText(value)}` };
  }

  /**
   * Returns the expression of an element. Values in between get memory until it is not too large.
   */
  #element(tensor: LazyTensor, at: readonly Index[]): Scalar {
    for (;;) {
      this.#axes = 0;
      const made = evaluate(tensor, at);
      if ("value" in made) return made.value;
      this.#nest(made.split, {}, this.#orderOf(made.split, {}));
    }
  }

  /**
   * Gives a reduction, or the reductions among its inputs, the memory of a nest that computes the
   * same.
   */
  #reuse(tensor: LazyTensor): void {
    if (!tensor.heavy) return;
    const order = this.#orderOf(tensor, {});
    const known = this.#known.get(this.#elements(tensor, order).key);
    if (known !== undefined) tensor.place(known, order);
    else for (const input of tensor.inputs) this.#reuse(input);
  }

  /**
   * Notes that the call being lowered reads every element of the tensor at most once, as its rule
   * reports. Returns the tensor.
   */
  once(tensor: LazyTensor): LazyTensor {
    const { root } = tensor;
    if (root.buffer !== undefined) return tensor;
    this.#reuse(root);
    if (tensor.repeats) return this.many(tensor, CHEAP);
    const shared = (this.#facts.uses.get(root.node) ?? 1) > 1;
    if (shared && isExpensive(root) && !this.#isAwaited(root)) this.materialize(root);
    return tensor;
  }

  /**
   * Notes that a product reads a tensor as a factor. It gets memory unless the target's products
   * compute it. Returns the tensor.
   *
   * @param dim the dimension that the product is summed over
   */
  factor(tensor: LazyTensor, dim: number): LazyTensor {
    const { takesFactor } = this.#limits;
    const { root } = tensor;
    if (takesFactor === undefined || root.buffer !== undefined || root.heavy) return this.many(tensor);
    const axes = tensor.shape.map((extent, d) => axis(`f${d}`, extent));
    const made = evaluate(tensor, axes.map(placeOn));
    if (!("value" in made)) return this.many(tensor);
    if (!takesFactor({ value: made.value, inner: axes.at(dim)!, buffers: this.buffers }))
      return this.many(tensor);
    for (const part of withInputs([root])) this.#factors.add(part);
    return tensor;
  }

  /**
   * Notes that rows of a table are read, which another tensor names. Weights that are expanded from
   * integers need no memory for rows that are not read. Returns the tensor.
   */
  table(tensor: LazyTensor): LazyTensor {
    const { root } = tensor;
    return root.heavy || root.takesMoreThan(CHEAP_ROWS) ? this.many(tensor) : tensor;
  }

  /** Notes that elements are read several times, or inside a reduction. Returns the tensor. */
  many(tensor: LazyTensor, operations = 0): LazyTensor {
    const { root } = tensor;
    this.#reuse(root);
    // Values that read no memory (a range, a constant) are cheaper to compute again than to read.
    const isFree = root.mostReads === 0;
    const most = isFree ? CHEAP_WITHOUT_READS : operations;
    if (root.buffer === undefined && (root.heavy || root.takesMoreThan(most))) this.materialize(root);
    return tensor;
  }

  /**
   * Returns the tensor. A rule reports by this that elements are read once, inside a reduction,
   * which must not hold another.
   */
  reduced(tensor: LazyTensor): LazyTensor {
    this.once(tensor);
    if (tensor.heavy) this.materialize(tensor);
    return tensor;
  }

  /**
   * A rule reports its operands: those that would make the nest too large get memory, the largest
   * first.
   */
  fit(tensors: readonly LazyTensor[], own = 1): void {
    if (tensors.length > MANY_OPERANDS) this.#fitMany(tensors, own);
    while (!this.#fits(tensors, own)) {
      const open = tensors.filter((tensor) => tensor.root.buffer === undefined && tensor.takesMoreThan(0));
      if (open.length === 0) return;
      const largest = open.reduce((most, tensor) => (tensor.operations > most.operations ? tensor : most));
      this.materialize(this.#sharedIn(largest) ?? largest);
    }
  }

  #fits(tensors: readonly LazyTensor[], own: number): boolean {
    const { reads, operations } = this.#limits;
    const [mostReads, mostOperations] = [sumOf(tensors, "mostReads"), sumOf(tensors, "mostOperations")];
    if (mostReads <= reads && mostOperations + own <= operations) return true;
    const inside = withInputs(tensors);
    const buffers = new Set<number>();
    let total = own;
    for (const one of inside) {
      total += one.ownOperations;
      if (one.buffer !== undefined) buffers.add(one.buffer);
    }
    return buffers.size <= reads && total <= operations;
  }

  /** Gives memory to all but the smallest operands that fit into a nest together. */
  #fitMany(tensors: readonly LazyTensor[], own: number): void {
    const seen = new Set<LazyTensor>();
    const reads = new Set<number>();
    let operations = own;
    const take = (tensor: LazyTensor): void => {
      if (seen.has(tensor)) return;
      seen.add(tensor);
      operations += tensor.ownOperations;
      if (tensor.buffer === undefined) tensor.inputs.forEach(take);
      else reads.add(tensor.buffer);
    };
    const sized = [...new Set(tensors)].map((tensor) => ({ tensor, size: tensor.operations }));
    const large = sized
      .sort((a, b) => a.size - b.size)
      .filter(({ tensor }) => {
        take(tensor);
        return operations > this.#limits.operations || reads.size > this.#limits.reads;
      });
    for (const { tensor } of large) if (tensor.takesMoreThan(0)) this.materialize(tensor);
  }

  /**
   * Returns a part of an operand that later calls read too: with memory, it may make the nest small
   * enough. The newest, which leaves least to compute.
   */
  #sharedIn(operand: LazyTensor): LazyTensor | undefined {
    let newest: LazyTensor | undefined;
    for (const part of withInputs([operand])) {
      if (part.root === operand.root || part.buffer !== undefined) continue;
      if (!this.#isAwaited(part) || !isExpensive(part)) continue;
      if (newest === undefined || this.#rank(part) > this.#rank(newest)) newest = part;
    }
    return newest;
  }

  /** Gives the result of a call memory where too much was computed since the last that has some. */
  bound(tensor: LazyTensor): void {
    const isMany = tensor.mostOpen > MOST_OPEN && openIn(tensor) > MOST_OPEN;
    if (isMany || tensor.depth > MOST_DEPTH) this.#nest(tensor, {}, this.#orderOf(tensor, {}));
  }

  /**
   * Runs of tensors of which each reads no more buffers than a nest may; one run when all of them
   * together do.
   */
  runsWithin(tensors: readonly LazyTensor[]): LazyTensor[][] {
    const runs: LazyTensor[][] = [];
    let reads = new Set<number>();
    for (const tensor of tensors) {
      const own = readsOf(tensor);
      const more = [...own].filter((id) => !reads.has(id));
      const fits = runs.length > 0 && reads.size + more.length <= this.#limits.reads;
      if (fits) runs.at(-1)!.push(tensor);
      else runs.push([tensor]);
      if (fits) for (const id of more) reads.add(id);
      else reads = own;
    }
    return runs;
  }

  /**
   * A pointwise rule reports its operands: of those with a reduction, only the newest stays in the
   * nest.
   */
  oneHeavy(tensors: readonly LazyTensor[]): void {
    const reductions = [...withInputs(tensors)].filter(({ isReduction }) => isReduction);
    if (reductions.length < 2) return;
    const roots = new Set(tensors.filter((tensor) => tensor.heavy).map((tensor) => tensor.root));
    const newest = [...roots].reduce<LazyTensor | undefined>(
      (last, root) => (last === undefined || this.#rank(root) > this.#rank(last) ? root : last),
      undefined,
    );
    for (const root of roots) if (root !== newest) this.materialize(root);
  }

  /** Remembers the order in which values were made. */
  made(tensor: LazyTensor): void {
    this.#lowered.add(tensor.node);
    this.#order.set(tensor, this.#order.size);
  }
  #rank(tensor: LazyTensor): number {
    return this.#order.get(tensor) ?? -1;
  }
}

/** Returns whether computing a value twice costs more than a buffer. */
const isExpensive = (tensor: LazyTensor): boolean => tensor.heavy || tensor.takesMoreThan(CHEAP);
const sumOf = (tensors: readonly LazyTensor[], of: "mostReads" | "mostOperations"): number =>
  tensors.reduce((sum, tensor) => sum + tensor[of], 0);
/** Tensors without memory that an element is computed from. */
function openIn(tensor: LazyTensor): number {
  let count = 0;
  for (const { buffer } of withInputs([tensor])) if (buffer === undefined) count++;
  return count;
}
const unplaced = (node: string): never => {
  throw internalError(`"${node}" has no memory`);
};
const volume = product;
/** An axis of one element is always at its first. */
const placeOn = (call: Axis): Index => (same(call.extent, ONE) ? ZERO : atom(call));
/** Axes in the order of memory, and the coordinates of an element. */
function elementAxes(
  { shape }: LazyTensor,
  order?: readonly number[],
): { readonly axes: Axis[]; readonly at: Index[] } {
  const axes = inOrder(shape, order).map((extent, d) => axis(`i${d}`, extent));
  return { axes, at: shape.map((_, dim) => placeOn(axes[order?.indexOf(dim) ?? dim]!)) };
}

/** Buffers that the elements of tensors are computed from. */
function readsOf(...tensors: readonly LazyTensor[]): Set<number> {
  const reads = new Set<number>();
  for (const { buffer } of withInputs(tensors)) if (buffer !== undefined) reads.add(buffer);
  return reads;
}
/** Graph nodes that a nest for this tensor computes, inputs first. */
function nodesOf(
  tensor: LazyTensor,
  into = new Set<string>(),
  seen = new Set<LazyTensor>(),
): ReadonlySet<string> {
  if (tensor.buffer !== undefined || seen.has(tensor)) return into;
  seen.add(tensor);
  for (const input of tensor.inputs) nodesOf(input, into, seen);
  return into.add(tensor.node);
}
