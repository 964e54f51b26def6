import { type SconceError, thrownText } from "@sconce/errors";
import { type Backend, type Graph, type Node, nodeWhere, type Reason } from "@sconce/ir";
import { supportsFailed } from "./errors.js";

/** What is asked of a backend before anything is compiled. */
export type AskedBackend = Pick<Backend, "name" | "supports">;

/**
 * Returns whether a backend takes a node, or why not.
 *
 * @param owner the plugin that the backend is of, for errors
 * @throws SconceError `PLUGIN_FAILED` when it throws, or gives neither true nor a reason
 */
export function askBackend(backend: AskedBackend, node: Node, graph: Graph, owner?: string): true | Reason {
  const label = `the backend "${backend.name}"${owner === undefined ? "" : ` of plugin "${owner}"`}`;
  const failed = (what: string, cause?: unknown): SconceError =>
    supportsFailed(`${label} ${what}`, nodeWhere(node), cause);
  let answer: unknown;
  try {
    answer = backend.supports(node, graph);
  } catch (error) {
    throw failed(`threw when it was asked for %${node.name} (${node.target}): ${thrownText(error)}`, error);
  }
  if (answer === true) return true;
  const reason = (answer as { readonly reason?: unknown } | null | undefined)?.reason;
  if (typeof reason === "string") return answer as Reason;
  throw failed(`gave ${described(answer)} when it was asked for %${node.name} (${node.target})`);
}

function described(answer: unknown): string {
  if (answer instanceof Promise) return "a promise";
  if (typeof answer === "string") return `the string ${JSON.stringify(answer)}`;
  return typeof answer === "object" && answer !== null ? "an object without a reason" : String(answer);
}
