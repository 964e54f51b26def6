/** @file The parts of a program: what it consists of besides its graph, and how it came to be. */
import type { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import type { Argument } from "../values/argument.js";
import type { TreeSpec } from "./pytree.js";
import type { ArgumentSpec, GraphSignature } from "./signature.js";

/** Integer range of a symbol or expression; infinities are `Infinity` and `-Infinity`. */
export interface RangeConstraint {
  readonly min: number;
  readonly max: number;
  /** The exact bounds where they lie past 2^53, as those of sizes do (2^63 - 2). */
  readonly exact?: { readonly min: bigint | null; readonly max: bigint | null };
  /** A float symbol: infinities print `oo` instead of `int_oo`. */
  readonly float?: boolean;
}

/** A range from bounds as texts have them: integers past 2^53 are kept exactly beside their nearest numbers. */
export function rangeConstraint(low: number | bigint, high: number | bigint): RangeConstraint {
  const range = { min: Number(low), max: Number(high) };
  const exact = { min: typeof low === "bigint" ? low : null, max: typeof high === "bigint" ? high : null };
  return exact.min === null && exact.max === null ? range : { ...range, exact };
}

/** The calling convention of one module call, preserved or of the root. */
export interface ModuleCallSignature {
  readonly inputs: readonly ArgumentSpec[];
  readonly outputs: readonly ArgumentSpec[];
  readonly inSpec: TreeSpec;
  readonly outSpec: TreeSpec;
  readonly forwardArgNames: readonly string[] | null;
}

export interface ModuleCallEntry {
  readonly fqn: string;
  readonly signature: ModuleCallSignature | null;
}

/** `TRAINING` (from export), `ATEN` (after `runDecompositions`), or a plugin's. */
export type Dialect = string;

/** Lazily read sample inputs: flat leaves in `inSpec` order. */
export interface ExampleInputs {
  readonly leaves: readonly (Tensor | Argument)[];
}

/** What fixes an {@link ExportedProgram}. */
export interface ExportedProgramInit {
  readonly graph: Graph;
  readonly graphSignature: GraphSignature;
  /** Parameters and persistent buffers by fully qualified name, in state-dict order. */
  readonly stateDict: ReadonlyMap<string, Tensor>;
  /** Names of `stateDict` entries that are parameters. */
  readonly parameterNames: ReadonlySet<string>;
  /** Lifted tensor constants and non-persistent buffers by name. */
  readonly constants: ReadonlyMap<string, Tensor>;
  /** Keys are printed expressions (`s77`, `2*s17`), in PyTorch's order. */
  readonly rangeConstraints: ReadonlyMap<string, RangeConstraint>;
  /** Example values of symbols, where the file gives them. */
  readonly symbolHints?: ReadonlyMap<string, number> | undefined;
  readonly moduleCallGraph: readonly ModuleCallEntry[];
  /** Python guard expressions over `L['x'].size()[0]`, kept as text and only ever parsed by a safe parser. */
  readonly guardsCode?: readonly string[] | undefined;
  readonly exampleInputs?: ExampleInputs | null | undefined;
  readonly dialect: Dialect;
  /** `2.14.1`, when known. */
  readonly torchVersion?: string | undefined;
  readonly opsetVersion?: Readonly<Record<string, number>> | undefined;
  /** What led to this version, oldest first. */
  readonly history?: readonly HistoryEntry[] | undefined;
  /** Steps that were undone, those to redo first at the end. */
  readonly undone?: readonly HistoryEntry[] | undefined;
}

/** Everything of a program but its graph and its history. */
export type ProgramParts = Omit<ExportedProgramInit, "graph" | "history" | "undone">;

/** One pass's change of a program: that of the graph as immer patches, other parts as they were and became. */
export interface HistoryEntry {
  readonly pass: string;
  /** The pass with its options as the text of a pipeline, where that says more than the name. */
  readonly call?: string | undefined;
  readonly patches: readonly unknown[];
  readonly inverse: readonly unknown[];
  /** Parts that changed, as they were before: the same objects, so tensors are referred to and not copied. */
  readonly before: Partial<ProgramParts>;
  /** The same parts as the pass left them. */
  readonly after: Partial<ProgramParts>;
}
