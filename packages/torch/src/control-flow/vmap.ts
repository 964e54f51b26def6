/** @file Functions of one item that run for a batch (`torch.vmap`). */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { FakeTensor, flattenValue, unflattenTree } from "@sconce/ir";
import { Tensor, wrapDimension } from "@sconce/tensor";
import { visitOperands } from "@sconce/trace";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { withoutRandomness } from "../trace/eager.js";
import { withItem } from "../trace/lane-writes.js";
import { refusal } from "../trace/refusals.js";
import type { Size } from "../trace/sym-int.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { badVmap } from "./errors.js";
import { isSameSize, knownOf } from "./flow-call.js";
import { type Lanes, recordLanes } from "./lanes.js";

/** Options of {@link vmap}. */
export interface VmapOptions {
  /**
   * The dimension along which the items of each argument lie, or one for all arguments; null for an
   * argument that all items share.
   * @defaultValue 0
   */
  readonly inDims?: number | readonly (number | null)[] | undefined;
  /**
   * The dimension along which the items of the results lie; an export takes 0 only. @defaultValue 0
   */
  readonly outDims?: number | undefined;
}

const OPTIONS: OptionNames<VmapOptions> = { inDims: true, outDims: true };

/** A tensor, or what is the same for all items. */
interface Leaf {
  readonly value: unknown;
  /** The dimension of the items; null where all share the value. */
  readonly dim: number | null;
}

/**
 * Makes a function of one item one of a batch (`torch.vmap`, `torch.func.vmap`): it takes tensors
 * with a further dimension, and stacks the results of all items. An export records the calls of one
 * item, as PyTorch does; lowering makes calls of the whole batch of them.
 *
 * Inside of `fn` tensors are not written to, nothing random is drawn, and no control flow is
 * called: draw before, and pass what is drawn.
 *
 * @returns a function of the arguments of `fn`, tensors in containers included
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` where sizes or dimensions do not fit,
 * `CONTROL_FLOW_RESULTS` for results that are not tensors, when it is called
 *
 * @example const products = torch.vmap((a: Tensor, b: Tensor) => a.dot(b))(rows, others);
 */
export function vmap<Args extends readonly unknown[], Result>(
  fn: (...args: Args) => Result,
  options: VmapOptions = {},
): (...args: Args) => Result {
  checkOptions("vmap", options, OPTIONS);
  if (typeof fn !== "function") throw badVmap("the function is missing", "pass a function of one item");
  return (...args) => {
    const { leaves, rebuild } = leavesOf(args, options.inDims ?? 0);
    const count = batchSize(leaves);
    const trace = currentTrace();
    const call = (values: readonly unknown[]): unknown => fn(...(rebuild(values) as Args));
    return (
      trace instanceof Tracer
        ? traced({ trace, call, leaves, count }, options.outDims ?? 0)
        : eachItem(call, leaves, count as number, options.outDims ?? 0)
    ) as Result;
  };
}

function leavesOf(
  args: readonly unknown[],
  dims: number | readonly (number | null)[],
): { readonly leaves: Leaf[]; readonly rebuild: (values: readonly unknown[]) => unknown } {
  if (typeof dims !== "number" && dims.length !== args.length)
    throw badVmap(
      `in_dims is not compatible with the structure of inputs: ${dims.length} dimensions for ${args.length} arguments`,
      "give one dimension for all arguments, or one for each",
    );
  const { spec } = flattenValue(args);
  const leaves = args.flatMap((arg, i) =>
    flattenValue(arg).leaves.map((value) => leafOf(value, typeof dims === "number" ? dims : dims[i]!)),
  );
  return { leaves, rebuild: (values) => unflattenTree(values, spec) };
}

function leafOf(value: unknown, dim: number | null): Leaf {
  if (dim === null) return { value, dim };
  if (!(value instanceof Tensor))
    throw badVmap(
      `Got in_dim=${dim} for an input but the input is of type ${typeof value}. We cannot vmap over non-Tensor arguments`,
      "use null as the dimension of the argument",
    );
  const at = wrapDimension(dim, value.ndim);
  if (!Number.isInteger(at) || at < 0 || at >= value.ndim)
    throw badVmap(
      `Got in_dim=${dim} for some input, but that input is a Tensor of dimensionality ${value.ndim} so expected in_dim to satisfy -${value.ndim} <= in_dim < ${value.ndim}`,
      "use a dimension that the tensor has",
    );
  return { value, dim: at };
}

function batchSize(leaves: readonly Leaf[]): Size {
  const sizes = leaves.flatMap(({ value, dim }) =>
    dim === null ? [] : [{ size: (value as Tensor).size(dim), known: knownOf(value as Tensor).shape[dim]! }],
  );
  const [first] = sizes;
  if (first === undefined)
    throw badVmap("at least one input must have a batch dimension", "give a tensor, and its dimension");
  if (!sizes.every(({ known }) => isSameSize(first.known, known)))
    throw badVmap(
      `Expected all tensors to have the same size in the mapped dimension, got sizes [${sizes.map(({ known }) => String(known)).join(", ")}] for the mapped dimension`,
      "pass tensors with one size along the dimension",
    );
  return first.size;
}

interface TracedCall {
  readonly trace: Tracer;
  readonly call: (values: readonly unknown[]) => unknown;
  readonly leaves: readonly Leaf[];
  readonly count: Size;
}

function traced({ trace, call, leaves, count }: TracedCall, outDims: number): unknown {
  if (outDims !== 0)
    throw refusal(
      badVmap(
        `out_dims is ${outDims}, which PyTorch cannot export`,
        "stack the results along the first dimension, and move it: `vmap(fn)(x).movedim(0, 1)`",
      ),
    );
  let made: ReturnType<typeof flattenValue> | undefined;
  const results = recordLanes(
    trace,
    count,
    (lanes) => {
      const before = trace.nodes.length;
      made = flattenValue(call(leaves.map((leaf) => itemOf(leaf, lanes))));
      requireTensorResults(made.leaves);
      requirePlain(trace, trace.nodes.slice(before));
      return made.leaves.map((leaf) => tracedLeaf(trace, leaf as Tensor));
    },
    (result, level) => {
      // PyTorch makes a result that has no items one for each, and records the calls.
      if (isBatched(trace.nodeOf(result as TracedTensor), level)) return;
      const row = callOperator("aten.unsqueeze.default", [result, 0]) as Tensor;
      callOperator("aten.expand.default", [row, [count, ...result.size()]]);
    },
  );
  return unflattenTree(results, made!.spec);
}

/** Returns a result as a traced tensor: a constant becomes a value of the program. */
const tracedLeaf = (trace: Tracer, leaf: Tensor): Tensor =>
  leaf instanceof TracedTensor ? leaf : trace.freshConstant(leaf);

function itemOf({ value, dim }: Leaf, { item }: Lanes): unknown {
  if (dim === null) return value;
  const known = knownOf(value as Tensor);
  const without = <T>(sizes: readonly T[]): readonly T[] => sizes.filter((_, at) => at !== dim);
  const fake = new FakeTensor({
    ...known,
    shape: without(known.shape),
    strides: without(known.strides),
    requiresGrad: false,
  });
  return item(value as Tensor, dim, fake);
}

/** Returns whether a node depends on the item of a batch. */
function isBatched(node: TraceNode, level: number, seen = new Set<TraceNode>()): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  if (node.target === "torch._functorch.predispatch._add_batch_dim") {
    if (node.args[2] === level) return true;
  }
  let found = false;
  visitOperands(node, ({ current }) => {
    found ||= isBatched(current, level, seen);
  });
  return found;
}

function requireTensorResults(leaves: readonly unknown[]): void {
  const wrong = leaves.find((leaf) => !(leaf instanceof Tensor));
  if (leaves.length > 0 && wrong === undefined) return;
  throw badVmap(
    `the function must only return Tensors, got type ${typeof wrong}`,
    "return tensors, in containers",
    "CONTROL_FLOW_RESULTS",
  );
}

/** Refuses what PyTorch records in another way than it is called. */
function requirePlain(trace: Tracer, nodes: readonly TraceNode[]): void {
  for (const { target } of nodes) {
    if (target === "aten.detach_.default") continue;
    const row = trace.operators.get(target);
    if (row?.tags.includes("nondeterministic_seeded") === true) throw refusal(randomInVmap());
    if (row?.schema.isMutable === true)
      throw refusal(
        badVmap(`\`${target}\` writes to a tensor`, "use the function that gives a new tensor: `x.add(1)`"),
      );
    if (target.startsWith("higher_order."))
      throw refusal(badVmap(`\`${target}\` is called`, "call control flow outside, on the whole batch"));
  }
}

const randomInVmap = () =>
  badVmap(
    "called random operation while in randomness error mode",
    "draw before, and pass what is drawn as an argument",
  );

/** Runs item by item, where nothing is traced. */
function eachItem(
  call: (values: readonly unknown[]) => unknown,
  leaves: readonly Leaf[],
  count: number,
  outDims: number,
): unknown {
  if (count === 0)
    throw badVmap(
      "the batch has no items, and nothing shows what the function gives",
      "pass one item or more",
    );
  const rows = Array.from({ length: count }, (_, i) => {
    const values = leaves.map(({ value, dim }) =>
      dim === null ? value : callOperator("aten.select.int", [value as Tensor, dim, i]),
    );
    const items = values.filter((value, at): value is Tensor => leaves[at]!.dim !== null);
    const run = (): unknown => withoutRandomness(randomInVmap, () => call(values));
    const made = flattenValue(withItem(items, run));
    requireTensorResults(made.leaves);
    return made;
  });
  const stacked = rows[0]!.leaves.map((_, column) =>
    callOperator("aten.stack.default", [rows.map(({ leaves: row }) => row[column] as Tensor), outDims]),
  );
  return unflattenTree(stacked, rows[0]!.spec);
}
