import { misspelled, SconceError } from "@sconce/errors";
import type { Problem } from "@sconce/ir";

/** Returns the error for what is given as JSON IR is something else. */
export const notJsonIR = (call: string, got: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${call} takes JSON IR, and got ${got}`,
    fix: "pass what `jsonIR.extract` or `jsonIR.read` returned; `jsonIR.read` takes the text",
  });

/**
 * Returns the error for a node of JSON IR that reads a weight that nothing gave. The message is
 * that of the format's own executor.
 */
export const missingWeight = (placeholder: string, name: string, node: string): SconceError =>
  new SconceError({
    code: "MISSING_WEIGHT",
    message: `Weight/input '${placeholder}' not found in registry for node '${node}'.`,
    where: `node "${node}"`,
    fix: `give the tensor in \`weights\` or \`constants\`, under the name "${name}" or "${placeholder}"`,
  });

/** Returns the error for a constant or an override for a name that JSON IR does not have. */
export const unknownOverride = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_STATE",
    message: `the JSON IR has no weight or constant ${JSON.stringify(name)}`,
    where: "`constants` or `overrides`",
    ...misspelled(name, known, `the names are: ${known.join(", ")}`),
  });

/** Returns the error for a type in JSON IR that its operator contradicts. */
export const otherType = (node: string, declared: string, computed: string): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message: `the value is declared as ${declared}, and its operator gives ${computed}`,
    where: `node "${node}"`,
    fix: "write the JSON again with `sconce ir`, or correct it",
  });

/** Returns the error for a call in JSON IR that does not fit the nested graph that it takes. */
export const otherCall = ({ message, node, graph, fix }: Problem): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message,
    where: `${graph === "" || graph === undefined ? "" : `graph ${graph}, `}node "${node}"`,
    fix: fix ?? "write the JSON again with `sconce ir`, or correct it",
  });

/** Calls of nested graphs in JSON IR that make too many calls. */
export const tooManyRepeats = (most: number): SconceError =>
  new SconceError({
    code: "JSON_IR_GRAPH",
    message: `its nested graphs are called so often that they make more than ${most} calls`,
    where: "subgraphs",
    fix: "call nested graphs less often, or save the program as .pt2",
  });

/** Outputs that cannot be compared. */
export const otherOutputs = (got: string, want: string, where: string): SconceError =>
  new SconceError({
    code: "OUTPUT_MISMATCH",
    message: `the JSON IR gives ${got}, and the model ${want}`,
    where,
    fix: "compare with the model that the JSON was made of",
  });
