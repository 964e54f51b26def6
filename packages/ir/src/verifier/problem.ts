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
