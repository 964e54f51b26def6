import type { RandomSource } from "../kernel/kernel.js";

const SIZE = 624;
const SHIFT = 397;

/** A source that can be set back. */
export interface SeededSource extends RandomSource {
  /** Returns a function that sets the stream back to where it is now. */
  save(): () => void;
}

/**
 * Returns the Mersenne Twister MT19937, which is PyTorch's CPU generator: the same seed gives the
 * same bits.
 */
export function createRandomSource(seed: number | bigint): SeededSource {
  const state = new Uint32Array(SIZE);
  let next = SIZE;
  /** What the state is to start from. It is filled for the first number: many runs draw none. */
  let start: number | undefined;

  const fill = (from: number): void => {
    start = undefined;
    state[0] = from;
    for (let i = 1; i < SIZE; i++)
      state[i] = Math.imul(1812433253, state[i - 1]! ^ (state[i - 1]! >>> 30)) + i;
  };

  const twist = (): void => {
    if (start !== undefined) fill(start);
    for (let i = 0; i < SIZE; i++) {
      const bits = (state[i]! & 0x80000000) | (state[(i + 1) % SIZE]! & 0x7fffffff);
      state[i] = state[(i + SHIFT) % SIZE]! ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  };

  const source: SeededSource = {
    spareNormal: undefined,
    seed(value) {
      source.spareNormal = undefined;
      start = Number(BigInt.asUintN(32, BigInt(value)));
      next = SIZE;
    },
    save() {
      const saved = { state: state.slice(), next, start, spare: source.spareNormal };
      return () => {
        state.set(saved.state);
        next = saved.next;
        start = saved.start;
        source.spareNormal = saved.spare;
      };
    },
    uint32() {
      if (next === SIZE) twist();
      let bits = state[next++]!;
      bits ^= bits >>> 11;
      bits ^= (bits << 7) & 0x9d2c5680;
      bits ^= (bits << 15) & 0xefc60000;
      return (bits ^ (bits >>> 18)) >>> 0;
    },
  };
  source.seed(seed);
  return source;
}
