/**
 * @file The Python types of a program's results: a JavaScript number does not show whether it was
 * an int or a float.
 */
import type { ExportedProgram } from "./program.js";
import type { ArgumentSpec } from "./signature.js";

/** The Python type of one flat result. */
export type ResultKind = "tensor" | "int" | "float" | "bool" | "str" | "none" | "object";

const SYMBOLIC: ReadonlyMap<ArgumentSpec["kind"], ResultKind> = new Map<ArgumentSpec["kind"], ResultKind>([
  ["tensor", "tensor"],
  ["symint", "int"],
  ["symfloat", "float"],
  ["symbool", "bool"],
]);

/**
 * Returns the Python type of each user output, in flattened order. Executables give floats as
 * numbers, so a result of 2 is an int or a float by its kind.
 */
export const resultKinds = (program: ExportedProgram): ResultKind[] =>
  program.graphSignature.outputSpecs
    .filter(({ kind }) => kind === "USER_OUTPUT" || kind === "LOSS_OUTPUT")
    .map(({ arg }) => kindOf(arg));

function kindOf(arg: ArgumentSpec): ResultKind {
  if (arg.kind !== "constant") return SYMBOLIC.get(arg.kind) ?? "object";
  const { value } = arg;
  switch (typeof value) {
    case "bigint":
      return "int";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    case "boolean":
      return "bool";
    case "string":
      return "str";
    default:
      if (value === null) return "none";
      return "kind" in value && value.kind === "float" ? "float" : "object";
  }
}
