/**
 * @file Verification down to the kinds of values. What only reads and runs programs does not need
 * it: readers give no others.
 */
export { verifyAll, verifyParts } from "./verifier/part-checks.js";
