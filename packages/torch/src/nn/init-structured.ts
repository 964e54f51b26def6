/** @file Initializations of `torch.nn.init` that are more than one draw. */
import type { Tensor } from "@sconce/tensor";
import { callOperator, type OperatorArgument } from "../trace/dispatch.js";
import { badSettings } from "./errors.js";
import { type Settings, settingsOf } from "./settings.js";

const call = (target: string, ...args: readonly OperatorArgument[]): Tensor =>
  callOperator(target, args) as Tensor;

const RANK_FIX = "use an initialization for tensors of this rank, such as `init.uniform_`";

function requireRank(tensor: Tensor, ranks: readonly number[], shown: string): void {
  if (!ranks.includes(tensor.ndim))
    throw badSettings("init", `Only tensors with ${shown} dimensions are supported`, RANK_FIX);
}

/** One element, as a view. */
const elementAt = (tensor: Tensor, index: readonly number[]): Tensor =>
  index.reduce((view, at) => call("aten.select.int", view, 0, at), tensor);

/** Fills a matrix with ones on its diagonal and zeros elsewhere. */
export function eye_(tensor: Tensor): Tensor {
  requireRank(tensor, [2], "2");
  call("aten.zero_.default", tensor);
  call("aten.fill_.Scalar", call("aten.diagonal.default", tensor), 1);
  return tensor;
}

/**
 * Fills the weight of a convolution such that it passes on as many channels as it can
 * (`init.dirac_`).
 *
 * @param tensor the weight, of rank 3, 4 or 5
 * @param groups groups of the convolution
 */
export function dirac_(tensor: Tensor, groups = 1): Tensor {
  requireRank(tensor, [3, 4, 5], "3, 4, or 5");
  const [outputs = 0, inputs = 0, ...kernel] = tensor.shape;
  if (outputs % groups !== 0)
    throw badSettings("init", "dim 0 must be divisible by groups", "give the groups of the convolution");
  call("aten.zero_.default", tensor);
  const perGroup = outputs / groups;
  const center = kernel.map((size) => Math.floor(size / 2));
  for (let group = 0; group < groups; group++)
    for (let channel = 0; channel < Math.min(perGroup, inputs); channel++)
      call("aten.fill_.Scalar", elementAt(tensor, [group * perGroup + channel, channel, ...center]), 1);
  return tensor;
}

/**
 * Fills a matrix with normal numbers, and a part of each column with zeros.
 *
 * @param tensor the matrix
 * @param sparsity the part of each column that is zero
 * @param std the standard deviation of the other elements
 */
export function sparse_(tensor: Tensor, sparsity: number, std = 0.01): Tensor {
  requireRank(tensor, [2], "2");
  const [rows = 0, columns = 0] = tensor.shape;
  const zeros = Math.ceil(sparsity * rows);
  call("aten.normal_.default", tensor, 0, std);
  for (let column = 0; column < columns; column++) {
    const order = call("aten.randperm.default", rows).toArray();
    for (const row of order.slice(0, zeros))
      call("aten.fill_.Scalar", elementAt(tensor, [Number(row), column]), 0);
  }
  return tensor;
}

/** How far numbers spread. */
export interface GainOptions {
  /** The factor, that of the activation which follows. @defaultValue 1 */
  readonly gain?: number;
}

/**
 * Fills a tensor with an orthogonal matrix: rows or columns are orthonormal, whichever are fewer.
 * Dimensions behind the first are taken as one.
 */
export function orthogonal_(tensor: Tensor, ...rest: Settings<[gain: number], GainOptions>): Tensor {
  const { gain } = settingsOf("init.orthogonal_", rest, { gain: 1 });
  if (tensor.ndim < 2)
    throw badSettings("init", "Only tensors with 2 or more dimensions are supported", RANK_FIX);
  if (tensor.numel === 0) return tensor;
  const rows = tensor.shape[0]!;
  const columns = tensor.numel / rows;
  const isWide = rows < columns;
  const empty = callOperator("aten.new_empty.default", [tensor, [rows, columns]]) as Tensor;
  const drawn = call("aten.normal_.default", empty, 0, 1);
  const [q, r] = callOperator("aten.linalg_qr.default", [
    isWide ? call("aten.t.default", drawn) : drawn,
  ]) as readonly [Tensor, Tensor];
  // The signs make the distribution even (arXiv math-ph/0609050).
  const signs = call("aten.sign.default", call("aten.diagonal.default", r));
  const even = call("aten.mul.Tensor", q, signs);
  const matrix = isWide ? call("aten.t.default", even) : even;
  call("aten.copy_.default", call("aten.view.default", tensor, [rows, columns]), matrix);
  return call("aten.mul_.Scalar", tensor, gain);
}

/** How {@link truncNormal_} draws. */
export interface TruncNormalOptions {
  /** The mean of the distribution. @defaultValue 0 */
  readonly mean?: number;
  /** Its standard deviation. @defaultValue 1 */
  readonly std?: number;
  /** The smallest value. @defaultValue -2 */
  readonly a?: number;
  /** The largest value. @defaultValue 2 */
  readonly b?: number;
}

/** Fills a tensor with normal numbers between two bounds: others are drawn again. */
export function truncNormal_(
  tensor: Tensor,
  ...rest: Settings<[mean: number, std: number, a: number, b: number], TruncNormalOptions>
): Tensor {
  const { mean, std, a, b } = settingsOf("init.truncNormal_", rest, { mean: 0, std: 1, a: -2, b: 2 });
  const share = normalShare((b - mean) / std) - normalShare((a - mean) / std);
  if (share > 0.3) redraw(tensor, mean, std, [a, b]);
  else rejectByDensity(tensor, mean, std, [a, b]);
  return tensor;
}

/** Draws again what lies outside of the bounds. */
function redraw(tensor: Tensor, mean: number, std: number, [a, b]: readonly [number, number]): void {
  const bound = (value: number): Tensor =>
    call("aten.fill_.Scalar", call("aten.new_empty.default", tensor, []), value);
  const [low, high] = [bound(a), bound(b)];
  let result = call("aten.normal_.default", tensor, mean, std);
  for (;;) {
    const outside = call(
      "aten.bitwise_or.Tensor",
      call("aten.lt.Tensor", result, low),
      call("aten.gt.Tensor", result, high),
    );
    if (!isAny(outside)) break;
    const again = call("aten.normal_.default", call("aten.empty_like.default", result), mean, std);
    result = call("aten.where.self", outside, again, result);
  }
  if (result !== tensor) call("aten.copy_.default", tensor, result);
}

/** Draws evenly between the bounds, and keeps a value with its density: for rare bounds. */
function rejectByDensity(tensor: Tensor, mean: number, std: number, [a, b]: readonly [number, number]): void {
  const peak = -0.5 * ((Math.max(a, Math.min(mean, b)) - mean) / std) ** 2;
  const candidates = call("aten.empty_like.default", tensor);
  const accepted = call("aten.empty_like.default", tensor);
  const isRejected = (values: Tensor): Tensor => {
    call("aten.copy_.default", candidates, values);
    call("aten.sub_.Scalar", candidates, mean);
    call("aten.div_.Scalar", candidates, std);
    call("aten.pow_.Scalar", candidates, 2);
    call("aten.mul_.Scalar", candidates, -0.5);
    call("aten.sub_.Scalar", candidates, peak);
    call("aten.uniform_.default", accepted);
    return call("aten.gt.Tensor", call("aten.log_.default", accepted), candidates);
  };
  let result = call("aten.uniform_.default", tensor, a, b);
  let pending = isRejected(result);
  while (isAny(pending)) {
    call("aten.uniform_.default", candidates, a, b);
    result = call("aten.where.self", pending, candidates, result);
    pending = call("aten.where.self", pending, isRejected(candidates), pending);
  }
  if (result !== tensor) call("aten.copy_.default", tensor, result);
}

const isAny = (mask: Tensor): boolean => call("aten.any.default", mask).toArray()[0] === true;

/** Returns the part of the standard normal distribution below a value. */
function normalShare(value: number): number {
  const scaled = call("aten.erf.default", call("aten.full.default", [], value / Math.SQRT2));
  return (1 + Number(scaled.toArray()[0])) / 2;
}
