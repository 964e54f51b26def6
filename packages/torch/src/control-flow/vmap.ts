/** @file Functions of one item that run for a batch (`torch.vmap`). */
import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import {
  FakeTensor,
  flattenValue,
  LEAF,
  leafCount,
  type TreeSpec,
  treeSpecText,
  unflattenTree,
} from "@sconce/ir";
import { Tensor, wrapDimension } from "@sconce/tensor";
import { visitOperands } from "@sconce/trace";
import { callOperator, currentTrace } from "../trace/dispatch.js";
import { saveRandomness } from "../trace/eager.js";
import { randomItem } from "../trace/errors.js";
import { drawsNumbers } from "../trace/lane-draws.js";
import { ItemRun, type Randomness, withItem } from "../trace/lane-items.js";
import { refusal } from "../trace/refusals.js";
import type { Size } from "../trace/sym-int.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { badVmap } from "./errors.js";
import { isSameSize, knownOf } from "./flow-call.js";
import { type Lanes, recordLanes, recordLoading } from "./lanes.js";
import { inChunks, type Leaf, requireChunkSize } from "./vmap-chunks.js";

/** A dimension, or none; or those of the parts of a container, in a container of the same form. */
type MappedDims = number | null | readonly MappedDims[] | { readonly [key: string]: MappedDims };

/** Options of {@link vmap}. */
export interface VmapOptions {
  /**
   * The dimension along which the items of the arguments lie: one for all, or a list with one for
   * each argument. For an argument that is a container it may be a container of the same form. It
   * is null for what all items share. @defaultValue 0
   */
  readonly inDims?: MappedDims | undefined;
  /**
   * The dimension along which the items of the results lie, in the same form. It is null for a
   * result that does not depend on the item, which is then returned once. An export takes 0 and
   * null only. @defaultValue 0
   */
  readonly outDims?: MappedDims | undefined;
  /**
   * What random operators in the function do: they are refused, draw other numbers for each item,
   * or the same for all. An export takes `"error"` only. @defaultValue "error"
   */
  readonly randomness?: Randomness | undefined;
  /**
   * How many items are computed together: parts of so many run one after another, and their results
   * are joined. It is null for all at once. @defaultValue null
   */
  readonly chunkSize?: number | null | undefined;
}

const OPTIONS: OptionNames<VmapOptions> = { inDims: true, outDims: true, randomness: true, chunkSize: true };

/**
 * Makes a function of one item one of a batch (`torch.vmap`, `torch.func.vmap`): it takes tensors
 * with a further dimension, and stacks the results of all items. An export records the calls of one
 * item, as PyTorch does; lowering makes calls of the whole batch of them.
 *
 * Nothing in `fn` depends on the values of one item: `item()`, boolean masks as indices and results
 * whose sizes the values decide are refused. In an export `fn` neither writes to tensors nor draws
 * random numbers nor calls control flow.
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
  const { outDims = 0, inDims = 0, randomness = "error", chunkSize = null } = options;
  requireChunkSize(chunkSize);
  return (...args) => {
    requireDims(outDims);
    const { leaves, rebuild } = leavesOf(args, inDims);
    const count = batchSize(leaves);
    requireRandomness(randomness);
    const trace = currentTrace();
    const call = (values: readonly unknown[]): unknown => fn(...(rebuild(values) as Args));
    const run = (own: readonly Leaf[], size: Size): unknown =>
      trace instanceof Tracer
        ? traced({ trace, call, leaves: own, count: size, isPart: own !== leaves }, outDims, randomness)
        : eachItem({ call, leaves: own, count: size as number }, outDims, randomness);
    if (chunkSize === null || count === 0) return run(leaves, count) as Result;
    if (trace instanceof Tracer) recordLoading(trace);
    // PyTorch lists the parts, which specializes the number of items.
    const known = typeof count === "number" ? count : trace!.env.guardInt(count.expr);
    const start = trace instanceof Tracer || randomness !== "same" ? undefined : saveRandomness();
    return inChunks(
      { leaves, count: known, size: chunkSize },
      (own, size) => {
        start?.();
        return run(own, size);
      },
      (result) => dimsOfResults(result, flattenValue(result), outDims),
    ) as Result;
  };
}

function requireRandomness(randomness: unknown): void {
  if (["error", "different", "same"].includes(randomness as string)) return;
  const given = typeof randomness === "string" ? randomness : describeValue(randomness);
  throw badVmap(
    `Only allowed values for randomness are 'error', 'different', or 'same'. Got ${given}`,
    "use one of these words",
  );
}

/** Refuses dimensions of results that are not whole numbers. */
function requireDims(dims: MappedDims): void {
  if (flattenValue(dims).leaves.every((dim) => dim === null || Number.isInteger(dim))) return;
  throw badVmap(
    "`out_dims` must be an int, None or a python collection of ints representing where in the outputs the vmapped dimension should appear.",
    "use a whole number, null, or containers of these",
  );
}

const isOne = (dims: MappedDims): dims is number | null => dims === null || typeof dims !== "object";

/**
 * Returns a dimension for each leaf of a value; undefined where the containers are of other forms.
 */
function broadcastDims(dims: MappedDims, spec: TreeSpec): (number | null)[] | undefined {
  const { spec: given, leaves } = flattenValue(dims);
  const found: (number | null)[] = [];
  let next = 0;
  const visit = (own: TreeSpec, wanted: TreeSpec): boolean => {
    if (own === LEAF) {
      const dim = leaves[next++] as number | null;
      for (let i = leafCount(wanted); i > 0; i--) found.push(dim);
      return true;
    }
    if (wanted === LEAF || own.children.length !== wanted.children.length) return false;
    if (isSequence(own) !== isSequence(wanted)) return false;
    if (!isSequence(own) && String(own.context) !== String(wanted.context)) return false;
    return own.children.every((child, i) => visit(child, wanted.children[i]!));
  };
  return visit(given, spec) ? found : undefined;
}

const isSequence = ({ type }: TreeSpec): boolean => /^builtins\.(list|tuple)$/.test(type ?? "");

function leavesOf(
  args: readonly unknown[],
  dims: MappedDims,
): { readonly leaves: Leaf[]; readonly rebuild: (values: readonly unknown[]) => unknown } {
  if (!Number.isInteger(dims) && !Array.isArray(dims))
    throw badVmap(
      `expected \`in_dims\` to be int or a (potentially nested) tuple matching the structure of inputs, got: ${describeValue(dims)}.`,
      "give one dimension for all arguments, or a list with one for each",
    );
  if (args.length === 0)
    throw badVmap(
      "got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. The latter is unsupported.",
      "give a tensor, and its dimension",
    );
  const { spec, leaves } = flattenValue(args);
  const flat = broadcastDims(dims, spec);
  if (flat === undefined)
    throw badVmap(
      `in_dims is not compatible with the structure of \`inputs\`. in_dims has structure ${treeSpecText(flattenValue(dims).spec)} but inputs has structure ${treeSpecText(spec)}.`,
      "give one dimension for all arguments, or one for each",
    );
  return {
    leaves: leaves.map((value, i) => leafOf(value, flat[i]!)),
    rebuild: (values) => unflattenTree(values, spec),
  };
}

function leafOf(value: unknown, dim: number | null): Leaf {
  if (dim === null) return { value, dim };
  if (!Number.isInteger(dim))
    throw badVmap(
      `Got in_dim=${String(dim)} for an input but in_dim must be either an integer dimension or None.`,
      "use a whole number, or null",
    );
  if (!(value instanceof Tensor))
    throw badVmap(
      `Got in_dim=${dim} for an input but the input is of type ${typeof value}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim`,
      "use null as the dimension of the argument",
    );
  const at = wrapDimension(dim, value.ndim);
  if (!Number.isInteger(at) || at < 0 || at >= value.ndim)
    throw badVmap(
      `Got in_dim=${dim} for some input, but that input is a Tensor of dimensionality ${value.ndim} so expected in_dim to satisfy -${value.ndim} <= in_dim < ${value.ndim}.`,
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
    throw badVmap("Expected at least one Tensor to vmap over", "give a tensor, and its dimension");
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
  /** Whether other parts of the batch are computed beside it. */
  readonly isPart: boolean;
}

function traced(
  { trace, call, leaves, count, isPart }: TracedCall,
  outDims: MappedDims,
  randomness: Randomness,
): unknown {
  const moved = flattenValue(outDims).leaves.find((dim) => dim !== 0 && dim !== null);
  if (moved !== undefined)
    throw refusal(
      badVmap(
        `out_dims is ${String(moved)}, which PyTorch cannot export`,
        "stack the results along the first dimension, and move it: `vmap(fn)(x).movedim(0, 1)`",
      ),
    );
  if (randomness !== "error")
    throw refusal(
      badVmap(
        `randomness is "${randomness}", which an export does not record`,
        "draw before, and pass what is drawn as an argument",
      ),
    );
  let made: ReturnType<typeof flattenValue> | undefined;
  let dims: readonly (number | null)[] = [];
  const results = recordLanes(
    trace,
    count,
    (lanes) => {
      const before = trace.nodes.length;
      const value = call(leaves.map((leaf) => itemOf(leaf, lanes)));
      made = flattenValue(value);
      dims = dimsOfResults(value, made, outDims);
      requireTensorResults(made.leaves, dims);
      requirePlain(trace, trace.nodes.slice(before));
      made.leaves.forEach((leaf, i) => {
        const isTraced = dims[i] === null && leaf instanceof TracedTensor;
        if (isTraced && isBatched(trace.nodeOf(leaf), lanes.level)) throw batchedResult();
      });
      return made.leaves.filter((_, i) => dims[i] !== null).map((leaf) => tracedLeaf(trace, leaf as Tensor));
    },
    (result, level) => {
      // PyTorch makes a result that has no items one for each, and records the calls.
      if (isBatched(trace.nodeOf(result as TracedTensor), level)) return;
      const row = callOperator("aten.unsqueeze.default", [result, 0]) as Tensor;
      callOperator("aten.expand.default", [row, [count, ...result.size()]]);
    },
    isPart,
  );
  const all = made!.leaves.map((leaf, i) => (dims[i] === null ? leaf : results.shift()));
  return unflattenTree(all, made!.spec);
}

const batchedResult = (): Error =>
  badVmap(
    "the function can not return a BatchedTensor when out_dim is None",
    "use a dimension in `outDims`, such as 0",
    "CONTROL_FLOW_RESULTS",
  );

/** Returns the dimension of the items for each leaf of the results. */
function dimsOfResults(
  value: unknown,
  { spec }: ReturnType<typeof flattenValue>,
  outDims: MappedDims,
): readonly (number | null)[] {
  const isOfOne =
    value instanceof Tensor && Array.isArray(outDims) && outDims.length === 1 && isOne(outDims[0]);
  const dims = broadcastDims(isOfOne ? outDims[0] : outDims, spec);
  if (dims !== undefined) return dims;
  throw badVmap(
    `out_dims is not compatible with the structure of \`outputs\`. out_dims has structure ${treeSpecText(flattenValue(outDims).spec)} but outputs has structure ${treeSpecText(spec)}.`,
    "give one dimension for all results, or one for each",
    "CONTROL_FLOW_RESULTS",
  );
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

function requireTensorResults(leaves: readonly unknown[], dims: readonly (number | null)[]): void {
  const wrong = leaves.findIndex((leaf, i) => dims[i] !== null && !(leaf instanceof Tensor));
  if (wrong < 0) return;
  throw badVmap(
    `the function must only return Tensors, got type ${typeof leaves[wrong]}. Did you mean to set out_dims= to None for output?`,
    "return tensors, in containers, or use null in `outDims` for other values",
    "CONTROL_FLOW_RESULTS",
  );
}

/** Refuses what PyTorch records in another way than it is called. */
function requirePlain(trace: Tracer, nodes: readonly TraceNode[]): void {
  for (const { target, args, kwargs } of nodes) {
    if (target === "aten.detach_.default") continue;
    const row = trace.operators.get(target);
    const isRandom = row?.tags.includes("nondeterministic_seeded") === true;
    if (isRandom && drawsNumbers({ target, args, kwargs })) throw refusal(randomItem());
    if (row?.schema.isMutable === true)
      throw refusal(
        badVmap(`\`${target}\` writes to a tensor`, "use the function that gives a new tensor: `x.add(1)`"),
      );
    if (target.startsWith("higher_order."))
      throw refusal(badVmap(`\`${target}\` is called`, "call control flow outside, on the whole batch"));
  }
}

interface EagerCall {
  readonly call: (values: readonly unknown[]) => unknown;
  readonly leaves: readonly Leaf[];
  readonly count: number;
}

/** Runs item by item, where nothing is traced. */
function eachItem({ call, leaves, count }: EagerCall, outDims: MappedDims, randomness: Randomness): unknown {
  if (count === 0)
    throw badVmap(
      "the batch has no items, and nothing shows what the function gives",
      "pass one item or more",
    );
  const run = new ItemRun(count, randomness);
  const start = randomness === "same" ? saveRandomness() : undefined;
  let end = start;
  const rows = Array.from({ length: count }, (_, i) => {
    const values = leaves.map(({ value, dim }) =>
      dim === null ? value : callOperator("aten.select.int", [value as Tensor, dim, i]),
    );
    const items = values.filter((value, at): value is Tensor => leaves[at]!.dim !== null);
    run.begin(i);
    start?.();
    const value = withItem(run, items, () => call(values));
    if (i === 0 && start !== undefined) end = saveRandomness();
    const made = flattenValue(value);
    const dims = dimsOfResults(value, made, outDims);
    requireTensorResults(made.leaves, dims);
    for (const [at, leaf] of made.leaves.entries())
      if (dims[at] === null && leaf instanceof Tensor && run.batched.has(leaf)) throw batchedResult();
    return { ...made, dims };
  });
  end?.();
  const [first] = rows as [(typeof rows)[0]];
  const stacked = first.leaves.map((leaf, column) =>
    first.dims[column] === null
      ? leaf
      : callOperator("aten.stack.default", [
          rows.map(({ leaves: row }) => row[column] as Tensor),
          first.dims[column],
        ]),
  );
  return unflattenTree(stacked, first.spec);
}
