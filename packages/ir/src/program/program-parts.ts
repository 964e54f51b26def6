/** @file The parts of a program: what it consists of besides its graph, and how it came to be. */
import type { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import type { Argument } from "../values/argument.js";
import type { TreeSpec } from "./pytree.js";
import type { ArgumentSpec, GraphSignature } from "./signature.js";

/** Integer range of a symbol or expression; infinities are `Infinity` and `-Infinity`. */
export interface RangeConstraint {
  /** The least value. */
  readonly min: number;
  /** The greatest value. */
  readonly max: number;
  /** The exact bounds where they lie past 2^53, as those of sizes do (2^63 - 2). */
  readonly exact?: { readonly min: bigint | null; readonly max: bigint | null };
  /** A float symbol: infinities print `oo` instead of `int_oo`. */
  readonly float?: boolean;
}

/**
 * Returns a range from bounds as texts have them: integers past 2^53 are kept exactly beside their
 * nearest numbers.
 */
export function rangeConstraint(low: number | bigint, high: number | bigint): RangeConstraint {
  const range = { min: Number(low), max: Number(high) };
  const exact = { min: typeof low === "bigint" ? low : null, max: typeof high === "bigint" ? high : null };
  return exact.min === null && exact.max === null ? range : { ...range, exact };
}

/** The calling convention of one module call, preserved or of the root. */
export interface ModuleCallSignature {
  /** Nodes and constants that the call takes, flattened in `inSpec` order. */
  readonly inputs: readonly ArgumentSpec[];
  /** Nodes and constants that it returns, flattened in `outSpec` order. */
  readonly outputs: readonly ArgumentSpec[];
  /** The tree of `((args...), {kwargs...})`. */
  readonly inSpec: TreeSpec;
  /** The tree of the result. */
  readonly outSpec: TreeSpec;
  /** Names of the positional arguments of `forward`; null when the file does not say. */
  readonly forwardArgNames: readonly string[] | null;
}

/** A module of the source program, with the calling convention that was preserved. */
export interface ModuleCallEntry {
  /** The fully qualified name; empty for the root. */
  readonly fqn: string;
  /** The calling convention; null when it was not preserved. */
  readonly signature: ModuleCallSignature | null;
}

/** `TRAINING` (from export), `ATEN` (after `runDecompositions`), or a plugin's. */
export type Dialect = string;

/** Lazily read sample inputs: flat leaves in `inSpec` order. */
export interface ExampleInputs {
  /** Tensors and literals, flattened in `inSpec` order. */
  readonly leaves: readonly (Tensor | Argument)[];
  /**
   * Dimensions of tensors that `Dim` or `mark_dynamic` marked in Python, by the position of the
   * leaf; kept for files.
   */
  readonly markedDims?: ReadonlyMap<number, readonly number[]>;
}

/** What fixes an {@link ExportedProgram}. */
export interface ExportedProgramInit {
  /** The graph. */
  readonly graph: Graph;
  /** What each input and output of the graph is. */
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
  /**
   * Symbols that an export made and no value shows. Lowering numbers its own symbols after them.
   * @defaultValue none
   */
  readonly unusedSymbols?: readonly string[] | undefined;
  /** Calling conventions of the root, whose name is empty, and of preserved modules. */
  readonly moduleCallGraph: readonly ModuleCallEntry[];
  /**
   * Python guard expressions over `L['x'].size()[0]`, kept as text and only ever parsed by a safe
   * parser.
   */
  readonly guardsCode?: readonly string[] | undefined;
  /** The inputs that the program was exported with. @defaultValue null */
  readonly exampleInputs?: ExampleInputs | null | undefined;
  /** The dialect of the graph. */
  readonly dialect: Dialect;
  /** `2.14.1`, when known. */
  readonly torchVersion?: string | undefined;
  /** Versions of operator sets by namespace. @defaultValue none */
  readonly opsetVersion?: Readonly<Record<string, number>> | undefined;
  /** Field names of the named tuples in the trees, by the name of the class. @defaultValue none */
  readonly namedTupleFields?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Texts on the graph module; PyTorch writes its annotations as `custom`. @defaultValue none */
  readonly graphMetadata?: Readonly<Record<string, string>> | undefined;
  /** What led to this version, oldest first. */
  readonly history?: readonly HistoryEntry[] | undefined;
  /** Steps that were undone, those to redo first at the end. */
  readonly undone?: readonly HistoryEntry[] | undefined;
}

/** Everything of a program but its graph and its history. */
export type ProgramParts = Omit<ExportedProgramInit, "graph" | "history" | "undone">;

/**
 * One pass's change of a program: that of the graph as immer patches, other parts as they were and
 * became.
 */
export interface HistoryEntry {
  /** The name of the pass, or of another step such as `with-state`. */
  readonly pass: string;
  /** The pass with its options as the text of a pipeline, where that says more than the name. */
  readonly call?: string | undefined;
  /** Patches of the graph from the version before to this one. */
  readonly patches: readonly unknown[];
  /** Patches of the graph back to the version before. */
  readonly inverse: readonly unknown[];
  /**
   * Parts that changed, as they were before: the same objects, so tensors are referred to and not
   * copied.
   */
  readonly before: Partial<ProgramParts>;
  /** The same parts as the pass left them. */
  readonly after: Partial<ProgramParts>;
}
