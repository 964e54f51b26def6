import { SconceError } from "@sconce/errors";
import { callPlace, type Node } from "@sconce/ir";

const REGISTER = (target: string): string =>
  `register ${target} with a plugin that gives its schema and a shape rule (\`ops\`), and lower the program with it`;

/**
 * Returns the error when an argument of an opaque call is not the one for which its results were
 * recorded.
 */
export const opaqueInputs = (node: Node, input: string, change: string): SconceError =>
  new SconceError({
    code: "OPAQUE_INPUTS",
    message:
      `node "${node.name}" calls ${node.target}, which nothing here defines: its results are known for the recorded arguments ` +
      `only, but %${input} ${change}`,
    where: callPlace(node),
    fix: REGISTER(node.target),
  });

/**
 * Returns the error for an opaque call whose name or missing results say that it writes to its
 * arguments, or acts outside of the program.
 */
export const opaqueEffects = (node: Node, why: string): SconceError =>
  new SconceError({
    code: "OPAQUE_EFFECTS",
    message:
      `node "${node.name}" calls ${node.target}, which nothing here defines and which ${why}: it may write to its arguments, and ` +
      "the file does not record which",
    where: callPlace(node),
    fix: `${REGISTER(node.target)}; or call run_decompositions() in PyTorch before saving the program`,
  });
