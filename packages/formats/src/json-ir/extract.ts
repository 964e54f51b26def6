/** @file Programs as JSON IR. */
import {
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  isSymScalar,
  type MetaValue,
  type Node,
  nodeWhere,
  type OperatorLookup,
  type OpSchema,
  type OutputSpec,
  type SymScalar,
  stringRepr,
} from "@sconce/ir";
import { freeSymbols, type SymValue } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import { nodeAttributes } from "./extract-call.js";
import {
  GETITEM,
  isScalarFunction,
  type JsonIR,
  type JsonIRInput,
  type JsonIRMutation,
  type JsonIRNode,
  type JsonIRSymbol,
  type JsonIRTensor,
  MUTATIONS,
  type MutationKind,
  OUTPUT_NONES,
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
 * Describes a program as JSON IR. What only TypeScript or PyTorch can run is refused: nested
 * graphs, objects, lists as values.
 * @throws SconceError `JSON_IR_UNSUPPORTED`, with the node
 */
export function extractProgram(program: ExportedProgram, options: ExtractOptions): JsonIR {
  return new Extraction(program, options).ir();
}

/** What other tools read a symbolic scalar as: a tensor of no dimensions. */
const SCALAR_DTYPES: Readonly<Record<SymScalar["kind"], DType>> = {
  SymInt: "int64",
  SymFloat: "float64",
  SymBool: "bool",
};
const STATE: readonly InputSpec["kind"][] = ["PARAMETER", "BUFFER", "CONSTANT_TENSOR"];
const GRAPH = "run the program itself, or leave that part of the model out of the JSON";

class Extraction {
  readonly #program: ExportedProgram;
  readonly #options: ExtractOptions;
  /** The placeholders of state, with the names that the model has for them. */
  readonly #state: ReadonlyMap<string, string>;
  readonly #targets = new Map<string, OpSchema>();

  constructor(program: ExportedProgram, options: ExtractOptions) {
    this.#program = program;
    this.#options = options;
    this.#state = new Map(program.graphSignature.inputSpecs.flatMap(stateEntry));
  }

  ir(): JsonIR {
    const { graph, graphSignature } = this.#program;
    for (const { kind, arg } of graphSignature.inputSpecs)
      if (kind === "CUSTOM_OBJ" || kind === "TOKEN")
        throw jsonIRUnsupported(`the input "${arg.name}" is of kind ${kind}`, `input ${arg.name}`, GRAPH);
    const inputs: JsonIRTensor[] = [];
    const weights: JsonIRTensor[] = [];
    const nodes: JsonIRNode[] = [];
    const symbols = this.#symbols();
    const mutations = this.#mutations();
    for (const node of graph.nodes()) {
      if (node.op === "placeholder") this.#placeholder(node, inputs, weights);
      else if (node.op === "call_function") nodes.push(this.#call(node));
      else if (node.op === "get_attr")
        throw jsonIRUnsupported("the program has nested graphs", nodeWhere(node), GRAPH);
    }
    return {
      modelName: this.#options.modelName ?? "model",
      graphInputs: inputs,
      graphOutputs: this.#outputs(),
      weights,
      weightNameMapping: this.#state,
      nodes,
      constants: this.#constants(),
      ...(symbols.size > 0 && { symbols }),
      ...(mutations.length > 0 && { mutations }),
    };
  }

  #placeholder(node: Node, inputs: JsonIRTensor[], weights: JsonIRTensor[]): void {
    const { val } = node.meta;
    const target = this.#state.get(node.name);
    // Constants of the call have no place in the graph: nothing reads them.
    if (
      !(val instanceof FakeTensor) &&
      target === undefined &&
      this.#program.graph.users(node.name).length === 0
    )
      return;
    const tensor = this.#tensor(target ?? node.name, val, node);
    if (target === undefined) inputs.push(tensor);
    else weights.push(tensor);
  }

  #call(node: Node): JsonIRNode {
    const outputs = this.#results(node);
    const isFunction = node.target === GETITEM || isScalarFunction(node.target);
    const refs: string[] = [];
    const attrs = nodeAttributes(node, isFunction ? undefined : this.#schema(node), refs);
    const inputs = refs.flatMap((name) => this.#inputs(name, node));
    const nones = noneMask(node.meta.val);
    return {
      name: node.name,
      opType: node.target,
      inputs,
      outputs,
      attrs: nones === undefined ? attrs : new Map([...attrs, [OUTPUT_NONES, nones]]),
    };
  }

  #schema(node: Node): OpSchema {
    const { target } = node;
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
    const schema = this.#options.operators.schemaOf(target);
    if (schema === undefined)
      throw jsonIRUnsupported(
        `${target} has no schema, so its arguments have no names`,
        nodeWhere(node),
        target.includes("higher_order") ? GRAPH : "give the operator in a plugin of the session",
      );
    this.#targets.set(target, schema);
    return schema;
  }

  /** What a node takes where it names another one. */
  #inputs(name: string, user: Node): JsonIRInput[] {
    const source = this.#program.graph.node(name);
    const isState = this.#state.has(name);
    if (isState) return [this.#tensor(name, source.meta.val, user)];
    const tensors = this.#results(source);
    if ((tensors.length !== 1 || Array.isArray(source.meta.val)) && user.target !== GETITEM)
      throw jsonIRUnsupported(`the node takes "${name}", which is not one tensor`, nodeWhere(user), GRAPH);
    return tensors.map((tensor, index) => ({ ...tensor, producerNode: name, producerOutputIdx: index }));
  }

  #results(node: Node): JsonIRTensor[] {
    const { val } = node.meta;
    if (val === undefined || val === null) return [];
    if (!Array.isArray(val)) return [this.#tensor(node.name, val, node)];
    return (val as readonly MetaValue[]).flatMap((item, index) =>
      item === null ? [] : [this.#tensor(`${node.name}_${index}`, item, node)],
    );
  }

  #tensor(name: string, val: MetaValue | undefined, node: Node): JsonIRTensor {
    if (isSymScalar(val)) return { name, shape: [], dtype: SCALAR_DTYPES[val.kind], scalar: val };
    if (!(val instanceof FakeTensor))
      throw jsonIRUnsupported(`the value of "${node.name}" is not a tensor`, nodeWhere(node), GRAPH);
    const { dtype, shape } = val;
    return { name, shape, dtype };
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
      return [this.#tensor(arg.name, node.meta.val, node)];
    });
  }

  /** The outputs that are written back, in order. */
  #mutations(): JsonIRMutation[] {
    const { graph, graphSignature } = this.#program;
    return graphSignature.outputSpecs.flatMap(({ arg, kind, target }) => {
      if (!isWritten(kind) || target === null) return [];
      const node = graph.node(arg.name);
      return [{ ...this.#tensor(arg.name, node.meta.val, node), kind, target }];
    });
  }

  /** The symbols, with their ranges and examples. */
  #symbols(): Map<string, JsonIRSymbol> {
    const { rangeConstraints, symbolHints, graph } = this.#program;
    const symbols = new Map<string, JsonIRSymbol>();
    for (const name of symbolsOf(graph)) {
      const { min, max } = rangeConstraints.get(name) ?? { min: Number.NEGATIVE_INFINITY, max: Infinity };
      symbols.set(name, { min, max, hint: symbolHints.get(name) });
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

/** The names of the symbols in the values of a graph, in the order of their first. */
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
  for (const { meta } of graph.nodes()) visit(meta.val);
  return names;
}

/** Which of several results are absent; undefined where none is. */
function noneMask(val: MetaValue | undefined): readonly boolean[] | undefined {
  if (!Array.isArray(val)) return undefined;
  const mask = (val as readonly MetaValue[]).map((item) => item === null);
  return mask.includes(true) ? mask : undefined;
}
