import { SconceError } from "@sconce/errors";
import { callPlace, type Node } from "@sconce/ir";

/** Returns the error for an in-place write to memory that a conjugated or negated view shares. */
export const conjugateWrite = (node: Node, view: Node): SconceError =>
  new SconceError({
    code: "CONJUGATE_WRITE",
    message: `the call writes in place to memory that %${view.name} is a ${view.target === "aten._neg_view.default" ? "negated" : "conjugated"} view of, which the interpreter cannot follow`,
    where: callPlace(node),
    fix: "run the program after runDecompositions(), where the write is a separate value",
  });
