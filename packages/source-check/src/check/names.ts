/** @file Names that the checked code does not declare. */
import { type Kind, known, made, NOTHING, unknown } from "./kinds.js";

/** Names under which Sconce's functions are imported: bundlers keep them as properties. */
const NAMESPACES = new Set([
  "torch",
  "sym",
  "functional",
  "F",
  "nn",
  "guard",
  "guardInt",
  "cond",
  "switch",
  "checkpoint",
  "noGrad",
  "enableGrad",
  "inferenceMode",
  "autocast",
  "whileLoop",
  "scan",
  "associativeScan",
  "Tensor",
  "float",
  "tuple",
  "pythonTuple",
  "check",
  "checkIsSize",
  "constrainAsSize",
  "constrainAsValue",
  "callOperator",
]);

/** Functions and objects of Sconce by the name that code gives them. */
export const namespace = (name: string): Kind =>
  made({ type: "namespace", props: new Map(), element: NOTHING, name });

/** Returns whether a property of something unknown is one of Sconce's by its name. */
export const isNamespace = (name: unknown): name is string =>
  typeof name === "string" && NAMESPACES.has(name);

/** Objects of the language that do not depend on where the code runs. */
const GLOBALS = new Set(
  "Array Object Function Number Boolean String Math JSON Symbol Map Set WeakMap WeakSet Date BigInt Error TypeError RangeError Promise RegExp Reflect Float32Array Float64Array Int32Array Uint8Array Uint16Array Uint32Array Int8Array Int16Array BigInt64Array BigUint64Array ArrayBuffer DataView parseInt parseFloat isNaN isFinite Infinity NaN undefined console performance structuredClone globalThis".split(
    " ",
  ),
);

/** Returns whether a name is one of the language. */
export const isGlobal = (name: string): boolean => GLOBALS.has(name);

/**
 * Returns what a name means that is not declared in the function.
 *
 * @param closed the value of a variable that the function closes over
 */
export function globalKind(
  name: string,
  reachable: Readonly<Record<string, unknown>>,
  closed: () => Kind | undefined,
): Kind {
  if (Object.hasOwn(reachable, name)) return known(reachable[name]);
  if (GLOBALS.has(name)) return known((globalThis as Record<string, unknown>)[name]);
  const value = closed();
  if (value !== undefined) return value;
  return NAMESPACES.has(name) ? namespace(name) : unknown(`\`${name}\` is defined outside of the function`);
}
