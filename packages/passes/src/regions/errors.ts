/** @file Errors of selections, partitions and backend support. */
import { misspelled, SconceError } from "@sconce/errors";
import { type Node, nodeWhere } from "@sconce/ir";

/**
 * Returns the error for a selection that needs a value that needs the selection. `path` has the
 * nodes that are not selected and lie between; it is empty when only the order of effects is in the
 * way.
 */
export const notConvex = (node: Node, input: string, path: readonly string[]): SconceError => {
  const between = path.slice(0, MOST_SHOWN).map((name) => `"${name}"`);
  const rest = path.length > MOST_SHOWN ? ` and ${path.length - MOST_SHOWN} more` : "";
  return new SconceError({
    code: "NOT_CONVEX",
    message: `the selected "${node.name}" needs "${input}", which is not selected and comes after other selected nodes`,
    where: nodeWhere(node),
    fix:
      path.length === 0
        ? `select "${input}" and what lies between as well, or extract fewer nodes`
        : `select ${between.join(", ")}${rest} as well, or extract fewer nodes`,
  });
};

/** The most nodes that an error names. */
const MOST_SHOWN = 8;

/** Returns the error for a selection with a call that must keep its place. */
export const regionEffect = (node: Node): SconceError =>
  new SconceError({
    code: "REGION_EFFECT",
    message: `"${node.name}" (${node.target}) draws random numbers or has an effect, so it must run in program order`,
    where: nodeWhere(node),
    fix: "leave it out of the selection",
  });

/** Returns the error for a backend that the session does not have. */
export function unknownBackend(name: string, known: Iterable<string>): SconceError {
  const names = [...known];
  return new SconceError({
    code: "UNKNOWN_BACKEND",
    message: `unknown backend "${name}"`,
    ...misspelled(
      name,
      names,
      `the backends are: ${names.join(", ") || "none; run the pass through createSconce()"}`,
    ),
  });
}

/** Nodes that a backend does not run; `cause` of the error holds all of them. */
export const unsupportedNodesOf = (
  label: string,
  refused: {
    readonly nodes: readonly unknown[];
    readonly listed: readonly string[];
    readonly where: string;
    readonly fix: string;
  },
): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_NODES",
    message: `${label} does not run ${refused.nodes.length === 1 ? "a node" : `${refused.nodes.length} nodes`} of the program: ${refused.listed.join("; ")}`,
    where: refused.where,
    fix: refused.fix,
    cause: refused.nodes,
  });

/** `supports` of a backend threw, or did not answer. */
export const supportsFailed = (message: string, where: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "PLUGIN_FAILED",
    message,
    where,
    fix: "correct the backend: `supports` returns true or { reason } synchronously",
    cause,
  });
