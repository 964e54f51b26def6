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
}

/** Takes problems as they are found. */
export type Report = (code: string, message: string, node?: string) => void;

/** What a value is, in words; never throws. */
export function told(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "object") return value instanceof Map ? "a map" : "an object of another kind";
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : String(value);
}

/** The message of what was thrown, whatever that is. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : told(error));
