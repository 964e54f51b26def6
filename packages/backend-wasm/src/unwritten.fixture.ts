/** @file What free places of a memory hold in tests. */

/** Floats of these bytes are NaN, and integers have high bits. */
export const FILLING = 0xff;
