import { SconceError } from "@sconce/errors";
import { type Node, nodePlace } from "@sconce/ir";

/**
 * Returns the error for a call that the compilation excludes; `decomposes` says whether lowering
 * the program helps.
 */
export const excludedCall = (node: Node, decomposes: boolean): SconceError =>
  new SconceError({
    code: "NO_KERNEL",
    message: `${node.target} is excluded from this compilation`,
    where: nodePlace(node),
    fix: `${decomposes ? "decompose the program first, or " : ""}do not exclude it`,
  });
