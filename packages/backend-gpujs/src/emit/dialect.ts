/** @file The differences between gpu.js's modes, as targets of code generation. */
import type { Integers, Target } from "@sconce/codegen";
import type { Mode } from "../device/mode.js";

/** Integers up to here are exact in float32. */
export const EXACT = 2 ** 24;
/** What devices whose memory is float32 compute with exactly. */
export const FLOAT_INTEGERS: Integers = { low: -EXACT, high: EXACT, wraps: false };

/** A mode of gpu.js. */
export interface Dialect extends Target {
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

/** A kernel gives one element for each thread of a grid of three axes. */
export function dialectOf(mode: Mode): Dialect {
  const isDouble = mode === "cpu";
  const isStrict = isDouble || mode === "webasm";
  const hasOwnFunctions = mode === "webgl2";
  return {
    name: `gpu.js ${mode}`,
    mode,
    isDouble,
    isStrict,
    hasOwnFunctions,
    hasBits: !drawsTextures(mode),
    maxReads: UNITS[mode] ?? MOST_READS,
    threads: "grid",
    // A result of two coordinates becomes a texture of these sides.
    maxSide: drawsTextures(mode) ? TEXTURE_SIDE : Number.POSITIVE_INFINITY,
    exactIndex: isDouble ? Number.MAX_SAFE_INTEGER : EXACT,
    // Below 2^24 a correctly rounded float32 quotient is on the right side of every whole number.
    dividesInFloats: isStrict,
    sumsIn: "float32",
    hasInfinity: isStrict || hasOwnFunctions,
    // As fast as what gpu.js makes of nested arrays.
    unroll: 4,
    speculation: { operations: 4, loads: true },
    integers: FLOAT_INTEGERS,
  };
}
