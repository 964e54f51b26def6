/**
 * @file Attention whose scores and mask are functions (`torch.nn.attention.flex_attention`).
 */
import { checkOptions, describeValue, type OptionNames } from "@sconce/errors";
import {
  CPU,
  dict,
  dtypeLiteral,
  FakeTensor,
  float,
  type IntLike,
  memoryFormat,
  symContiguousStrides,
} from "@sconce/ir";
import { isAutocastEligible } from "@sconce/ops";
import { type DType, Tensor } from "@sconce/tensor";
import {
  callOperator,
  currentTrace,
  type OperatorArgument,
  type OperatorKeywords,
} from "../trace/dispatch.js";
import { eagerAutocast, eagerAutocastDtype } from "../trace/eager.js";
import { atLaneLevel } from "../trace/lane-levels.js";
import type { TraceArgument } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { Tracer } from "../trace/tracer.js";
import { BodyTracer } from "./body-tracer.js";
import { controlFlowArguments, controlFlowResults } from "./errors.js";
import {
  bodyOf,
  checkedFunction,
  firstItem,
  inputsOf,
  isSameSize,
  knownOf,
  tensorNode,
  traceFunction,
} from "./flow-call.js";
import { type Lanes, recordLanes } from "./lanes.js";
import { OperandNames } from "./operand-names.js";
import { overPlaces, placesOf } from "./places.js";
import { vmap } from "./vmap.js";

/** Whether a query attends to a key: all are tensors of one integer, the result of one boolean. */
export type MaskMod = (batch: Tensor, head: Tensor, query: Tensor, key: Tensor) => Tensor;
/** The score of a query and a key, from the product that it is; a tensor of one number. */
export type ScoreMod = (score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) => Tensor;

const op = (target: string, args: readonly OperatorArgument[], kwargs: OperatorKeywords = {}): Tensor =>
  callOperator(`aten.${target}`, args, kwargs) as Tensor;
const INT32 = { dtype: dtypeLiteral("int32") };
const FACTORY = { ...INT32, device: CPU, pin_memory: false };
const CONTIGUOUS = memoryFormat("contiguous_format");
/** The size of the blocks of a mask of everything, and of others. */
const WHOLE = 1 << 30;
const BLOCK = 128;

/**
 * Which keys each query attends to, in blocks. Kernels of devices skip blocks; the mask itself is
 * the function. {@link createBlockMask} makes one.
 */
export class BlockMask {
  /** The number of queries and of keys. */
  readonly seqLengths: readonly [queries: number, keys: number];
  /** The size of a block: queries, keys. */
  readonly blockSize: readonly [queries: number, keys: number];
  /** The function that the mask was made from. */
  readonly maskMod: MaskMod;
  /**
   * int32 tensors: how many blocks of keys each block of queries attends to in part, and which;
   * those that it attends to in whole; and the same for each block of keys.
   */
  readonly blocks: readonly (Tensor | null)[];

  constructor(init: Pick<BlockMask, "seqLengths" | "blockSize" | "maskMod" | "blocks">) {
    this.seqLengths = init.seqLengths;
    this.blockSize = init.blockSize;
    this.maskMod = init.maskMod;
    this.blocks = init.blocks;
  }
}

/**
 * Returns a mask that is the same at every place, as {@link andMasks} and {@link orMasks} begin
 * with.
 */
const sameMask = (batch: Tensor, name: "new_ones" | "new_zeros", device?: typeof CPU): Tensor =>
  op(`${name}.default`, [batch, []], {
    dtype: dtypeLiteral("bool"),
    ...(device && { device }),
    pin_memory: false,
  });

/** A mask of everything. */
export const noopMask: MaskMod = (batch) => sameMask(batch, "new_ones", CPU);

/** Returns the places at which all masks let a query attend to a key. */
export const andMasks =
  (...masks: MaskMod[]): MaskMod =>
  (...place) =>
    masks.reduce((all, mask) => op("__and__.Tensor", [all, mask(...place)]), sameMask(place[0], "new_ones"));

/** Returns the places at which some mask lets a query attend to a key. */
export const orMasks =
  (...masks: MaskMod[]): MaskMod =>
  (...place) =>
    masks.reduce(
      (some, mask) => op("__or__.Tensor", [some, mask(...place)]),
      sameMask(place[0], "new_zeros"),
    );

/**
 * Returns a mask as a boolean tensor (`create_mask`).
 *
 * @param batch how many there are; null for one that all share, as for `heads`
 * @returns `bool[batch, heads, queries, keys]`
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` while a program is traced
 */
export function createMask(
  maskMod: MaskMod,
  batch: number | null,
  heads: number | null,
  queries: number,
  keys: number,
): Tensor {
  refuseTrace("createMask");
  const sizes = [batch ?? 1, heads ?? 1, queries, keys];
  return overPlaces(checkedElements(maskMod, "bool"), placesOf(sizes), sizes);
}

/**
 * Returns a mask in blocks, for {@link flexAttention} (`create_block_mask`). Make it outside of the
 * model's `forward`: its tensors become constants of a program.
 *
 * @param batch how many there are; null for one that all share, as for `heads`
 * @param blockSize the size of a block of queries and of keys
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` while a program is traced
 *
 * @example const causal = nn.attention.createBlockMask((b, h, q, k) => q.ge(k), null, null, 16,
 * 16);
 */
export function createBlockMask(
  maskMod: MaskMod,
  batch: number | null,
  heads: number | null,
  queries: number,
  keys: number,
  blockSize: number = BLOCK,
): BlockMask {
  if (!Number.isSafeInteger(blockSize) || blockSize < 1)
    throw controlFlowArguments(
      `the size of blocks is ${describeValue(blockSize)}`,
      "pass a whole number of at least 1 as sixth argument",
    );
  const mask = createMask(maskMod, batch, heads, queries, keys);
  const missing = (size: number): number => Math.ceil(size / blockSize) * blockSize - size;
  const padded = op("constant_pad_nd.default", [mask, [0, missing(keys), 0, missing(queries)]]);
  const [b, h, q, k] = padded.shape as readonly number[] as [number, number, number, number];
  const tiles = op("permute.default", [
    op("view.default", [padded, [b, h, q / blockSize, blockSize, k / blockSize, blockSize]]),
    [0, 1, 2, 4, 3, 5],
  ]);
  const sums = op("sum.dim_IntList", [tiles, [-2, -1]]);
  const whole = op("eq.Scalar", [sums, blockSize * blockSize]);
  const some = op("gt.Scalar", [sums, 0]);
  const partial = op("__and__.Tensor", [some, op("logical_not.default", [whole])]);
  const [ofPartial, ofWhole] = [ordered(partial), ordered(whole)];
  const columns = k / blockSize;
  return new BlockMask({
    seqLengths: [queries, keys],
    blockSize: [blockSize, blockSize],
    maskMod,
    blocks: [...ofPartial, ...ofWhole, ...transposed(ofPartial, columns), ...transposed(ofWhole, columns)],
  });
}

function refuseTrace(name: string): void {
  if (currentTrace() === undefined) return;
  throw controlFlowArguments(
    `\`${name}\` is called while a program is traced`,
    "make the mask outside of `forward`, as a property of the module",
  );
}

type Ordered = readonly [counts: Tensor, indices: Tensor];

/** Returns how many blocks of each row are set, and which: those first (`_dense_to_ordered`). */
function ordered(dense: Tensor): Ordered {
  const whole = op("to.dtype", [dense, INT32.dtype]);
  const counts = op("sum.dim_IntList", [whole, [-1]]);
  const indices = op("argsort.stable", [whole], { stable: true, descending: true });
  const converted = (tensor: Tensor): Tensor =>
    op("to.dtype", [tensor, INT32.dtype, false, false, CONTIGUOUS]);
  return [converted(counts), converted(indices)];
}

/** Returns the blocks of each column in place of those of each row (`_transpose_ordered`). */
function transposed([counts, indices]: Ordered, columns: number): Ordered {
  return ordered(op("transpose.int", [denseOf(counts, indices, columns), -2, -1]));
}

/**
 * Blocks as a matrix of zeros and ones (`_ordered_to_dense`), in a program for one batch and head.
 */
function denseOf(counts: Tensor, indices: Tensor, columns: number): Tensor {
  const trace = currentTrace();
  const ofOne = (count: Tensor, row: Tensor): Tensor => denseOne(count, row, columns);
  if (trace instanceof Tracer) {
    const ofHead = (count: Tensor, row: Tensor): Tensor => mapped(trace, ofOne, [count, row]);
    return mapped(trace, ofHead, [counts, indices]);
  }
  return vmap(vmap(ofOne))(counts, indices);
}

function denseOne(counts: Tensor, indices: Tensor, columns: number): Tensor {
  const [rows, entries] = knownOf(indices).shape as readonly [number, number];
  const dense = op("new_zeros.default", [indices, [rows, columns + 1]], {
    ...INT32,
    pin_memory: false,
  });
  const rowAt = op("unsqueeze.default", [op("arange.default", [rows], FACTORY), -1]);
  const isSet = op("lt.Tensor", [
    op("arange.default", [entries], FACTORY),
    op("unsqueeze.default", [counts, -1]),
  ]);
  // What is not set is written one column behind the last.
  const columnAt = op("where.ScalarOther", [isSet, indices, columns]);
  const one = op("new_ones.default", [dense, []], { pin_memory: false });
  const written = op("index_put_.default", [dense, [rowAt, columnAt], one]);
  return op("slice.Tensor", [written, 1, 0, columns]);
}

/** Returns a function for each item along the first dimension, as `torch.vmap` records it. */
function mapped(trace: Tracer, fn: (...items: Tensor[]) => Tensor, batches: readonly Tensor[]): Tensor {
  const count = knownOf(batches[0]!).shape[0] as number;
  const item = (batch: Tensor, lanes: Lanes): Tensor => lanes.item(batch, 0, firstItem(batch, false));
  return recordLanes(trace, count, (lanes) => [fn(...batches.map((batch) => item(batch, lanes)))])[0]!;
}

/** Returns the mask of everything, in one block (`_create_empty_block_mask`). */
function wholeMask(): BlockMask {
  const counts = op("ones.default", [[1, 1, 1]], FACTORY);
  const indices = op("zeros.default", [[1, 1, 1, 1]], FACTORY);
  const blocks = [counts, indices, null, null, ...transposed([counts, indices], 1), null, null];
  return new BlockMask({ seqLengths: [1, 1], blockSize: [WHOLE, WHOLE], maskMod: noopMask, blocks });
}

/** Options of {@link flexAttention}. */
export interface FlexAttentionOptions {
  /** Changes scores. @defaultValue each stays as it is */
  readonly scoreMod?: ScoreMod | undefined;
  /** Which keys each query attends to. @defaultValue all */
  readonly blockMask?: BlockMask | undefined;
  /** A factor of scores. @defaultValue one over the root of the queries' size */
  readonly scale?: number | undefined;
  /** Whether several heads of the query share one of the keys and values. */
  readonly enableGqa?: boolean | undefined;
}

const ATTENTION_OPTIONS: OptionNames<FlexAttentionOptions> = {
  scoreMod: true,
  blockMask: true,
  scale: true,
  enableGqa: true,
};

/**
 * Attention with scores and a mask that are functions (`flex_attention`). The functions become
 * graphs of a program; they take tensors of one element, and may close over tensors.
 * PyTorch has no form for such calls in files: `save` refuses them, and IR text holds them.
 *
 * @param query `[batch, heads, queries, size]`
 * @param key `[batch, heads, keys, size]`
 * @param value `[batch, heads, keys, any]`
 * @returns `[batch, heads, queries, any]`, of the query's dtype
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS`, `CONTROL_FLOW_RESULTS`,
 *   `CONTROL_FLOW_MUTATION`
 * @example nn.attention.flexAttention(q, k, v, { scoreMod: (s, b, h, i, j) => s.add(i.sub(j)) });
 */
export function flexAttention(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  options: FlexAttentionOptions = {},
): Tensor {
  checkOptions("flexAttention", options, ATTENTION_OPTIONS);
  const { scoreMod = (score) => score, blockMask, scale, enableGqa = false } = options;
  checkSizes([query, key, value], enableGqa);
  const trace = currentTrace();
  const factor = scale ?? 1 / Math.sqrt(fixed(knownOf(query).shape[3]!, "the size of queries"));
  if (blockMask !== undefined) checkLengths(query, key, blockMask);
  if (!(trace instanceof Tracer)) {
    const mask = blockMask?.maskMod ?? noopMask;
    return inAutocastDtype([query, key, value], (operands) => attend(operands, scoreMod, mask, factor));
  }
  const mask = blockMask ?? wholeMask();
  return tracedAttention(trace, [query, key, value], { scoreMod, mask, factor });
}

type Operands = readonly [query: Tensor, key: Tensor, value: Tensor];

function checkSizes(operands: Operands, enableGqa: boolean): void {
  const [query, key, value] = operands.map((tensor) => knownOf(tensor).shape) as [
    readonly IntLike[],
    readonly IntLike[],
    readonly IntLike[],
  ];
  if ([query, key, value].some(({ length }) => length !== 4))
    throw controlFlowArguments(
      "NYI: query, key, and value must be 4D tensors",
      "pass tensors of batch, heads, length and size",
    );
  if (!isSameSize(query[3]!, key[3]!))
    throw controlFlowArguments(
      `Expect query and key/value to have the same embedding dimension but got E=${String(query[3])} and E=${String(key[3])}.`,
      "pass queries and keys of one size",
    );
  const [heads, others] = [query[1]!, key[1]!];
  if (!enableGqa && !isSameSize(heads, others))
    throw controlFlowArguments(
      `Expect query and key/value to have the same number of heads but got Hq=${String(heads)} and Hkv=${String(others)}. Try setting enable_gqa=True for GQA.`,
      "set `enableGqa`, or repeat the heads of keys and values",
    );
  if (enableGqa && fixed(heads, "the number of heads") % fixed(others, "the number of heads") !== 0)
    throw controlFlowArguments(
      `Expect number of query heads to be a multiple of kv heads for GQA but got Hq=${String(heads)} and Hkv=${String(others)}.`,
      "use a multiple of the heads of keys and values",
    );
}

/** @throws SconceError `CONTROL_FLOW_ARGUMENTS` for a dynamic size */
function fixed(size: IntLike, what: string): number {
  if (typeof size === "number") return size;
  throw controlFlowArguments(`${what} is ${String(size)}, which is dynamic`, "export with a static size");
}

function checkLengths(query: Tensor, key: Tensor, { seqLengths, blockSize }: BlockMask): void {
  if (blockSize[0] === WHOLE) return;
  const lengths = [query, key].map((tensor) => fixed(knownOf(tensor).shape[2]!, "a length beside a mask"));
  if (lengths.every((length, i) => length === seqLengths[i])) return;
  throw controlFlowArguments(
    `block_mask was created for block_mask.shape=(${seqLengths.join(", ")}) but got q_len=${String(lengths[0])} and kv_len=${String(lengths[1])}.`,
    "make a mask of these lengths with `createBlockMask`",
  );
}

/** Casts the operands as a region of mixed precision does, and runs the rest without casts. */
function inAutocastDtype(operands: Operands, run: (operands: Operands) => Tensor): Tensor {
  const dtype = eagerAutocastDtype();
  if (dtype === null) return run(operands);
  const cast = (tensor: Tensor): Tensor =>
    isAutocastEligible(tensor.dtype) ? converted(tensor, dtype) : tensor;
  return eagerAutocast(
    (outer) => ({ ...outer, enabled: false }),
    () => run([cast(operands[0]), cast(operands[1]), cast(operands[2])]),
  );
}

const converted = (tensor: Tensor, dtype: DType): Tensor =>
  tensor.dtype === dtype ? tensor : op("_to_copy.default", [tensor], { dtype: dtypeLiteral(dtype) });

/** Computes all scores, as PyTorch's CPU kernel. */
function attend([query, key, value]: Operands, scoreMod: ScoreMod, maskMod: MaskMod, scale: number): Tensor {
  const working: DType = query.dtype === "float64" ? "float64" : "float32";
  const groups = query.shape[1]! / key.shape[1]!;
  const grouped = (tensor: Tensor): Tensor =>
    groups === 1 ? tensor : op("repeat_interleave.self_int", [tensor, groups, 1]);
  const columns = op("transpose.int", [converted(grouped(key), working), -2, -1]);
  const scores = op("mul.Tensor", [op("matmul.default", [converted(query, working), columns]), float(scale)]);
  const sizes = scores.shape as readonly number[];
  const places = placesOf(sizes);
  const allowed = overPlaces(checkedElements(maskMod, "bool"), places, sizes);
  const changed = overPlaces(checkedElements(scoreMod, working), [scores, ...places], sizes);
  const never = op("scalar_tensor.default", [Number.NEGATIVE_INFINITY], {
    dtype: dtypeLiteral(working),
  });
  const weights = op("_safe_softmax.default", [op("where.self", [allowed, changed, never]), -1]);
  return op("matmul.default", [converted(weights, query.dtype), converted(grouped(value), query.dtype)]);
}

const OPTIONS = dict(
  Object.entries({
    BACKEND: "AUTO",
    PRESCALE_QK: false,
    ROWS_GUARANTEED_SAFE: false,
    BLOCKS_ARE_CONTIGUOUS: false,
    WRITE_DQ: true,
    OUTPUT_LOGSUMEXP: false,
    OUTPUT_MAX: false,
  }),
);

interface Functions {
  readonly scoreMod: ScoreMod;
  readonly mask: BlockMask;
  readonly factor: number;
}

function tracedAttention(parent: Tracer, operands: Operands, { scoreMod, mask, factor }: Functions): Tensor {
  const [query, , value] = operands.map(knownOf) as [FakeTensor, FakeTensor, FakeTensor];
  const names = new OperandNames(parent);
  const tensor = (one: Tensor | null): TraceArgument => (one === null ? null : tensorNode(parent, one));
  // Constants have numbers in the order of the arguments.
  const blocks = mask.blocks.map(tensor);
  const score = traceElement(parent, names, "score_mod", scoreMod, query.dtype);
  const masked = traceElement(parent, names, "mask_mod", mask.maskMod);
  const buffersOf = ({ tracer }: typeof score): TraceArgument => ({
    kind: "tuple",
    items: tracer.lifted.map(({ outer }) => outer),
  });
  const shape = [...query.shape.slice(0, 3), value.shape[3]!];
  const sums = (): FakeTensor =>
    new FakeTensor({
      dtype: "float32",
      shape: shape.slice(0, 3),
      strides: symContiguousStrides(shape.slice(0, 3)),
    });
  const [result] = parent.callGraphs({
    name: "flex_attention",
    kind: "FlexAttentionHOP",
    bodies: [
      ["sdpa_score", bodyOf(score, "value", inputsOf(score.tracer))],
      ["sdpa_mask", bodyOf(masked, "value", inputsOf(masked.tracer))],
    ],
    argumentsOf: ([ofScore, ofMask]) => [
      ...operands.map(tensor),
      ofScore!,
      {
        kind: "tuple",
        items: [...mask.seqLengths, ...blocks, null, null, null, null, ...mask.blockSize, ofMask!],
      },
      float(factor),
      OPTIONS,
      buffersOf(score),
      buffersOf(masked),
    ],
    results: [
      new FakeTensor({ dtype: query.dtype, shape, strides: symContiguousStrides(shape) }),
      sums(),
      sums(),
    ],
  });
  return result as Tensor;
}

/** Traces a function of one element; one of scores takes the score first. */
function traceElement(
  parent: Tracer,
  names: OperandNames,
  path: "score_mod" | "mask_mod",
  fn: ScoreMod | MaskMod,
  dtype?: DType,
) {
  const tracer = new BodyTracer({ parent, operator: "flex_attention", names, path });
  const scalar = (type: DType): FakeTensor => new FakeTensor({ dtype: type, shape: [], strides: [] });
  const dtypes: readonly DType[] = [
    ...(dtype === undefined ? [] : [dtype]),
    ...new Array<DType>(4).fill("int32"),
  ];
  const inputs = dtypes.map((type, i) => tracer.tensorInput(scalar(type), i === 0 ? "child" : `child_${i}`));
  const run = checkedFunction(parent, "flex_attention", fn as (...elements: Tensor[]) => Tensor);
  // An index that is an element stays a tensor (`TransformGetItemToIndex`), as in a batch of
  // `vmap`.
  return traceFunction(tracer, () => atLaneLevel(tracer, 1, () => run(...inputs)), checkElement);
}

/** A function of elements whose result is checked: a tensor, for a mask of booleans. */
const checkedElements =
  (fn: ScoreMod | MaskMod, dtype: DType) =>
  (...elements: Tensor[]): Tensor => {
    const result: unknown = (fn as (...given: Tensor[]) => unknown)(...elements);
    if (!(result instanceof Tensor)) throw badElement(result);
    if (dtype !== "bool" || result.dtype === "bool") return result;
    throw controlFlowResults(
      "flex_attention",
      `a function of a mask returned ${result.dtype}, not bool`,
      "return the result of a comparison",
    );
  };

function checkElement(leaves: readonly unknown[]): void {
  const [leaf] = leaves;
  if (leaves.length === 1 && leaf instanceof TracedTensor && leaf.fake.ndim === 0) return;
  throw badElement(leaf);
}

const badElement = (value: unknown): Error =>
  controlFlowResults(
    "flex_attention",
    `a function of scores or of a mask returned ${describeValue(value)}`,
    "return a tensor of one element, without dimensions",
  );
