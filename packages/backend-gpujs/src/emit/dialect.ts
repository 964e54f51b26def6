/** @file In what gpu.js's modes differ for the one who writes kernels. */
import type { Integers, Mode } from "../device.js";

export interface Dialect {
  readonly mode: Mode;
  /** Arithmetic is done in doubles, so that results have to be rounded to float32. */
  readonly isDouble: boolean;
  /**
   * Whether arithmetic follows IEEE 754 to the last bit, with NaN and infinities, and functions are as exact as JavaScript's.
   * Shader compilers promise neither.
   */
  readonly isStrict: boolean;
  /** Whether bit operators take negative integers: in WebGL gpu.js takes numbers apart by division, and stops at signs. */
  readonly hasBits: boolean;
  /** Cells that a result of two coordinates may have along either: it becomes a texture of these sides. */
  readonly maxSide: number;
}

/** The largest texture that every WebGL 2 has (MAX_TEXTURE_SIZE of OpenGL ES 3.0, table 6.28). */
const TEXTURE_SIDE = 2048;

const drawsTextures = (mode: Mode): boolean => mode === "webgl2" || mode === "headlessgl";

export const dialectOf = (mode: Mode): Dialect => ({
  mode,
  isDouble: mode === "cpu",
  isStrict: mode === "cpu" || mode === "webasm",
  hasBits: !drawsTextures(mode),
  maxSide: drawsTextures(mode) ? TEXTURE_SIDE : Number.POSITIVE_INFINITY,
});

/** What devices whose memory is float32 compute with exactly. */
export const FLOAT_INTEGERS: Integers = { low: -(2 ** 24), high: 2 ** 24, wraps: false };
/** Integers up to here are exact in float32. */
export const EXACT = 2 ** 24;
