/** @file Functions of JavaScript that kernels call, by name: every thread has the same ones. */

export const IMPORTED_FUNCTIONS: Readonly<Record<string, (...args: never[]) => number | bigint>> = {};
