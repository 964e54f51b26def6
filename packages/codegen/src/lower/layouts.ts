/** @file Decides which values of a graph lie in memory with their channels last. */
import { FakeTensor, forEachInput, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Layouts } from "./core/context.js";
import type { LoweringTable } from "./core/lowering.js";
import { LOWERINGS } from "./table.js";

/** Convolutions, which read and write whole vectors of channels when these are last. */
const CONVOLUTION = /^aten\.(convolution|convolution_backward|conv[23]d|conv_transpose[23]d)\./;

/**
 * Operators besides the pointwise ones that go through pixels in any order: their operands and
 * results have the same layout.
 */
const FOLLOWS =
  /^(operator\.getitem$|aten\.(clone|_to_copy|cat|slice|constant_pad_nd|(reflection|replication)_pad[23]d|_?(adaptive_)?(max|avg)_pool[23]d(_with_indices)?(_backward)?|upsample_\w+|_?(native_)?batch_norm\w*|native_group_norm)\.)/;

/** Values of fewer channels stay in row-major order: their channels do not fill a vector. */
const FEWEST_CHANNELS = 4;

/**
 * Selects the values of a graph that lie in memory with their channels last: results of
 * convolutions of two and three dimensions, and values of pointwise operators, pools, batch norms,
 * concatenations, pads and resizes between them.
 *
 * Values that follow each other have one layout. They are channels-last where more convolutions
 * produce or read them than values come from outside or leave the graph, because those values stay
 * in row-major order.
 */
export function channelsLastLayouts(
  graph: Graph,
  operators: OperatorTable,
  lowerings: LoweringTable = LOWERINGS,
): Layouts {
  const groups = new Groups();
  const nodes = graph.nodes();
  for (const node of nodes) groups.add(node, operators);
  const leaving = valuesOfOutputs(graph, lowerings);
  for (const node of nodes) {
    if (node.op === "placeholder" || leaving.has(node.name)) groups.count(node.name, -1);
    else if (isConvolution(node, graph)) groups.count(node.name, 1);
    if (isConvolution(node, graph)) for (const name of imagesOf(node)) groups.count(name, 1);
  }
  const layouts = new Map<string, readonly number[]>();
  for (const node of nodes) {
    const shape = imageShape(node);
    if (node.op !== "call_function" || shape === undefined || leaving.has(node.name)) continue;
    const channels = shape[1]!;
    if (typeof channels === "number" && channels < FEWEST_CHANNELS) continue;
    if (groups.isChosen(node.name)) layouts.set(node.name, channelsLast(shape.length));
  }
  return layouts;
}

/** Returns the names of the images that a convolution reads; the gradients of one read two. */
const imagesOf = ({ target, args }: Node): readonly string[] =>
  args.slice(0, target.includes("backward") ? 2 : 1).flatMap((arg) => (isRef(arg) ? [arg.name] : []));

/** Returns whether a call convolves a batch of images: the kernels have as many dimensions. */
function isConvolution(node: Node, graph: Graph): boolean {
  if (node.op !== "call_function" || !CONVOLUTION.test(node.target)) return false;
  const ranks = node.args.slice(0, 2).map((arg) => {
    const val = isRef(arg) ? graph.node(arg.name).meta.val : undefined;
    return val instanceof FakeTensor ? val.shape.length : -1;
  });
  return ranks[0] === ranks[1];
}

/** `[0, 2, 3, 1]` for four dimensions. */
const channelsLast = (rank: number): number[] => [0, ...Array.from({ length: rank - 2 }, (_, d) => d + 2), 1];

/** Returns the shape of a value of batch, channels, and two or three dimensions of pixels. */
function imageShape({ meta: { val } }: Node): FakeTensor["shape"] | undefined {
  const tensor: unknown = Array.isArray(val) ? (val as readonly unknown[])[0] : val;
  if (!(tensor instanceof FakeTensor)) return undefined;
  return tensor.shape.length === 4 || tensor.shape.length === 5 ? tensor.shape : undefined;
}

/** Values by the layout that they share. */
class Groups {
  /** A further value of the same group, and the group's own name at the end. */
  readonly #next = new Map<string, string>();
  readonly #benefits = new Map<string, number>();
  readonly #convolved = new Set<string>();

  /** Adds a value, to the group of the images that it is computed from where it follows them. */
  add(node: Node, operators: OperatorTable): void {
    const shape = imageShape(node);
    if (shape === undefined) return;
    this.#next.set(node.name, node.name);
    if (node.op !== "call_function") return;
    const follows = operators.get(node.target)?.tags.includes("pointwise") || FOLLOWS.test(node.target);
    if (follows) forEachInput(node, (name) => this.#join(name, node.name));
  }

  /** Adds to the benefit of the group that a value is in. */
  count(name: string, benefit: number): void {
    if (!this.#next.has(name)) return;
    const group = this.#groupOf(name);
    this.#benefits.set(group, (this.#benefits.get(group) ?? 0) + benefit);
    if (benefit > 0) this.#convolved.add(group);
  }

  /** Returns whether the group gains: as many convolutions as conversions at least. */
  isChosen(name: string): boolean {
    const group = this.#groupOf(name);
    return this.#convolved.has(group) && this.#benefits.get(group)! >= 0;
  }

  #join(name: string, other: string): void {
    if (this.#next.has(name)) this.#next.set(this.#groupOf(name), this.#groupOf(other));
  }

  #groupOf(name: string): string {
    let at = name;
    while (this.#next.get(at) !== at) {
      const next = this.#next.get(at)!;
      this.#next.set(at, this.#next.get(next)!);
      at = next;
    }
    return at;
  }
}

/** Returns the values that the graph returns, and those that a returned view shows. */
function valuesOfOutputs(graph: Graph, lowerings: LoweringTable): ReadonlySet<string> {
  const leaving = new Set<string>();
  const leave = (name: string): void => {
    if (leaving.has(name)) return;
    leaving.add(name);
    const node = graph.node(name);
    const isPick = node.target === "operator.getitem";
    if (node.op === "call_function" && (lowerings[node.target]?.isView || isPick)) forEachInput(node, leave);
  };
  for (const node of graph.nodes()) if (node.op === "output") forEachInput(node, leave);
  return leaving;
}
