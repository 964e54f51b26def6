import { SconceError } from "@sconce/errors";
import { callPlace, type Node } from "@sconce/ir";

/** An in-place write to memory that a conjugated view shares. */
export const conjugateWrite = (node: Node, view: string): SconceError =>
  new SconceError({
    code: "CONJUGATE_WRITE",
    message: `the call writes in place to memory that %${view} is a conjugated view of, which the interpreter cannot follow`,
    where: callPlace(node),
    fix: "run the program after runDecompositions(), where the write is a separate value",
  });
