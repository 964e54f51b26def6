import type { Node } from "./node.js";
import { innermostFrame } from "./print-torch/source-comment.js";

/** Not of an installed package, such as the modules of PyTorch itself. */
const isOwnFile = (file: string): boolean => !/[\\/](?:site|dist)-packages[\\/]/.test(file);

/**
 * Returns the line of the user's model that a node comes from (`File: model.py:3 in forward, code: return x + 1`): the
 * innermost frame outside of installed packages, the innermost of all if every frame is in one.
 */
export function userLine({ meta: { stackTrace } }: Pick<Node, "meta">): string | undefined {
  if (stackTrace === undefined) return undefined;
  return innermostFrame(stackTrace, isOwnFile) ?? innermostFrame(stackTrace);
}
