/** @file Decides from the metadata of nodes which of them a device may compute. */
import {
  type Argument,
  FakeTensor,
  forEachInput,
  type Graph,
  isList,
  isRef,
  isSymScalar,
  type MetaValue,
  type Node,
} from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import { holdsAll, isScalarFunction } from "@sconce/ops";
import { freeSymbols, type IntLike, SymExpr, sameSizes } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import type { Device } from "../device/device.js";
import { hasOwnStatistics } from "./own-dtypes.js";

/**
 * Returns why a device cannot take a node, or undefined if its loops decide: from the metadata of
 * what it reads and gives.
 */
export function whyNotHeldBy(
  node: Node,
  graph: Graph,
  device: Pick<Device, "whyNotHeld">,
): string | undefined {
  if (node.op !== "call_function") return undefined;
  if (node.target.startsWith("higher_order.")) return "control flow runs on the host";
  if (CHECKS_VALUES.has(node.target) || checksNumber(node, graph))
    return "it refuses some values, which kernels do not";
  if (readsTotalOnly(node, graph)) return "it refuses some targets, which no kernel reads";
  if (takesNoBuffer(node, graph)) return "it refuses the sizes of its buffer, which its decomposition takes";
  if (readsLogSums(node, graph)) return "its decomposition does not give the logarithms that are read";
  if (hasOwnStatistics(node, graph)) return "its statistics have another dtype than the program records";
  if (roundsHalves(node)) return "its kernel rounds halves at each step";
  if (takesAnyPlaces(node, graph)) return "kernels look for its places in their windows only";
  const inputs: MetaValue[] = [];
  forEachInput(node, (name) => inputs.push(graph.node(name).meta.val ?? null));
  const own = factsOf(node.meta.val ?? null);
  const given = inputs.map(factsOf);
  for (const dtype of [own, ...given].flatMap(({ dtypes }) => [...dtypes])) {
    const reason = device.whyNotHeld(dtype);
    if (reason !== undefined) return reason;
  }
  if (!hasTensor(node.meta.val) && !isSize(node)) return "its result is not a tensor";
  const known = new Set(given.flatMap(({ symbols }) => [...symbols]));
  if ([...known, ...own.symbols].some(isFloatSymbol))
    return "its sizes depend on a float that the run computes";
  const isKnown = [...own.symbols].every((symbol) => known.has(symbol));
  return isKnown ? undefined : "its output sizes depend on data";
}

/**
 * Operators that refuse some values of their inputs, and whose decompositions do not: the host runs
 * them as they are. Places that a call reads are checked before a run for every operator.
 */
export const CHECKS_VALUES: ReadonlySet<string> = new Set([
  "aten._embedding_bag.default",
  "aten._embedding_bag_forward_only.default",
  "aten.bernoulli.default",
  "aten.binary_cross_entropy.default",
  "aten.max_unpool2d.default",
  "aten.max_unpool3d.default",
  "aten.multilabel_margin_loss.default",
  "aten.multilabel_margin_loss_forward.default",
  "aten.nanquantile.default",
  "aten.quantile.default",
]);

/** The gradients of greatest elements of windows, by the operators that find these. */
const OF_GREATEST: ReadonlyMap<string, string> = new Map(
  ["2d", "3d"].flatMap((rank) => [
    [
      `aten.max_pool${rank}_with_indices_backward.default`,
      `aten.max_pool${rank}_with_indices.default`,
    ] as const,
    [`aten.adaptive_max_pool${rank}_backward.default`, `aten.adaptive_max_pool${rank}.default`] as const,
  ]),
);
/**
 * Returns whether a gradient of greatest elements may get places outside of their windows, to which
 * PyTorch adds as to any other. Those that the operator itself found with the same windows are
 * inside.
 */
function takesAnyPlaces({ target, args, kwargs }: Node, graph: Graph): boolean {
  const finder = OF_GREATEST.get(target);
  if (finder === undefined) return false;
  const picked = callAt(args.at(-1), graph);
  if (picked?.target !== "operator.getitem" || picked.args[1] !== 1) return true;
  const found = callAt(picked.args[0], graph);
  if (found?.target !== finder || hasKeywords(kwargs) || hasKeywords(found.kwargs)) return true;
  const [[self, ...windows], [ownSelf, ...ownWindows]] = [found.args, args.slice(1, -1)];
  if (argumentText(self!) !== argumentText(ownSelf!)) return true;
  if (finder.startsWith("aten.adaptive")) return false;
  const rank = finder.includes("3d") ? 3 : 2;
  return windowsText(windows, rank) !== windowsText(ownWindows, rank);
}
const callAt = (value: Argument | undefined, graph: Graph): Node | undefined =>
  value !== undefined && isRef(value) ? graph.find(value.name) : undefined;
const hasKeywords = (kwargs: Node["kwargs"]): boolean => Object.keys(kwargs).length > 0;

/** Returns the arguments of windows with their defaults, and a number for each dimension. */
function windowsText(args: readonly Argument[], rank: number): string {
  const [size, stride = [], padding = 0, dilation = 1, ceil = false] = args;
  const step = isList(stride) && stride.length === 0 ? size : stride;
  const spread = [size!, step!, padding, dilation].map((value) => {
    const numbers = isList(value) ? value : [value];
    return numbers.length === 1 ? new Array<Argument>(rank).fill(numbers[0]!) : numbers;
  });
  return argumentText([...spread, ceil]);
}

/**
 * Returns whether a call refuses a number of a tensor that its dtype cannot hold, of another tensor
 * with a wider one.
 */
export function checksNumber({ target, args, kwargs }: Node, graph: Graph): boolean {
  if (!FILLS.has(target)) return false;
  const [self, value] = [kwargs["self"] ?? args[0], kwargs["value"] ?? args.at(-1)].map((arg) =>
    arg !== undefined && isRef(arg) ? graph.find(arg.name)?.meta.val : undefined,
  );
  return self instanceof FakeTensor && value instanceof FakeTensor && !holdsAll(self.dtype, value.dtype);
}
const FILLS: ReadonlySet<string> = new Set(
  ["masked_fill.Tensor", "index_fill.int_Tensor"].flatMap((name) => [
    `aten.${name}`,
    `aten.${name.replace(".", "_.")}`,
  ]),
);

/**
 * Calls of halves whose kernels round more than once, and whose decompositions do not.
 */
export const HALF_STEPS: ReadonlySet<string> = new Set([
  ...["xlogy.Tensor", "xlogy.Scalar_Self", "xlogy.Scalar_Other", "logit.default"].map(
    (name) => `aten.${name}`,
  ),
  ...["special_xlog1py.default", "special_xlog1py.self_scalar", "special_xlog1py.other_scalar"].map(
    (name) => `aten.${name}`,
  ),
]);
const HALF_CALL = /^aten\.(special_)?(xlogy|xlog1py|logit)_?\./;

/** Returns whether a call is one of {@link HALF_STEPS}, by any of its names, on halves. */
export const roundsHalves = ({ target, meta: { val } }: Node): boolean =>
  HALF_CALL.test(target) && val instanceof FakeTensor && isHalfDType(val.dtype);
const isHalfDType = (dtype: DType): boolean => dtype === "float16" || dtype === "bfloat16";

/**
 * Returns whether a call is fused attention whose second result is read, as its gradient does.
 * PyTorch's decomposition gives the weights there, in place of the logarithms of their sums.
 */
export function readsLogSums({ name, target }: Node, graph: Graph): boolean {
  if (target !== "aten._scaled_dot_product_flash_attention_for_cpu.default") return false;
  return graph
    .users(name)
    .some((user) => user.target !== "operator.getitem" || (user.args[1] !== 0 && isRead(user, graph)));
}
/**
 * Returns whether a call is a loss of classes of which only the total weight is read: without
 * weights that is a count, which does not look whether the classes exist.
 */
export function readsTotalOnly({ name, target, args, kwargs }: Node, graph: Graph): boolean {
  if (!TOTALS.test(target) || (kwargs["weight"] ?? args[2] ?? null) !== null) return false;
  return graph.users(name).every((user) => user.target === "operator.getitem" && user.args[1] === 1);
}
/**
 * Returns whether a gradient of `log_sigmoid` may get a buffer that its kernel refuses: one that is
 * not of the sizes of its input, or of 1. Its decomposition does not read an empty one, as another
 * device leaves it.
 */
export function takesNoBuffer({ target, args, kwargs }: Node, graph: Graph): boolean {
  if (!target.startsWith("aten.log_sigmoid_backward.")) return false;
  const [self, buffer] = [kwargs["self"] ?? args[1], kwargs["buffer"] ?? args[2]].map((arg) =>
    arg !== undefined && isRef(arg) ? graph.find(arg.name)?.meta.val : undefined,
  );
  if (!(self instanceof FakeTensor && buffer instanceof FakeTensor)) return true;
  const from = self.ndim - buffer.ndim;
  return buffer.shape.some((size, d) => size !== 1 && !sameSizes([size], [self.shape[d + from] ?? 1]));
}
const TOTALS = /^aten\.nll_loss(2d)?_forward\./;
const isRead = ({ name }: Node, graph: Graph): boolean => graph.users(name).length > 0;

/** Resizing of lines, images and volumes, by size or by factors. */
const RESIZES: readonly string[] = [
  ...["linear1d", "bilinear2d", "trilinear3d", "bicubic2d"].map((name) => `upsample_${name}`),
  ...["1d", "2d", "3d"].flatMap((rank) => [`upsample_nearest${rank}`, `_upsample_nearest_exact${rank}`]),
].flatMap((name) => [`aten.${name}.default`, `aten.${name}.vec`]);
/**
 * Operators that Sconce's table must not decompose: those of {@link CHECKS_VALUES}, those whose
 * loops refuse places that their decompositions take, those whose decompositions read places that
 * their loops know or search rows that may hold NaN, and those whose decompositions overflow, give
 * NaN beside an infinity or a factor of zero, round halves later, round or do not cut a number that
 * the operator does not, or refuse what it takes.
 */
export const KEPT: ReadonlySet<string> = new Set([
  ...CHECKS_VALUES,
  ...RESIZES,
  "aten.baddbmm.default",
  "aten.embedding_dense_backward.default",
  "aten.index_add.default",
  "aten.index_copy.default",
  "aten.isin.Scalar_Tensor",
  "aten.isin.Tensor_Tensor",
  "aten.logit_backward.default",
  "aten.logsumexp.default",
  ...["huber_loss", "mse_loss", "smooth_l1_loss", "soft_margin_loss"].flatMap((name) => [
    `aten.${name}.default`,
    `aten.${name}_backward.default`,
  ]),
  "aten.multi_margin_loss.default",
  "aten.nll_loss2d_backward.default",
  "aten.nll_loss_backward.default",
  "aten.reflection_pad1d.default",
  "aten.reflection_pad2d.default",
  "aten.reflection_pad3d.default",
  "aten.roll.default",
  "aten.std.correction",
  "aten.std_mean.correction",
  "aten.threshold.default",
  "aten.threshold_backward.default",
  "aten._unsafe_masked_index.default",
  "aten.var_mean.correction",
  "aten._weight_norm_interface.default",
]);

/** Operators that give sizes, which no kernel has to compute. */
export const SIZES: ReadonlySet<string> = new Set([
  "aten.sym_size.int",
  "aten.sym_numel.default",
  "aten.sym_stride.int",
]);
/** Sizes follow from the metadata: tensors need not come to the host for them. */
const isSize = ({ target, meta: { val } }: Node): boolean =>
  (SIZES.has(target) || isScalarFunction(target)) && isSymScalar(val) && val.kind === "SymInt";

/** What a device asks of a value. */
interface ValueFacts {
  readonly dtypes: ReadonlySet<DType>;
  readonly symbols: ReadonlySet<string>;
}

/** Of lists: each of n calls that pick from n results asks for them. */
const factsOfLists = new WeakMap<object, ValueFacts>();

function factsOf(value: MetaValue): ValueFacts {
  if (!Array.isArray(value)) {
    const dtypes = value instanceof FakeTensor ? [value.dtype] : [];
    return { dtypes: new Set(dtypes), symbols: new Set(symbolsOf(value)) };
  }
  let facts = factsOfLists.get(value);
  if (facts === undefined) {
    const items = value as readonly MetaValue[];
    const tensors = items.filter((item) => item instanceof FakeTensor);
    facts = {
      dtypes: new Set(tensors.map(({ dtype }) => dtype)),
      symbols: new Set(items.flatMap(symbolsOf)),
    };
    factsOfLists.set(value, facts);
  }
  return facts;
}

/** Names of the symbols in a value's sizes, or in the size that it is. */
function symbolsOf(value: MetaValue): string[] {
  if (Array.isArray(value)) return (value as readonly MetaValue[]).flatMap(symbolsOf);
  if (value instanceof FakeTensor) return value.shape.flatMap(namesIn);
  return isSymScalar(value) && value.kind === "SymInt" ? namesIn(value.expr) : [];
}
const namesIn = (size: IntLike): string[] => (size instanceof SymExpr ? [...freeSymbols(size).keys()] : []);

/**
 * Returns whether PyTorch's name for a symbol represents a float: sizes do not determine its value.
 */
const isFloatSymbol = (name: string): boolean => /^zuf\d/.test(name);

/** Returns whether a call gives tensors at all. */
const hasTensor = (value: Node["meta"]["val"]): boolean =>
  Array.isArray(value) ? value.some((item) => item instanceof FakeTensor) : value instanceof FakeTensor;
