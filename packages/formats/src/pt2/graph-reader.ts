/**
 * @file Graphs: from the serialized form back to nodes, as PyTorch's deserializer rebuilds them.
 */
import { finish, type Work } from "@sconce/errors";
import {
  type Argument,
  type ConstantValue,
  type Graph,
  GraphBuilder,
  HIGHER_ORDER_TARGETS,
  type MetaValue,
  Namespace,
  NO_META,
  type NodeMeta,
  type OperatorLookup,
  tuple,
} from "@sconce/ir";
import { unknownOperator } from "../errors.js";
import {
  type Place,
  type Read,
  type ReadSteps,
  readArray,
  readBoolean,
  readDict,
  readDictSteps,
  readEach,
  readObject,
} from "../json/place.js";
import { type JsonObject, type JsonValue, sameJson } from "../json/value.js";
import { argumentReader, CONSTANT_MEMBERS, readName } from "./arguments.js";
import { type Emission, emitCall, type StringMeta } from "./call-emitter.js";
import {
  argumentForm,
  type CallArguments,
  inputReader,
  looseArguments,
  overloadArguments,
  positionalArguments,
} from "./calls.js";
import type { MetadataReader } from "./metadata.js";
import { outputReader } from "./outputs.js";
import { isKnownFunction, SYMBOLIC_FUNCTIONS } from "./schema.js";
import { readTarget } from "./targets.js";
import { SymbolBindings } from "./unbacked.js";
import type { ValueReaders } from "./values.js";

/** What all graphs of one program share. */
export interface GraphContext {
  readonly values: ValueReaders;
  readonly metadata: MetadataReader;
  readonly operators: OperatorLookup | undefined;
  /** Operators without a schema are kept when they belong to a custom namespace. */
  readonly keepsUnknown: boolean;
  readonly oldKinds: boolean;
  /** A higher-order call that does not say so returns a bare tensor. */
  readonly bareReturns: boolean;
  /** Returns whether any data-dependent symbol has been read so far. */
  hasUnbacked(): boolean;
}

/** Control flow nests a few levels; a file that nests more means harm. */
const DEEPEST_SUBGRAPH = 100;

/** Names for constant inputs, which a graph alone does not have. */
export type InputName = (index: number) => string;

/** Reads a graph object. `nameOf` is asked for inputs that are constants. */
export function readGraph(context: GraphContext, nameOf: InputName, depth = 0): ReadSteps<Graph> {
  return (value, place) => new GraphReader(context, nameOf, depth).read(readObject(value, place), place);
}

class GraphReader implements Emission {
  /** PyTorch's own bookkeeping of names: it decides those of nodes that the file does not name. */
  readonly names = new Namespace();
  /** What a call names was looked up already, by the policy of the reader. */
  readonly builder = new GraphBuilder({ unknownTargets: "allow" });
  readonly #context: GraphContext;
  readonly #nameOf: InputName;
  readonly #depth: number;
  readonly #defined = new Set<string>();
  readonly #nodeNames = new Set<string>();
  readonly #argument: Read<Argument>;
  readonly #inputs: ReturnType<typeof inputReader>;
  readonly #placeholders: Readonly<Record<string, Read<void>>>;
  readonly #bindings = new SymbolBindings();
  readonly #subgraphs = new Map<string, { readonly json: JsonValue; readonly graph: Graph }>();
  #values: ReadonlyMap<string, MetaValue> = new Map();
  #inputIndex = 0;
  /** `get_attr` nodes that the arguments of the current call need before it. */
  #pendingGraphs: { name: string; target: string; graph: Graph }[] = [];

  constructor(context: GraphContext, nameOf: InputName, depth: number) {
    this.#context = context;
    this.#nameOf = nameOf;
    this.#depth = depth;
    this.#argument = argumentReader({
      use: (name, place) => this.#use(name, place),
      subgraph: (value, place) => this.#subgraph(value, place),
    });
    this.#inputs = inputReader(this.#argument, context.oldKinds);
    this.#placeholders = this.#placeholderReaders();
  }

  *read(graph: JsonObject, place: Place): Work<Graph> {
    this.#values = yield* this.#readValues(graph, place);
    place.field(graph, "inputs", (value, at) => {
      readArray(value, at).forEach((input, i) => {
        this.#inputIndex = i;
        at.at(i, input, (inner) => at.union(inner, this.#placeholders));
      });
    });
    yield* place.fieldSteps(graph, "nodes", readEach(this.#node));
    yield;
    const bare = place.optional(graph, "is_single_tensor_return", readBoolean, false);
    const outputs = place.field(graph, "outputs", (value, at) =>
      readArray(value, at).map((output, i) => at.at(i, output, this.#argument)),
    );
    if (bare && outputs.length !== 1) {
      throw place.fail("PT2_SIGNATURE", `a graph with a single bare result has ${outputs.length} outputs`);
    }
    const val = outputs.map((output) => this.#valueOf(output));
    this.builder.output(bare ? outputs[0]! : tuple(outputs), { val: bare ? val[0]! : val });
    return this.builder.build();
  }

  *#readValues(graph: JsonObject, place: Place): Work<Map<string, MetaValue>> {
    const { tensor, symInt, symFloat, symBool, customObject } = this.#context.values;
    const values = yield* place.fieldSteps(graph, "tensor_values", readDictSteps<MetaValue>(tensor));
    yield;
    const merge = (key: string, table: ReadonlyMap<string, MetaValue>): void => {
      for (const [name, value] of table) {
        if (values.has(name))
          throw place.fail("PT2_NAME", `"${name}" in ${key} is in another table of values too`);
        values.set(name, value);
      }
    };
    merge("sym_int_values", place.field(graph, "sym_int_values", readDict(symInt)));
    merge("sym_bool_values", place.field(graph, "sym_bool_values", readDict(symBool)));
    merge("sym_float_values", place.optional(graph, "sym_float_values", readDict(symFloat), new Map()));
    merge(
      "custom_obj_values",
      place.optional(graph, "custom_obj_values", readDict<MetaValue>(customObject), new Map()),
    );
    return values;
  }

  #valueOf(argument: Argument): MetaValue {
    if (typeof argument === "object" && argument !== null && "kind" in argument && argument.kind === "node") {
      return this.#values.get(argument.name) ?? null;
    }
    return argument === null ? null : { kind: "constant", value: argument };
  }

  #use(name: string, place: Place): void {
    if (!this.#defined.has(name))
      throw place.fail("PT2_NAME", `"${name}" is used before it is defined, or nowhere defined`);
  }

  meta(val: MetaValue | undefined, rest: StringMeta): NodeMeta {
    if (val === undefined) return rest;
    const unbackedBindings = this.#context.hasUnbacked() ? this.#bindings.bind(val) : undefined;
    return unbackedBindings === undefined ? { val, ...rest } : { val, ...rest, unbackedBindings };
  }

  /** Claims a node name; every node of a graph has its own. */
  claim(name: string, place: Place): string {
    if (this.#nodeNames.has(name)) throw place.fail("PT2_NAME", `two nodes are named "${name}"`);
    this.#nodeNames.add(name);
    return name;
  }

  /** Defines a value under its serialized name and gives its metadata. */
  define(name: string, place: Place): MetaValue {
    if (this.#defined.has(name)) throw place.fail("PT2_NAME", `"${name}" is defined twice`);
    const value = this.#values.get(name);
    if (value === undefined) throw place.fail("PT2_NAME", `"${name}" is in none of the tables of values`);
    this.#defined.add(name);
    return value;
  }

  #placeholderReaders(): Readonly<Record<string, Read<void>>> {
    const value: Read<void> = (text, place) => {
      const name = readName(text, place);
      this.#placeholder(name, this.define(name, place), place);
    };
    const named: Read<void> = (inner, place) => place.field(readObject(inner, place), "name", value);
    const symbolic: Read<void> = (inner, place) => place.union(inner, { as_name: value });
    const constant =
      (read: Read<Argument>): Read<void> =>
      (inner, place) => {
        const val: ConstantValue = { kind: "constant", value: read(inner, place) };
        const name = this.#nameOf(this.#inputIndex) || `arg${this.#inputIndex}`;
        this.#defined.add(name);
        this.#placeholder(name, val, place);
      };
    const constants = Object.entries(CONSTANT_MEMBERS).map(([tag, read]) => [tag, constant(read)] as const);
    return {
      as_tensor: named,
      as_custom_obj: named,
      as_sym_int: symbolic,
      as_sym_float: symbolic,
      as_sym_bool: symbolic,
      ...Object.fromEntries(constants),
    };
  }

  #placeholder(name: string, val: MetaValue, place: Place): void {
    this.names.create(name);
    this.builder.placeholder(this.claim(name, place), this.meta(val, NO_META));
  }

  #subgraph(value: JsonValue, place: Place): string {
    if (this.#depth >= DEEPEST_SUBGRAPH)
      throw place.fail("PT2_SUBGRAPH", `graphs nest deeper than ${DEEPEST_SUBGRAPH}`);
    const object = readObject(value, place);
    const target = place.field(object, "name", readName);
    const graph = place.field(object, "graph", (json, at) => {
      const known = this.#subgraphs.get(target);
      if (known !== undefined) {
        // Two calls may share a graph, which then stands in the file twice.
        if (sameJson(known.json, json)) return known.graph;
        throw at.fail("PT2_SUBGRAPH", `two different graphs are named "${target}"`);
      }
      const read = finish(readGraph(this.#context, () => "", this.#depth + 1)(json, at));
      this.#subgraphs.set(target, { json, graph: read });
      return read;
    });
    const name = this.claim(this.names.create(target), place);
    this.#pendingGraphs.push({ name, target, graph });
    return name;
  }

  readonly #node: Read<void> = (value, place) => {
    const object = readObject(value, place);
    const target = place.field(object, "target", readTarget);
    const name = place.optional(
      object,
      "name",
      (text, at) => (text === "" ? undefined : readName(text, at)),
      undefined,
    );
    const meta = place.field(object, "metadata", this.#context.metadata.read);
    this.#checkTarget(target, name, place);
    const call = this.#arguments(object, target, place);
    for (const pending of this.#pendingGraphs) {
      this.builder.getAttr(pending.name, pending.target, pending.graph, meta);
    }
    this.#pendingGraphs = [];
    const outputs = place.field(object, "outputs", outputReader);
    const bare = place.optional(
      object,
      "is_hop_single_tensor_return",
      readBoolean,
      this.#context.bareReturns,
    );
    const asTuple = target.startsWith("higher_order.") && !bare;
    emitCall({ target, name, meta, asTuple, ...call }, outputs, this, place);
  };

  #checkTarget(target: string, name: string | undefined, place: Place): void {
    if (HIGHER_ORDER_TARGETS.has(target) || isKnownFunction(target)) return;
    const { operators, keepsUnknown } = this.#context;
    const refusal = operators?.refusalOf?.(target)?.at(`${place}.target`);
    if (refusal !== undefined) throw refusal;
    const known = operators === undefined ? !isHostTarget(target) : operators.schemaOf(target) !== undefined;
    if (known || (keepsUnknown && !target.startsWith("aten.") && !isHostTarget(target))) return;
    const packet = target.slice(0, target.lastIndexOf("."));
    const otherOverload = operators?.schemaOf(`${packet}.default`) !== undefined;
    throw unknownOperator(target, name ?? "", `${place}.target`, otherOverload);
  }

  #arguments(object: JsonObject, target: string, place: Place): CallArguments {
    const inputs = place.field(object, "inputs", this.#inputs);
    if (SYMBOLIC_FUNCTIONS.has(target) || target === "aten.item.default") return positionalArguments(inputs);
    if (target.startsWith("higher_order.") || isKnownFunction(target)) return looseArguments(inputs, place);
    const schema = this.#context.operators?.schemaOf(target);
    const call = overloadArguments(inputs, schema, place);
    return schema === undefined ? { ...call, form: argumentForm(inputs) } : call;
  }
}

/** Without a table of operators: whatever can only be a Python function is refused. */
const isHostTarget = (target: string): boolean =>
  target.startsWith("torch.") ||
  target.startsWith("operator.") ||
  target.startsWith("math.") ||
  target.split(".").length !== 3;
