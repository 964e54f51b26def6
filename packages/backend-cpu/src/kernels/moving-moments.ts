/**
 * @file Means and variances as PyTorch's normalizations compute them step by step (Welford's
 * algorithm, `RowwiseMomentsImpl` in ATen/native/cpu/moments_utils.h): each lane of a vector has
 * moments, which are joined in a tree over chunks of 16 vectors.
 */
import type { NumberArray } from "../kernel/dense.js";

/**
 * How many elements were seen, their mean, and the sum of the squares of the differences from it.
 */
interface Moving {
  count: number;
  mean: number;
  squares: number;
}

/** How the kernel works on a dtype. */
export interface MovingOrder {
  /** Rounds to the dtype computed in. */
  readonly round: (value: number) => number;
  /** How many elements a vector of that dtype has. */
  readonly lanes: number;
  /** How many elements are read at once: one or two vectors. */
  readonly block: number;
}

const CHUNK = 16;
const none = (): Moving => ({ count: 0, mean: 0, squares: 0 });

function join(into: Moving, { count, mean, squares }: Moving, round: MovingOrder["round"]): void {
  const all = into.count + count;
  const part = all === 0 ? 0 : round(count / all);
  const delta = round(mean - into.mean);
  into.mean = round(into.mean + round(part * delta));
  const between = round(round(round(delta * delta) * part) * into.count);
  into.squares = round(into.squares + round(squares + between));
  into.count = all;
}

function take(into: Moving, value: number, round: MovingOrder["round"]): void {
  const delta = round(value - into.mean);
  into.count += 1;
  into.mean = round(into.mean + round(delta / into.count));
  into.squares = round(into.squares + round(delta * round(value - into.mean)));
}

/** Returns the moments of the elements that one lane reads. */
function laneMoments(
  x: NumberArray,
  first: number,
  blocks: number,
  { round, lanes, block }: MovingOrder,
): Moving {
  const depth = Math.max(1, Math.ceil(Math.log2(Math.max(1, Math.ceil(blocks / CHUNK)))));
  const stack = Array.from({ length: depth }, none);
  for (let chunk = 0; chunk * CHUNK < blocks; chunk++) {
    for (let vector = 0; vector < block; vector += lanes) {
      const own = none();
      for (let i = chunk * CHUNK; i < Math.min(blocks, (chunk + 1) * CHUNK); i++)
        take(own, x[i * block + vector + first]!, round);
      join(stack[0]!, own, round);
    }
    for (let at = 1, mask = chunk + 1; at < depth && (mask & 1) === 0; at++, mask >>= 1) {
      join(stack[at]!, stack[at - 1]!, round);
      stack[at - 1] = none();
    }
  }
  for (const above of stack.slice(1)) join(stack[0]!, above, round);
  return stack[0]!;
}

/** Returns the mean and the biased variance of a row. */
export function movingMoments(x: NumberArray, order: MovingOrder): readonly [mean: number, variance: number] {
  const blocks = Math.floor(x.length / order.block);
  const all = none();
  for (const value of x.subarray(blocks * order.block)) take(all, value, order.round);
  for (let lane = 0; lane < order.lanes; lane++) join(all, laneMoments(x, lane, blocks, order), order.round);
  return [all.mean, order.round(all.squares / x.length)];
}
