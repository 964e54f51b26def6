/** @file Why a call of the interpreter is in no module. */
import { isSconceError } from "@sconce/errors";
import { isSymScalar, type MetaValue, type Node } from "@sconce/ir";
import type { Unbuilt } from "../code/errors.js";
import type { ScalarKind } from "../code/scalar-code.js";

/** A call that no module holds. */
export class CannotWrite extends Error {
  unbuilt: Unbuilt | undefined;

  /** Returns the error with the call that it is about: the innermost one. */
  static at(error: unknown, { name, target }: Pick<Node, "name" | "target">): unknown {
    const isSize = isSconceError(error, "BUILD_UNSUPPORTED");
    const found = isSize ? new CannotWrite(error.message) : error;
    if (found instanceof CannotWrite) found.unbuilt ??= { node: name, target, reason: found.message };
    return found;
  }
}

const KINDS: Readonly<Record<string, ScalarKind>> = { SymInt: "int", SymFloat: "float", SymBool: "bool" };

/** Returns what Python calls a recorded number. @throws CannotWrite */
export function kindOfScalar(val: MetaValue | undefined): ScalarKind {
  const kind = isSymScalar(val) ? KINDS[val.kind] : undefined;
  if (kind === undefined) throw new CannotWrite("the program does not record what it gives");
  return kind;
}
