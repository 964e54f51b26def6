/**
 * Draws for samples: reproducible from a seed, and not PyTorch's generator, which programs
 * themselves draw from.
 */
export interface Draw {
  /** In [0, 1). */
  unit(): number;
  /** Returns an integer, both ends included. */
  integer(low: number, high: number): number;
  /** Of the standard normal distribution. */
  normal(): number;
}

/** Mulberry32: 32 bits of state, enough for test data. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    integer: (low, high) => low + Math.floor(unit() * (high - low + 1)),
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
  };
}
