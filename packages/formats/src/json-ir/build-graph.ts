/** @file One graph that JSON IR describes, nested ones included. */
import {
  type Argument,
  FakeTensor,
  forEachRef,
  type Graph,
  GraphBuilder,
  type MetaValue,
  mapRefs,
  NO_KWARGS,
  type Node,
  type NodeRef,
  type OperatorLookup,
  type OpSchema,
  outputValue,
  ref,
  type SchemaArgument,
  type SymScalar,
  symContiguousStrides,
  tuple,
  typeText,
} from "@sconce/ir";
import { freeSymbols, SymExpr, type SymValue } from "@sconce/symbolic";
import { jsonIRGraph } from "../errors.js";
import { SymbolBindings } from "../pt2/unbacked.js";
import { bindCall, Misfit } from "./bind.js";
import { looseArgument } from "./loose.js";
import {
  DEEPEST_SUBGRAPH,
  FUNCTION_ARGS,
  FUNCTION_KWARGS,
  GET_ATTR,
  GETITEM,
  isLooseCall,
  isScalarFunction,
  type JsonIR,
  type JsonIRAttribute,
  type JsonIRDict,
  type JsonIRGraph,
  type JsonIRInput,
  type JsonIRNode,
  type JsonIRTensor,
  OUTPUT_NONES,
} from "./types.js";

/** The type of a value, without its name. */
export type TensorType = Pick<JsonIRTensor, "dtype" | "shape" | "scalar">;

const fake = ({ dtype, shape, scalar }: JsonIRTensor): FakeTensor | SymScalar =>
  scalar ?? new FakeTensor({ dtype, shape, strides: symContiguousStrides(shape) });

/** Returns a type as errors name it. */
export const textOf = (type: TensorType): string =>
  type.scalar === undefined ? typeText(type) : `${type.scalar.kind} ${String(type.scalar.expr)}`;
export const sameType = (a: TensorType, b: TensorType): boolean => textOf(a) === textOf(b);

/** What a name of the graph represents. */
interface Source {
  readonly outputs: readonly JsonIRTensor[];
  /** Whether the node gives several results, which are taken by position. */
  readonly isTuple: boolean;
  /** The position of each output among the results. */
  readonly positions: readonly number[];
  /** What is recorded of the value. */
  readonly val: MetaValue | undefined;
}

type Symbols = JsonIR["symbols"];

/** What the graphs of a program share. */
export class BuildContext {
  readonly operators: OperatorLookup;
  readonly #symbols: Symbols;
  /** Nested graphs that were built; undefined for those that are being built. */
  readonly #nested = new Map<JsonIRGraph, Graph | undefined>();

  constructor(operators: OperatorLookup, symbols: Symbols) {
    this.operators = operators;
    this.#symbols = symbols;
  }

  /** Returns a nested graph; one that stands in several places is built once. */
  nested(graph: JsonIRGraph, path: string, depth: number): Graph {
    const known = this.#nested.get(graph);
    if (known !== undefined) return known;
    if (this.#nested.has(graph) || depth > DEEPEST_SUBGRAPH)
      throw jsonIRGraph(`graphs nest deeper than ${DEEPEST_SUBGRAPH}`, path);
    this.#nested.set(graph, undefined);
    const built = new GraphReconstruction(this, graph, `${path}.`, depth).nested(graph);
    this.#nested.set(graph, built);
    return built;
  }

  /** Checks that the symbols of a size are declared. @throws SconceError `JSON_IR_GRAPH` */
  checkSymbols(value: SymValue, where: string): void {
    if (!(value instanceof SymExpr)) return;
    for (const symbol of freeSymbols(value).keys())
      if (this.#symbols?.has(symbol) !== true)
        throw jsonIRGraph(
          `"${symbol}" is not one of the symbols`,
          where,
          "declare the range of each symbol of dynamic sizes in `symbols`",
        );
  }
}

/** Builds one graph. */
export class GraphReconstruction {
  readonly #context: BuildContext;
  readonly #graph: Omit<JsonIRGraph, "result">;
  readonly #path: string;
  readonly #depth: number;
  readonly #builder: GraphBuilder;
  readonly #sources = new Map<string, Source>();
  /** Nodes that read nested graphs, and their targets. */
  readonly #reads = new Map<string, string>();
  /** Results of calls that give several, by their names. */
  readonly #results = new Map<string, { readonly node: JsonIRNode; readonly index: number }>();
  /** Sizes that only the data decide, by the nodes that give them first. */
  readonly #bindings = new SymbolBindings();

  constructor(context: BuildContext, graph: Omit<JsonIRGraph, "result">, path = "", depth = 0) {
    this.#context = context;
    this.#graph = graph;
    this.#path = path;
    this.#depth = depth;
    this.#builder = new GraphBuilder({ operators: context.operators });
  }

  /** Adds an input. @throws SconceError `JSON_IR_GRAPH` */
  placeholder(name: string, tensor: JsonIRTensor, where: string): void {
    const val = fake(tensor);
    this.#claim(name, { outputs: [tensor], isTuple: false, positions: [0], val }, where);
    this.#builder.placeholder(name, { val });
  }

  /** Adds the calls. @throws SconceError `JSON_IR_GRAPH` */
  nodes(): void {
    this.#graph.nodes.forEach((node, i) => {
      const where = `${this.#path}nodes[${i}]`;
      if (node.opType === GET_ATTR) this.#read(node, where);
      else this.#node(node, where);
    });
    const read = new Set(this.#reads.values());
    for (const target of this.#graph.subgraphs?.keys() ?? [])
      if (!read.has(target)) throw jsonIRGraph("no node reads the graph", this.#subgraphPath(target));
  }

  /** Ends the graph. */
  end(result: Argument): Graph {
    this.#builder.output(result, { val: outputValue(result, (name) => this.#sources.get(name)?.val) });
    return this.#builder.build();
  }

  /** Returns the whole of a nested graph. @throws SconceError `JSON_IR_GRAPH` */
  nested({ graphInputs, graphOutputs, result }: JsonIRGraph): Graph {
    graphInputs.forEach((input, i) => {
      this.placeholder(input.name, input, `${this.#path}graph_inputs[${i}]`);
    });
    this.nodes();
    if (result !== undefined) return this.end(this.#result(result, graphOutputs));
    return this.end(
      tuple(graphOutputs.map((output, i) => ref(this.output(output, `${this.#path}graph_outputs[${i}]`)))),
    );
  }

  /**
   * Returns what a nested graph returns. @throws SconceError `JSON_IR_GRAPH` where its outputs are
   * others
   */
  #result(result: JsonIRAttribute, outputs: readonly JsonIRTensor[]): Argument {
    const where = `${this.#path}result`;
    const returned = looseArgument(
      result,
      () => {
        throw jsonIRGraph("a result names nodes, not inputs", where);
      },
      ({ name }) => {
        if (this.#sources.has(name)) return ref(name);
        throw jsonIRGraph(`no node gives "${name}"`, where);
      },
    );
    const given: JsonIRTensor[] = [];
    forEachRef(returned, (name) => {
      given.push(...this.#sources.get(name)!.outputs);
    });
    const isSame = given.length === outputs.length;
    if (!isSame || !given.every((one, i) => one.name === outputs[i]!.name && sameType(one, outputs[i]!)))
      throw jsonIRGraph("the outputs of the graph are not those of its result", `${this.#path}graph_outputs`);
    return returned;
  }

  #subgraphPath(target: string): string {
    return `${this.#path}subgraphs[${JSON.stringify(target)}]`;
  }

  /** @throws SconceError `JSON_IR_GRAPH` for a name that cannot be given */
  #checkName(name: string, where: string): void {
    if (this.#sources.has(name) || this.#reads.has(name) || name === "output")
      throw jsonIRGraph(`the name ${JSON.stringify(name)} is taken`, where);
    if (name === "") throw jsonIRGraph("the name is empty", where);
  }

  /** Claims a name of the graph. @throws SconceError `JSON_IR_GRAPH` */
  #claim(name: string, source: Source, where: string): void {
    this.#checkName(name, where);
    for (const { shape, scalar } of source.outputs)
      for (const value of scalar === undefined ? shape : [scalar.expr])
        this.#context.checkSymbols(value, where);
    this.#sources.set(name, source);
  }

  /** A node that reads a nested graph. */
  #read({ name, inputs, outputs, attrs }: JsonIRNode, where: string): void {
    const target = attrs.get("target");
    if (typeof target !== "string" || attrs.size > 1 || inputs.length > 0 || outputs.length > 0)
      throw jsonIRGraph("a node that reads a graph has the attribute target, and nothing else", where);
    const graph = this.#graph.subgraphs?.get(target);
    if (graph === undefined)
      throw jsonIRGraph(`${JSON.stringify(target)} is not one of the nested graphs`, `${where}.attrs.target`);
    const built = this.#context.nested(graph, this.#subgraphPath(target), this.#depth + 1);
    this.#checkName(name, `${where}.name`);
    this.#reads.set(name, target);
    this.#builder.getAttr(name, target, built);
  }

  #node(node: JsonIRNode, where: string): void {
    const positions = resultPositions(node, where);
    const isLoose = isLooseCall(node.opType);
    const isFunction = isLoose || node.opType === GETITEM || isScalarFunction(node.opType);
    const schema = isFunction ? undefined : this.#schema(node, where);
    const isTuple = isLoose ? givesLooseTuple(node) : schema !== undefined && givesTuple(schema);
    if (!isTuple && node.outputs.length > 1)
      throw jsonIRGraph(`${node.opType} does not give ${node.outputs.length} results`, `${where}.outputs`);
    const call = this.#arguments(node, schema, where);
    const val = isTuple ? tupleValue(node, positions) : singleValue(node, isLoose);
    this.#claim(node.name, { outputs: node.outputs, isTuple, positions, val }, `${where}.name`);
    node.outputs.forEach(({ name }, index) => {
      if (!this.#results.has(name)) this.#results.set(name, { node, index });
    });
    const unbackedBindings = this.#bindings.bind(val);
    const meta = val === undefined ? {} : { val, ...(unbackedBindings && { unbackedBindings }) };
    this.#builder.add({ name: node.name, op: "call_function", target: node.opType, ...call, meta });
  }

  #arguments(node: JsonIRNode, schema: OpSchema | undefined, where: string): Pick<Node, "args" | "kwargs"> {
    if (schema !== undefined) return this.#call(node, schema, where);
    if (isLooseCall(node.opType)) return this.#looseCall(node, where);
    return node.opType === GETITEM ? this.#getitem(node, where) : this.#scalarCall(node, where);
  }

  /** Returns the arguments of a function of Python on scalars. */
  #scalarCall({ attrs, outputs, inputs }: JsonIRNode, where: string): Pick<Node, "args" | "kwargs"> {
    const given = attrs.get(FUNCTION_ARGS);
    if (!Array.isArray(given) || attrs.size > 1)
      throw jsonIRGraph("a function of scalars takes the list args, and nothing else", `${where}.attrs`);
    if (inputs.length > 0) throw jsonIRGraph("a function of scalars takes no tensors", `${where}.inputs`);
    if (outputs.length !== 1 || outputs[0]!.scalar === undefined)
      throw jsonIRGraph("a function of scalars gives one scalar", `${where}.outputs`);
    const args = (given as readonly JsonIRAttribute[]).map((value, i) =>
      this.#scalars(value as Argument, `${where}.attrs.${FUNCTION_ARGS}[${i}]`),
    );
    return { args, kwargs: NO_KWARGS };
  }

  /** Checks the nodes among the values of an attribute: those of scalars that are there already. */
  #scalars(value: Argument, where: string): Argument {
    return mapRefs(value, ({ name }) => {
      const source = this.#sources.get(name);
      if (source?.isTuple === false && source.outputs[0]?.scalar !== undefined) return ref(name);
      throw jsonIRGraph(`no node before it gives the scalar "${name}"`, where);
    });
  }

  /** Returns the arguments of a call whose arguments have no names. */
  #looseCall({ attrs, inputs, name, opType }: JsonIRNode, where: string): Pick<Node, "args" | "kwargs"> {
    const args = attrs.get(FUNCTION_ARGS);
    const named = attrs.get(FUNCTION_KWARGS) ?? NO_ENTRIES;
    const others = [...attrs.keys()].filter((key) => !LOOSE_ATTRIBUTES.has(key));
    if (!Array.isArray(args) || !isDict(named) || others.length > 0)
      throw jsonIRGraph(
        `${opType} takes the list args and the dict kwargs, and nothing else`,
        `${where}.attrs`,
      );
    const values = inputs.map((input, i) =>
      this.#input(input, { name, inputs, opType, outputs: [], attrs }, `${where}.inputs[${i}]`),
    );
    const used = new Set<number>();
    const argument = (value: JsonIRAttribute, at: string): Argument =>
      looseArgument(
        value,
        (index) => {
          used.add(index);
          if (index < values.length) return values[index]!;
          throw jsonIRGraph(`the node has no input ${index}`, at);
        },
        ({ name: read }) => {
          if (this.#reads.has(read)) return ref(read);
          throw jsonIRGraph(`no node before it reads the graph "${read}"`, at);
        },
      );
    const call = {
      args: (args as readonly JsonIRAttribute[]).map((value, i) =>
        argument(value, `${where}.attrs.${FUNCTION_ARGS}[${i}]`),
      ),
      kwargs: this.#named(named, argument, `${where}.attrs.${FUNCTION_KWARGS}`),
    };
    if (used.size < inputs.length)
      throw jsonIRGraph("an input is not among the arguments", `${where}.inputs`);
    return call;
  }

  #named(
    { entries }: JsonIRDict,
    argument: (value: JsonIRAttribute, at: string) => Argument,
    where: string,
  ): Node["kwargs"] {
    // Copies of an object do not keep it.
    if (entries.some(([key]) => key === "__proto__"))
      throw jsonIRGraph("an argument cannot have the name __proto__", where);
    if (entries.length === 0) return NO_KWARGS;
    return Object.fromEntries(entries.map(([key, value]) => [key, argument(value, `${where}.${key}`)]));
  }

  #schema({ opType }: JsonIRNode, where: string): OpSchema {
    const schema = this.#context.operators.schemaOf(opType);
    const refusal = this.#context.operators.refusalOf?.(opType);
    if (refusal !== undefined) throw refusal.at(`${where}.op_type`);
    if (schema !== undefined) return schema;
    throw jsonIRGraph(
      `${JSON.stringify(opType)} is not an operator`,
      `${where}.op_type`,
      "give a custom operator in a plugin of the session; operators are written as `aten.add.Tensor`",
    );
  }

  #call(node: JsonIRNode, schema: OpSchema, where: string): Pick<Node, "args" | "kwargs"> {
    const bound = bindCall(schema, { inputs: node.inputs.length, attrs: node.attrs });
    if (bound instanceof Misfit) {
      const at = bound.attribute === undefined ? `${where}.inputs` : `${where}.attrs.${bound.attribute}`;
      throw jsonIRGraph(`node "${node.name}": ${bound.reason}`, at);
    }
    const inputs = node.inputs.map((input, i) => this.#input(input, node, `${where}.inputs[${i}]`));
    const resolve = ({ name }: NodeRef): Argument => inputs[Number(name)]!;
    const resolved = (value: Argument, { name, type }: SchemaArgument): Argument =>
      type.base === "Tensor" ? mapRefs(value, resolve) : this.#scalars(value, `${where}.attrs.${name}`);
    const args: Argument[] = [];
    const kwargs: [string, Argument][] = [];
    // Arguments behind one that is left out are given by name.
    let isPositional = true;
    for (const argument of schema.args) {
      const { name, kwargOnly, type } = argument;
      let value = bound.get(name);
      if (
        value === undefined &&
        type.optional &&
        type.base === "Tensor" &&
        isPositional &&
        !kwargOnly &&
        laterPositional(schema, name, bound)
      )
        value = null;
      if (value === undefined) isPositional = false;
      else if (isPositional && !kwargOnly) args.push(resolved(value, argument));
      else kwargs.push([name, resolved(value, argument)]);
    }
    return { args, kwargs: kwargs.length === 0 ? NO_KWARGS : Object.fromEntries(kwargs) };
  }

  #getitem(node: JsonIRNode, where: string): Pick<Node, "args" | "kwargs"> {
    const [first] = node.inputs;
    const index = node.attrs.get("index");
    const producer = first?.producerNode;
    const source = producer === undefined ? undefined : this.#sources.get(producer);
    if (source === undefined || node.inputs.some(({ producerNode }) => producerNode !== producer))
      throw jsonIRGraph(`node "${node.name}" takes an item of one node before it`, `${where}.inputs`);
    const taken = typeof index === "number" ? source.outputs[positionOf(index, source)] : undefined;
    if (!source.isTuple || taken === undefined)
      throw jsonIRGraph(`"${producer}" has no such result`, `${where}.attrs.index`);
    if (node.outputs.length !== 1 || !sameType(taken, node.outputs[0]!))
      throw jsonIRGraph(`the result is ${textOf(taken)}`, `${where}.outputs`);
    return { args: [ref(producer!), index as number], kwargs: NO_KWARGS };
  }

  /** Returns the node that an input names. */
  #input(input: JsonIRInput, user: JsonIRNode, where: string): NodeRef {
    const { producerNode, producerOutputIdx = 0 } = input;
    const name = producerNode ?? input.name;
    const source = this.#sources.get(name);
    if (source === undefined)
      throw jsonIRGraph(
        producerNode === undefined
          ? `"${name}" is neither an input of the graph nor one of the weights`
          : `node "${user.name}" takes "${name}", which no node before it gives`,
        where,
        "write the nodes in the order in which they run",
      );
    const tensor = source.outputs[producerOutputIdx];
    if (tensor === undefined) throw jsonIRGraph(`"${name}" has no output ${producerOutputIdx}`, where);
    if (!sameType(tensor, input))
      throw jsonIRGraph(`"${name}" is ${textOf(tensor)}, not ${textOf(input)}`, where);
    return source.isTuple ? this.#item(name, source.positions[producerOutputIdx]!, tensor, where) : ref(name);
  }

  /** One of several results, taken by a separate node. */
  #item(name: string, position: number, tensor: JsonIRTensor, where: string): NodeRef {
    const item = `${name}_item_${position}`;
    if (!this.#sources.has(item)) {
      this.#claim(item, { outputs: [tensor], isTuple: false, positions: [0], val: fake(tensor) }, where);
      this.#builder.call(item, GETITEM, [ref(name), position], NO_KWARGS, { val: fake(tensor) });
    }
    return ref(item);
  }

  /** Returns the node that gives an output of the graph. @throws SconceError `JSON_IR_GRAPH` */
  output(output: JsonIRTensor, where: string): string {
    const source = this.#sources.get(output.name);
    if (source !== undefined && !source.isTuple && source.outputs.length === 1) {
      if (!sameType(source.outputs[0]!, output))
        throw jsonIRGraph(`"${output.name}" is ${textOf(source.outputs[0]!)}, not ${textOf(output)}`, where);
      return output.name;
    }
    const made = this.#results.get(output.name);
    if (made === undefined) throw jsonIRGraph(`no node gives "${output.name}"`, where);
    const input = { ...output, producerNode: made.node.name, producerOutputIdx: made.index };
    return this.#input(input, made.node, where).name;
  }
}

const NO_ENTRIES: JsonIRDict = { kind: "dict", entries: [] };
const LOOSE_ATTRIBUTES: ReadonlySet<string> = new Set([FUNCTION_ARGS, FUNCTION_KWARGS, OUTPUT_NONES]);

const isDict = (value: JsonIRAttribute): value is JsonIRDict =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "dict";

/**
 * Returns whether a call without a schema gives a tuple. One that gives one value has that value
 * under its own name.
 */
const givesLooseTuple = ({ name, outputs, attrs }: JsonIRNode): boolean =>
  attrs.has(OUTPUT_NONES) || (outputs.length > 0 && !(outputs.length === 1 && outputs[0]!.name === name));

/** Returns which output a result is; positions are in order, and mostly without gaps. */
const positionOf = (result: number, { positions }: Source): number =>
  positions[result] === result ? result : positions.indexOf(result);

/** Returns whether calls of an operator give a tuple or a list. */
const givesTuple = ({ returns }: OpSchema): boolean => returns.length > 1 || returns[0]?.type.list === true;

/** Returns the positions of the outputs among the results. @throws SconceError `JSON_IR_GRAPH` */
function resultPositions(node: JsonIRNode, where: string): number[] {
  const mask = node.attrs.get(OUTPUT_NONES);
  if (mask === undefined) return node.outputs.map((_, i) => i);
  const positions = Array.isArray(mask) ? mask.flatMap((isNone, i) => (isNone === false ? [i] : [])) : [];
  if (positions.length !== node.outputs.length)
    throw jsonIRGraph(
      `the mask does not have ${node.outputs.length} results`,
      `${where}.attrs.${OUTPUT_NONES}`,
    );
  return positions;
}

/**
 * Returns the value of a call that gives one. A call without a schema that gives nothing returns
 * None in Python.
 */
const singleValue = ({ outputs: [output] }: JsonIRNode, isLoose: boolean): MetaValue | undefined =>
  output === undefined ? (isLoose ? null : undefined) : fake(output);

function tupleValue({ outputs, attrs }: JsonIRNode, positions: readonly number[]): readonly MetaValue[] {
  const mask = attrs.get(OUTPUT_NONES);
  const vals: MetaValue[] = Array.from(
    { length: Array.isArray(mask) ? mask.length : outputs.length },
    () => null,
  );
  positions.forEach((position, i) => {
    vals[position] = fake(outputs[i]!);
  });
  return vals;
}

/** Returns whether a positional argument behind this one is given. */
function laterPositional(schema: OpSchema, name: string, bound: ReadonlyMap<string, Argument>): boolean {
  const from = schema.args.findIndex((argument) => argument.name === name);
  return schema.args.slice(from + 1).some((argument) => !argument.kwargOnly && bound.has(argument.name));
}
