/** @file One graph of a program as JSON IR, nested ones included. */
import {
  type Argument,
  FakeTensor,
  forEachRef,
  type Graph,
  isFloat,
  isInt,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  nodeWhere,
  type OperatorLookup,
  type OpSchema,
  type SymScalar,
  symBool,
  symFloat,
  symInt,
  toNumber,
} from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import { nodeAttributes } from "./extract-call.js";
import { looseAttribute } from "./loose.js";
import {
  DEEPEST_SUBGRAPH,
  GET_ATTR,
  GETITEM,
  isLooseCall,
  isScalarFunction,
  type JsonIRAttribute,
  type JsonIRGraph,
  type JsonIRInput,
  type JsonIRNode,
  type JsonIRTensor,
  OUTPUT_NONES,
} from "./types.js";

/** What to do about a part that JSON IR does not have. */
export const GRAPH = "run the program itself, or leave that part of the model out of the JSON";

/** What other tools read a symbolic scalar as: a tensor of no dimensions. */
const SCALAR_DTYPES: Readonly<Record<SymScalar["kind"], DType>> = {
  SymInt: "int64",
  SymFloat: "float64",
  SymBool: "bool",
};

const NO_STATE: ReadonlyMap<string, string> = new Map();

/** What the graphs of a program share. */
export class ExtractContext {
  readonly #operators: OperatorLookup;
  readonly #schemas = new Map<string, OpSchema>();
  /** Nested graphs that were described; undefined for those that are being described. */
  readonly #nested = new Map<Graph, JsonIRGraph | undefined>();

  constructor(operators: OperatorLookup) {
    this.#operators = operators;
  }

  /** Returns the schema of an operator. @throws SconceError `JSON_IR_UNSUPPORTED` */
  schema(target: string, where: string): OpSchema {
    const schema = this.#schemas.get(target) ?? this.#operators.schemaOf(target);
    if (schema === undefined)
      throw jsonIRUnsupported(
        `${target} has no schema, so its arguments have no names`,
        where,
        "give the operator in a plugin of the session",
      );
    this.#schemas.set(target, schema);
    return schema;
  }

  /** Returns a nested graph; one that several calls take is described once. */
  nested(graph: Graph, path: readonly string[], where: string): JsonIRGraph {
    const known = this.#nested.get(graph);
    if (known !== undefined) return known;
    if (this.#nested.has(graph) || path.length > DEEPEST_SUBGRAPH)
      throw jsonIRUnsupported(`graphs nest deeper than ${DEEPEST_SUBGRAPH}`, where, GRAPH);
    this.#nested.set(graph, undefined);
    const described = new GraphExtraction(this, graph, path).nested();
    this.#nested.set(graph, described);
    return described;
  }
}

/** The parts of a graph: inputs, state, calls, nested graphs. */
export type GraphParts = Pick<JsonIRGraph, "graphInputs" | "nodes" | "subgraphs"> & {
  readonly weights: readonly JsonIRTensor[];
};

export class GraphExtraction {
  readonly #context: ExtractContext;
  readonly #graph: Graph;
  /** The targets of the nested graphs that lead here; none at the top. */
  readonly #path: readonly string[];
  /** The placeholders of state, with the names that the model has for them. */
  readonly #state: ReadonlyMap<string, string>;

  constructor(
    context: ExtractContext,
    graph: Graph,
    path: readonly string[] = [],
    state: ReadonlyMap<string, string> = NO_STATE,
  ) {
    this.#context = context;
    this.#graph = graph;
    this.#path = path;
    this.#state = state;
  }

  /** @throws SconceError `JSON_IR_UNSUPPORTED`, with the node */
  parts(): GraphParts {
    const graphInputs: JsonIRTensor[] = [];
    const weights: JsonIRTensor[] = [];
    const nodes: JsonIRNode[] = [];
    const subgraphs = new Map<string, JsonIRGraph>();
    for (const node of this.#graph.nodes()) {
      if (node.op === "placeholder") this.#placeholder(node, graphInputs, weights);
      else if (node.op === "call_function") nodes.push(this.#call(node));
      else if (node.op === "get_attr") nodes.push(this.#read(node, subgraphs));
    }
    return { graphInputs, weights, nodes, ...(subgraphs.size > 0 && { subgraphs }) };
  }

  /** Returns a nested graph, whose signature is its placeholders and its output. */
  nested(): JsonIRGraph {
    const { graphInputs, nodes, subgraphs } = this.parts();
    const output = this.#graph.outputNode();
    const returned = output.args[0] ?? null;
    const graphOutputs: JsonIRTensor[] = [];
    forEachRef(returned, (name) => {
      graphOutputs.push(...this.#results(this.#graph.node(name)));
    });
    const isPlain = !isRef(returned) && itemsOf(returned)?.every(isRef) === true && !Array.isArray(returned);
    return {
      graphInputs,
      graphOutputs,
      nodes,
      ...(!isPlain && { result: looseAttribute(returned, (node) => node) }),
      ...(subgraphs !== undefined && { subgraphs }),
    };
  }

  #where(node: Node): string {
    const where = nodeWhere(node);
    return this.#path.length === 0 ? where : `graph ${this.#path.join(".")}, ${where}`;
  }

  #placeholder(node: Node, inputs: JsonIRTensor[], weights: JsonIRTensor[]): void {
    const { val } = node.meta;
    const target = this.#state.get(node.name);
    // Constants of the call have no place in the graph: nothing reads them.
    const isConstant = !(val instanceof FakeTensor) && !isSymScalar(val) && target === undefined;
    if (isConstant && this.#path.length === 0 && this.#graph.users(node.name).length === 0) return;
    const tensor = this.tensor(target ?? node.name, val, node);
    if (target === undefined) inputs.push(tensor);
    else weights.push(tensor);
  }

  /** Returns a node that reads a nested graph. */
  #read(node: Node, subgraphs: Map<string, JsonIRGraph>): JsonIRNode {
    const { name, target } = node;
    const graph = this.#graph.subgraphs.get(target);
    if (graph === undefined)
      throw jsonIRUnsupported(`the node reads "${target}", which is not a graph`, this.#where(node), GRAPH);
    if (!subgraphs.has(target))
      subgraphs.set(target, this.#context.nested(graph, [...this.#path, target], this.#where(node)));
    const attrs = new Map<string, JsonIRAttribute>([["target", target]]);
    return { name, opType: GET_ATTR, inputs: [], outputs: [], attrs };
  }

  #call(node: Node): JsonIRNode {
    const outputs = this.#results(node);
    const isLoose = isLooseCall(node.target);
    const isFunction = isLoose || node.target === GETITEM || isScalarFunction(node.target);
    const schema = isFunction ? undefined : this.#context.schema(node.target, this.#where(node));
    const refs: string[] = [];
    const isValue = (name: string): boolean => this.#graph.find(name)?.op !== "get_attr";
    const attrs = nodeAttributes(node, schema, refs, isValue);
    const inputs = refs.flatMap((name) => this.#inputs(name, node));
    const nones = noneMask(node.meta.val, isLoose);
    return {
      name: node.name,
      opType: node.target,
      inputs,
      outputs,
      attrs: nones === undefined ? attrs : new Map([...attrs, [OUTPUT_NONES, nones]]),
    };
  }

  /** Returns what a node takes where it names another one. */
  #inputs(name: string, user: Node): JsonIRInput[] {
    const source = this.#graph.node(name);
    if (this.#state.has(name)) return [this.tensor(name, source.meta.val, user)];
    const tensors = this.#results(source);
    if ((tensors.length !== 1 || Array.isArray(source.meta.val)) && user.target !== GETITEM)
      throw jsonIRUnsupported(`the node takes "${name}", which is not one tensor`, this.#where(user), GRAPH);
    return tensors.map((tensor, index) => ({ ...tensor, producerNode: name, producerOutputIdx: index }));
  }

  #results(node: Node): JsonIRTensor[] {
    const { val } = node.meta;
    if (val === undefined || val === null) return [];
    if (!Array.isArray(val)) return [this.tensor(node.name, val, node)];
    return (val as readonly MetaValue[]).flatMap((item, index) =>
      item === null ? [] : [this.tensor(`${node.name}_${index}`, item, node)],
    );
  }

  /**
   * Returns a value under a name. @throws SconceError `JSON_IR_UNSUPPORTED` for objects and lists
   */
  tensor(name: string, val: MetaValue | undefined, node: Node): JsonIRTensor {
    const scalar = scalarOf(val);
    if (scalar !== undefined) return { name, shape: [], dtype: SCALAR_DTYPES[scalar.kind], scalar };
    if (!(val instanceof FakeTensor))
      throw jsonIRUnsupported(`the value of "${node.name}" is not a tensor`, this.#where(node), GRAPH);
    const { dtype, shape } = val;
    return { name, shape, dtype };
  }
}

/** Returns a symbolic scalar, or a constant as one: a scalar that turned out to be static. */
function scalarOf(val: MetaValue | undefined): SymScalar | undefined {
  if (isSymScalar(val)) return val;
  if (val === null || typeof val !== "object" || !("kind" in val) || val.kind !== "constant")
    return undefined;
  const value: Argument = val.value;
  if (typeof value === "boolean") return symBool(value);
  if (isInt(value)) return Number.isSafeInteger(Number(value)) ? symInt(Number(value)) : undefined;
  return isFloat(value) ? symFloat(toNumber(value)) : undefined;
}

/**
 * Returns which of several results are absent; undefined where none is. A call without a schema
 * says so where it gives an empty tuple.
 */
function noneMask(val: MetaValue | undefined, isLoose: boolean): readonly boolean[] | undefined {
  if (!Array.isArray(val)) return undefined;
  const mask = (val as readonly MetaValue[]).map((item) => item === null);
  return mask.includes(true) || (isLoose && mask.length === 0) ? mask : undefined;
}
