/** @file Programs as JSON IR. */
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  isSymScalar,
  type MetaValue,
  type OperatorLookup,
  type OutputSpec,
  stringRepr,
} from "@sconce/ir";
import { freeSymbols, type SymValue } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import { ExtractContext, GRAPH, GraphExtraction } from "./extract-graph.js";
import {
  type JsonIR,
  type JsonIRMutation,
  type JsonIRSymbol,
  type JsonIRTensor,
  MUTATIONS,
  type MutationKind,
} from "./types.js";

/** How a program becomes JSON IR. */
export interface ExtractOptions {
  /** The name of the model. @defaultValue `model` */
  readonly modelName?: string | undefined;
  /** The table in which operators are looked up. */
  readonly operators: OperatorLookup;
  /** Receives the warning about constants without values. @defaultValue `console.warn` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Describes a program as JSON IR. What only TypeScript or PyTorch can run is refused: objects,
 * lists as values.
 * @throws SconceError `JSON_IR_UNSUPPORTED`, with the node
 */
export function extractProgram(program: ExportedProgram, options: ExtractOptions): JsonIR {
  return new Extraction(program, options).ir();
}

const STATE: readonly InputSpec["kind"][] = ["PARAMETER", "BUFFER", "CONSTANT_TENSOR"];

class Extraction {
  readonly #program: ExportedProgram;
  readonly #options: ExtractOptions;
  /** The placeholders of state, with the names that the model has for them. */
  readonly #state: ReadonlyMap<string, string>;
  readonly #graph: GraphExtraction;

  constructor(program: ExportedProgram, options: ExtractOptions) {
    this.#program = program;
    this.#options = options;
    this.#state = new Map(program.graphSignature.inputSpecs.flatMap(stateEntry));
    const context = new ExtractContext(options.operators);
    this.#graph = new GraphExtraction(context, program.graph, [], this.#state);
  }

  ir(): JsonIR {
    for (const { kind, arg } of this.#program.graphSignature.inputSpecs)
      if (kind === "CUSTOM_OBJ" || kind === "TOKEN")
        throw jsonIRUnsupported(`the input "${arg.name}" is of kind ${kind}`, `input ${arg.name}`, GRAPH);
    const symbols = this.#symbols();
    const mutations = this.#mutations();
    const { graphInputs, weights, nodes, subgraphs } = this.#graph.parts();
    return {
      modelName: this.#options.modelName ?? "model",
      graphInputs,
      graphOutputs: this.#outputs(),
      weights,
      weightNameMapping: this.#state,
      nodes,
      constants: this.#constants(),
      ...(symbols.size > 0 && { symbols }),
      ...(mutations.length > 0 && { mutations }),
      ...(subgraphs !== undefined && { subgraphs }),
    };
  }

  #outputs(): JsonIRTensor[] {
    const { graph, graphSignature } = this.#program;
    const gradient = graphSignature.outputSpecs.find(({ kind }) => !isWritten(kind) && !isReturned(kind));
    if (gradient !== undefined)
      throw jsonIRUnsupported(
        `the program has an output of kind ${gradient.kind}`,
        `output ${gradient.arg.name}`,
        GRAPH,
      );
    return graphSignature.outputSpecs.flatMap(({ arg, kind }) => {
      if (arg.kind === "constant" || !isReturned(kind)) return [];
      const node = graph.node(arg.name);
      return [this.#graph.tensor(arg.name, node.meta.val, node)];
    });
  }

  /** Returns the outputs that are written back, in order. */
  #mutations(): JsonIRMutation[] {
    const { graph, graphSignature } = this.#program;
    return graphSignature.outputSpecs.flatMap(({ arg, kind, target }) => {
      if (!isWritten(kind) || target === null) return [];
      const node = graph.node(arg.name);
      return [{ ...this.#graph.tensor(arg.name, node.meta.val, node), kind, target }];
    });
  }

  /** Returns the symbols, with their ranges and examples. */
  #symbols(): Map<string, JsonIRSymbol> {
    const { rangeConstraints, symbolHints, graph } = this.#program;
    const symbols = new Map<string, JsonIRSymbol>();
    for (const name of symbolsOf(graph)) {
      const range = rangeConstraints.get(name) ?? { min: Number.NEGATIVE_INFINITY, max: Infinity };
      symbols.set(name, { ...range, hint: symbolHints.get(name) });
    }
    return symbols;
  }

  /** Values of the constants and of the buffers that the state dict does not have. */
  #constants(): Map<string, Tensor> {
    const { constants } = this.#program;
    const known = new Map<string, Tensor>();
    const skipped: string[] = [];
    for (const name of new Set(this.#state.values())) {
      const tensor = constants.get(name);
      if (tensor === undefined) continue;
      if (tensor.hasValues) known.set(name, tensor);
      else skipped.push(name);
    }
    if (skipped.length > 0) {
      const names = skipped.map(stringRepr).join(", ");
      const warn = this.#options.onWarning ?? ((message: string) => console.warn(message));
      warn(`Skipping ${skipped.length} meta-device constant(s) (shape/dtype already in weights): [${names}]`);
    }
    return known;
  }
}

const stateEntry = ({ kind, arg, target }: InputSpec): readonly (readonly [string, string])[] =>
  STATE.includes(kind) && target !== null ? [[arg.name, target]] : [];

const isWritten = (kind: OutputSpec["kind"]): kind is MutationKind =>
  MUTATIONS.some((known) => known === kind);
const isReturned = (kind: OutputSpec["kind"]): boolean => kind === "USER_OUTPUT" || kind === "LOSS_OUTPUT";

/**
 * Returns the names of the symbols in the values of a graph and its nested ones, in the order of
 * their first.
 */
function symbolsOf(graph: Graph): Set<string> {
  const names = new Set<string>();
  const expression = (value: SymValue): void => {
    for (const name of freeSymbols(value).keys()) names.add(name);
  };
  const visit = (val: MetaValue | undefined): void => {
    if (val instanceof FakeTensor) val.shape.forEach(expression);
    else if (isSymScalar(val)) expression(val.expr);
    else if (Array.isArray(val)) (val as readonly MetaValue[]).forEach(visit);
  };
  const graphs = new Set([graph]);
  for (const each of graphs) {
    for (const { meta } of each.nodes()) visit(meta.val);
    for (const nested of each.subgraphs.values()) graphs.add(nested);
  }
  return names;
}
