import { markClass } from "@sconce/errors";
import { showsAsText, type Tensor } from "@sconce/tensor";
import { unknownPart } from "../graph/errors.js";
import { Graph } from "../graph/graph.js";
import { graphText } from "../print-torch/graph-text.js";
import { COPY } from "../this-copy.js";
import { type EqualityConstraint, equalityConstraints } from "./equality-constraints.js";
import { withOutputsOf } from "./follow-outputs.js";
import type { HashOptions, ProgramHash } from "./hash.js";
import type {
  Dialect,
  ExampleInputs,
  ExportedProgramInit,
  HistoryEntry,
  ModuleCallEntry,
  ModuleCallSignature,
  RangeConstraint,
} from "./program-parts.js";
import { programText } from "./program-text.js";
import type { TreeSpec } from "./pytree.js";
import {
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

/** A class of PyTorch that checks programs of a dialect. */
export interface ProgramVerifier {
  /** `TrainingIRVerifier`, or `Verifier` for a lowered program. */
  readonly name: string;
  readonly dialect: Dialect;
}

const NO_HISTORY: readonly HistoryEntry[] = Object.freeze([]);
const NO_FIELDS: ReadonlyMap<string, readonly string[]> = new Map();
const NO_METADATA: Readonly<Record<string, string>> = Object.freeze({});

/**
 * A traced program: an immutable graph with everything that it needs to run
 * (`torch.export.ExportedProgram`).
 */
export class ExportedProgram {
  static {
    markClass(ExportedProgram, "ExportedProgram", COPY);
    showsAsText(ExportedProgram.prototype);
    showsAsText(Graph.prototype, graphText);
  }

  /** The graph; see {@link Graph}. */
  readonly graph: Graph;
  /** What each input and output of the graph is: parameters, buffers, user inputs, mutations. */
  readonly graphSignature: GraphSignature;
  /** Parameters and persistent buffers by fully qualified name, in state-dict order. */
  readonly stateDict: ReadonlyMap<string, Tensor>;
  /** Names of `stateDict` entries that are parameters. */
  readonly parameterNames: ReadonlySet<string>;
  /** Lifted tensor constants and non-persistent buffers by name. */
  readonly constants: ReadonlyMap<string, Tensor>;
  /** Ranges of symbols and expressions, by their printed form, in PyTorch's order. */
  readonly rangeConstraints: ReadonlyMap<string, RangeConstraint>;
  /** Example values of symbols, where the file gives them. */
  readonly symbolHints: ReadonlyMap<string, number>;
  /** Symbols that an export made and no value shows. */
  readonly unusedSymbols: readonly string[];
  /** Calling conventions of the root, whose name is empty, and of preserved modules. */
  readonly moduleCallGraph: readonly ModuleCallEntry[];
  /** Python guard expressions on the inputs, as text. */
  readonly guardsCode: readonly string[];
  /** The inputs that the program was exported with; null when the file has none. */
  readonly exampleInputs: ExampleInputs | null;
  /** The dialect of the graph: `TRAINING`, `ATEN` or a plugin's. */
  readonly dialect: Dialect;
  /** The PyTorch version that exported it: `2.14.1`; undefined when unknown. */
  readonly torchVersion: string | undefined;
  /** Versions of operator sets by namespace. */
  readonly opsetVersion: Readonly<Record<string, number>>;
  /** Field names of the named tuples in the trees, by the name of the class. */
  readonly namedTupleFields: ReadonlyMap<string, readonly string[]>;
  /** Texts on the graph module; PyTorch writes its annotations as `custom`. */
  readonly graphMetadata: Readonly<Record<string, string>>;
  /** The steps that led to this version, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Steps that were undone, those to redo first at the end. */
  readonly undone: readonly HistoryEntry[];

  constructor(init: ExportedProgramInit) {
    this.graph = init.graph;
    this.graphSignature = init.graphSignature;
    this.stateDict = init.stateDict;
    this.parameterNames = init.parameterNames;
    this.constants = init.constants;
    this.rangeConstraints = init.rangeConstraints;
    this.symbolHints = init.symbolHints ?? new Map();
    this.unusedSymbols = init.unusedSymbols ?? [];
    this.moduleCallGraph = init.moduleCallGraph;
    this.guardsCode = init.guardsCode ?? [];
    this.exampleInputs = init.exampleInputs ?? null;
    this.dialect = init.dialect;
    this.torchVersion = init.torchVersion;
    this.opsetVersion = init.opsetVersion ?? {};
    this.namedTupleFields = init.namedTupleFields ?? NO_FIELDS;
    this.graphMetadata = init.graphMetadata ?? NO_METADATA;
    this.history = init.history ?? NO_HISTORY;
    this.undone = init.undone ?? NO_HISTORY;
  }

  /**
   * Returns the same program with some parts replaced; the same object when nothing is. Its history
   * does not lead to the result and is left out, unless given; `recordPass` and the pass manager
   * continue it. Where a graph comes without a signature and has another node in place of an
   * output, the signature and the calling conventions of modules name that node.
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
   * Returns the program with new values of parameters, buffers and constants; the same object when
   * none changes. Names that are left out keep what they have, so values can be given in parts.
   * Each tensor must have the dtype and the shape of the one that it replaces; strides stay those
   * of the program, and tensors that share memory change together. The step `with-state` is added
   * to the history.
   * @throws SconceError `UNKNOWN_STATE` with the nearest names, `STATE_MISMATCH` for another dtype
   * or shape
   */
  withState(values: StateValues): ExportedProgram {
    const change = stateChange(this, values);
    return change === undefined ? this : this.with(change);
  }

  /**
   * Content hashes of the graph, of the weights and of both. Equal programs have equal hashes, on
   * every machine, after saving and loading, and whatever the order of maps. Stack traces and other
   * metadata, example inputs, versions and the history are not content; names of nodes are. Weights
   * that are still in their file are read in pieces and stay there.
   *
   * @example const { program, graph, weights } = await exported.hash();
   * @throws SconceError `ABORTED`, and what reading the file of lazy weights throws
   */
  async hash(options?: HashOptions): Promise<ProgramHash> {
    const { programHash } = await import("./hash.js");
    return programHash(this, options);
  }

  /**
   * Pairs of sizes of the inputs that are equal in every call, because one symbol represents both:
   * sizes with one `Dim`, and sizes that an operator of the model requires to be equal. Each size
   * is paired with the first one of its symbol. A size that is computed from another (`2*s`) is in
   * no pair.
   */
  get equalityConstraints(): readonly EqualityConstraint[] {
    return equalityConstraints(this.graph, this.graphSignature);
  }

  /** Returns the value of a parameter, buffer or constant. */
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

  /** Returns the parameters, in signature order. */
  parameters(): Tensor[] {
    return this.namedParameters().map(([, value]) => value);
  }

  /** Buffers with their names, in signature order, persistent or not. */
  namedBuffers(): [name: string, value: Tensor][] {
    return this.#lifted("BUFFER");
  }

  /** Returns the buffers, in signature order. */
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

  /** Tokens of assertions by output: always null, as in PyTorch 2.14. */
  get assertionDepToken(): ReadonlyMap<number, string> | null {
    return null;
  }

  /** Names of lifted tensor constants, in signature order. */
  get liftedTensorConstants(): string[] {
    return [...this.inputsToLiftedTensorConstants.values()];
  }

  /** Names of lifted custom objects, in signature order. */
  get liftedCustomObjects(): string[] {
    return [...this.inputsToLiftedCustomObjects.values()];
  }

  /** Names of the buffers that the state dict does not have: they are among `constants`. */
  get nonPersistentBuffers(): Set<string> {
    const specs = this.graphSignature.inputSpecs.filter(({ persistent }) => persistent === false);
    return new Set(specs.flatMap(({ target }) => (target === null ? [] : [target])));
  }

  /** Names of the inputs that order effects. */
  get inputTokens(): string[] {
    return this.graphSignature.inputSpecs.flatMap(({ kind, arg }) => (kind === "TOKEN" ? [arg.name] : []));
  }

  /** Names of the outputs that order effects. */
  get outputTokens(): string[] {
    return this.graphSignature.outputSpecs.flatMap(({ kind, arg }) => (kind === "TOKEN" ? [arg.name] : []));
  }

  /**
   * What checks the program in PyTorch (`exported_program.verifiers`), with the dialect that it
   * allows. In Sconce, `verify` checks it.
   */
  get verifiers(): readonly ProgramVerifier[] {
    const name = this.dialect === "TRAINING" ? "TrainingIRVerifier" : "Verifier";
    return [{ name, dialect: this.dialect }];
  }

  /** Which outputs are gradients; null for a program without a backward graph. */
  get backwardSignature(): BackwardSignature | null {
    return backwardSignature(this.graphSignature);
  }

  /**
   * The tree of `((args...), {kwargs...})`; undefined when the root's calling convention is not
   * known.
   */
  get inSpec(): TreeSpec | undefined {
    return this.#root()?.inSpec;
  }

  /** The tree of the result. */
  get outSpec(): TreeSpec | undefined {
    return this.#root()?.outSpec;
  }

  /**
   * Returns how often each target is called, in all graphs, nested ones included, in order of first
   * call.
   */
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
