import type { Tensor } from "@sconce/tensor";
import { unknownPart } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import type { Argument } from "../values/argument.js";
import { withOutputsOf } from "./follow-outputs.js";
import { programText } from "./program-text.js";
import type { TreeSpec } from "./pytree.js";
import {
  type ArgumentSpec,
  type BackwardSignature,
  backwardSignature,
  type GraphSignature,
  type InputKind,
  inputTargets,
  outputTargets,
  type SignatureValue,
  userInputs,
  userOutputs,
} from "./signature.js";
import { type StateValues, stateChange } from "./with-state.js";

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

const NO_HISTORY: readonly HistoryEntry[] = Object.freeze([]);

/** A traced program: an immutable graph with everything that it needs to run (`torch.export.ExportedProgram`). */
export class ExportedProgram {
  readonly graph: Graph;
  readonly graphSignature: GraphSignature;
  readonly stateDict: ReadonlyMap<string, Tensor>;
  readonly parameterNames: ReadonlySet<string>;
  readonly constants: ReadonlyMap<string, Tensor>;
  readonly rangeConstraints: ReadonlyMap<string, RangeConstraint>;
  readonly symbolHints: ReadonlyMap<string, number>;
  readonly moduleCallGraph: readonly ModuleCallEntry[];
  readonly guardsCode: readonly string[];
  readonly exampleInputs: ExampleInputs | null;
  readonly dialect: Dialect;
  readonly torchVersion: string | undefined;
  readonly opsetVersion: Readonly<Record<string, number>>;
  readonly history: readonly HistoryEntry[];
  readonly undone: readonly HistoryEntry[];

  constructor(init: ExportedProgramInit) {
    this.graph = init.graph;
    this.graphSignature = init.graphSignature;
    this.stateDict = init.stateDict;
    this.parameterNames = init.parameterNames;
    this.constants = init.constants;
    this.rangeConstraints = init.rangeConstraints;
    this.symbolHints = init.symbolHints ?? new Map();
    this.moduleCallGraph = init.moduleCallGraph;
    this.guardsCode = init.guardsCode ?? [];
    this.exampleInputs = init.exampleInputs ?? null;
    this.dialect = init.dialect;
    this.torchVersion = init.torchVersion;
    this.opsetVersion = init.opsetVersion ?? {};
    this.history = init.history ?? NO_HISTORY;
    this.undone = init.undone ?? NO_HISTORY;
  }

  /**
   * The same program with some parts replaced; the same object when nothing is. Its history does not lead to the result
   * and is left out, unless given; `recordPass` and the pass manager continue it. Where a graph comes without a signature and
   * has another node in place of an output, the signature and the calling conventions of modules name that node.
   * @throws SconceError `UNKNOWN_PART` for a name that no part of a program has
   */
  with(change: Partial<ExportedProgramInit>): ExportedProgram {
    const unknown = Object.keys(change).find((key) => !Object.hasOwn(this, key));
    if (unknown !== undefined) throw unknownPart(unknown, Object.keys(this));
    const same = (Object.keys(change) as (keyof ExportedProgramInit)[]).every(
      (key) => change[key] === this[key],
    );
    if (same) return this;
    const whole = withOutputsOf(this, change);
    return new ExportedProgram({ ...this, history: NO_HISTORY, undone: NO_HISTORY, ...whole });
  }

  /**
   * The program with new values of parameters, buffers and constants; the same object when none changes. Names that are
   * left out keep what they have, so values can be given in parts. Each tensor must have the dtype and the shape of the
   * one that it replaces; strides stay those of the program, and tensors that share memory change together. The step
   * `with-state` is added to the history.
   * @throws SconceError `UNKNOWN_STATE` with the nearest names, `STATE_MISMATCH` for another dtype or shape
   */
  withState(values: StateValues): ExportedProgram {
    const change = stateChange(this, values);
    return change === undefined ? this : this.with(change);
  }

  /** The value of a parameter, buffer or constant. */
  tensor(target: string): Tensor | undefined {
    return this.stateDict.get(target) ?? this.constants.get(target);
  }

  /** PyTorch's text of the program, `str(exported_program)`. */
  toString(): string {
    return programText(this);
  }

  /** Parameters with their names, in signature order; one for each name, shared or not. */
  namedParameters(): [name: string, value: Tensor][] {
    return this.#lifted("PARAMETER");
  }

  parameters(): Tensor[] {
    return this.namedParameters().map(([, value]) => value);
  }

  /** Buffers with their names, in signature order, persistent or not. */
  namedBuffers(): [name: string, value: Tensor][] {
    return this.#lifted("BUFFER");
  }

  buffers(): Tensor[] {
    return this.namedBuffers().map(([, value]) => value);
  }

  /** User inputs in flattened order: placeholder names, and the values of constants. */
  get userInputs(): SignatureValue[] {
    return userInputs(this.graphSignature);
  }

  /** User outputs in flattened order: node names, and the values of constants. */
  get userOutputs(): SignatureValue[] {
    return userOutputs(this.graphSignature);
  }

  /** Placeholder name to parameter name. */
  get inputsToParameters(): Map<string, string> {
    return inputTargets(this.graphSignature, "PARAMETER");
  }

  /** Placeholder name to buffer name. */
  get inputsToBuffers(): Map<string, string> {
    return inputTargets(this.graphSignature, "BUFFER");
  }

  /** Placeholder name to the name of a lifted tensor constant. */
  get inputsToLiftedTensorConstants(): Map<string, string> {
    return inputTargets(this.graphSignature, "CONSTANT_TENSOR");
  }

  /** Placeholder name to the name of a lifted custom object. */
  get inputsToLiftedCustomObjects(): Map<string, string> {
    return inputTargets(this.graphSignature, "CUSTOM_OBJ");
  }

  /** Output node name to the buffer that takes its value. */
  get buffersToMutate(): Map<string, string> {
    return outputTargets(this.graphSignature, "BUFFER_MUTATION");
  }

  /** Output node name to the parameter that takes its value. */
  get parametersToMutate(): Map<string, string> {
    return outputTargets(this.graphSignature, "PARAMETER_MUTATION");
  }

  /** Output node name to the user input that takes its value. */
  get userInputsToMutate(): Map<string, string> {
    return outputTargets(this.graphSignature, "USER_INPUT_MUTATION");
  }

  get backwardSignature(): BackwardSignature | null {
    return backwardSignature(this.graphSignature);
  }

  /** The tree of `((args...), {kwargs...})`; undefined when the root's calling convention is not known. */
  get inSpec(): TreeSpec | undefined {
    return this.#root()?.inSpec;
  }

  /** The tree of the result. */
  get outSpec(): TreeSpec | undefined {
    return this.#root()?.outSpec;
  }

  /** How often each target is called, in all graphs, nested ones included, in order of first call. */
  opHistogram(): Map<string, number> {
    const counts = new Map<string, number>();
    const graphs: Graph[] = [this.graph];
    for (let graph = graphs.pop(); graph !== undefined; graph = graphs.pop()) {
      for (const { op, target } of graph.nodes()) {
        if (op === "call_function") counts.set(target, (counts.get(target) ?? 0) + 1);
      }
      graphs.push(...graph.subgraphs.values());
    }
    return counts;
  }

  #root(): ModuleCallSignature | undefined {
    return this.moduleCallGraph.find((entry) => entry.fqn === "")?.signature ?? undefined;
  }

  #lifted(kind: InputKind): [string, Tensor][] {
    const found: [string, Tensor][] = [];
    for (const target of inputTargets(this.graphSignature, kind).values()) {
      const value = this.tensor(target);
      if (value !== undefined) found.push([target, value]);
    }
    return found;
  }
}
