import { describeValue, visibleLine } from "@sconce/errors";

/** One violation of the rules of a program. */
export interface Problem {
  /** Stable identifier, SCREAMING_SNAKE_CASE. */
  readonly code: string;
  /** In PyTorch's words where PyTorch checks the same. */
  readonly message: string;
  /** The node concerned. */
  readonly node?: string | undefined;
  /** Path of the nested graph, `true_graph_0.false_graph_0`; empty for the program's own graph. */
  readonly graph?: string | undefined;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string | undefined;
  /** What to do, as an instruction. */
  readonly fix?: string | undefined;
}

/** Called with each problem. */
export type Report = (code: string, message: string, node?: string, fix?: string) => void;

/** Returns the message of a thrown value, which may not be an Error. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : describeValue(error);

/** `CODE at graph.node: message`, then the user's line and the fix, a line each. */
export function problemText({ code, message, node, graph, line, fix }: Problem): string {
  const place = visibleLine([graph, node].filter((part) => part !== undefined && part !== "").join("."));
  const lines = [place === "" ? `${code}: ${message}` : `${code} at ${place}: ${message}`];
  if (line !== undefined) lines.push(`  from ${line}`);
  if (fix !== undefined) lines.push(`  fix  ${fix}`);
  return lines.join("\n");
}
