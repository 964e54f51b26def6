/** @file The differences between gpu.js's modes that the kernel writer must respect. */
import type { Integers, Mode } from "../device.js";

export interface Dialect {
  readonly mode: Mode;
  /** Arithmetic is done in doubles, so that results have to be rounded to float32. */
  readonly isDouble: boolean;
  /**
   * Whether arithmetic follows IEEE 754 to the last bit, with NaN and infinities, and functions are
   * as exact as JavaScript's. Shader compilers promise neither.
   */
  readonly isStrict: boolean;
  /**
   * Whether kernels may call our own functions of floats, which look at bits: NaN, infinities and
   * signs of zeros are kept.
   */
  readonly hasOwnFunctions: boolean;
  /**
   * Whether bit operators take negative integers: in WebGL gpu.js splits numbers by division, and
   * stops at signs.
   */
  readonly hasBits: boolean;
  /** Buffers that a kernel may read. */
  readonly maxReads: number;
  /**
   * Elements that a result of two coordinates may have along either: it becomes a texture of these
   * sides.
   */
  readonly maxSide: number;
}

/** The largest texture that every WebGL 2 has (MAX_TEXTURE_SIZE of OpenGL ES 3.0, table 6.28). */
const TEXTURE_SIDE = 2048;

/**
 * Textures that a kernel may read: WebGL has 8 units at least, WebGL 2 has 16, of which gpu.js
 * takes the last to make its results on.
 */
const UNITS: Partial<Record<Mode, number>> = { headlessgl: 7, webgl2: 15 };
/** Beyond this, nests are hardly faster even where the number is not bounded. */
const MOST_READS = 64;

const drawsTextures = (mode: Mode): boolean => mode === "webgl2" || mode === "headlessgl";

export const dialectOf = (mode: Mode): Dialect => ({
  mode,
  isDouble: mode === "cpu",
  isStrict: mode === "cpu" || mode === "webasm",
  hasOwnFunctions: mode === "webgl2",
  hasBits: !drawsTextures(mode),
  maxReads: UNITS[mode] ?? MOST_READS,
  maxSide: drawsTextures(mode) ? TEXTURE_SIDE : Number.POSITIVE_INFINITY,
});

/** What devices whose memory is float32 compute with exactly. */
export const FLOAT_INTEGERS: Integers = { low: -(2 ** 24), high: 2 ** 24, wraps: false };
/** Integers up to here are exact in float32. */
export const EXACT = 2 ** 24;
