/** @file Graphs: from the serialized form back to nodes, as PyTorch's deserializer rebuilds them. */
import {
  type Argument, type ConstantValue, type Graph, GraphBuilder, type MetaValue, Namespace, type NodeMeta, NO_KWARGS,
  type OperatorLookup, ref, tuple,
} from "@sconce/ir";
import { unknownOperator } from "../errors.js";
import type { JsonObject, JsonValue } from "../json/parse.js";
import { type Place, type Read, readArray, readBoolean, readDict, readObject, readString } from "../json/place.js";
import { argumentReader, CONSTANT_MEMBERS, readName, readNamed } from "./arguments.js";
import { inputReader, looseArguments, overloadArguments, positionalArguments, type CallArguments } from "./calls.js";
import type { MetadataReader } from "./metadata.js";
import { type Output, outputReader } from "./outputs.js";
import { isKnownFunction, SYMBOLIC_FUNCTIONS } from "./schema.js";
import { readTarget } from "./targets.js";
import type { ValueReaders } from "./values.js";
import { readCustomObject } from "./values.js";

/** What all graphs of one program share. */
export interface GraphContext {
  readonly values: ValueReaders;
  readonly metadata: MetadataReader;
  readonly operators: OperatorLookup | undefined;
  readonly oldKinds: boolean;
  /** A higher-order call that does not say so returns a bare tensor. */
  readonly bareReturns: boolean;
}

/** Control flow nests a few levels; a file that nests more means harm. */
const DEEPEST_SUBGRAPH = 100;

type StringMeta = Omit<NodeMeta, "val">;

/** Names for constant inputs, which a graph alone does not tell. */
export type InputName = (index: number) => string;

/** Reads a graph object. `nameOf` is asked for inputs that are constants. */
export function readGraph(context: GraphContext, nameOf: InputName, depth = 0): Read<Graph> {
  return (value, place) => new GraphReader(context, nameOf, depth).read(readObject(value, place), place);
}

class GraphReader {
  readonly #context: GraphContext;
  readonly #nameOf: InputName;
  readonly #depth: number;
  readonly #builder = new GraphBuilder();
  /** PyTorch's own bookkeeping of names: it decides those of nodes that the file does not name. */
  readonly #names = new Namespace();
  readonly #defined = new Set<string>();
  readonly #nodeNames = new Set<string>();
  readonly #argument: Read<Argument>;
  readonly #inputs: ReturnType<typeof inputReader>;
  #values: ReadonlyMap<string, MetaValue> = new Map();
  /** `get_attr` nodes that the arguments of the current call need before it. */
  #pendingGraphs: { name: string; target: string; graph: Graph }[] = [];

  constructor(context: GraphContext, nameOf: InputName, depth: number) {
    this.#context = context;
    this.#nameOf = nameOf;
    this.#depth = depth;
    this.#argument = argumentReader({
      use: (name, place) => this.#use(name, place),
      has: (name) => this.#defined.has(name),
      subgraph: (value, place) => this.#subgraph(value, place),
    });
    this.#inputs = inputReader(this.#argument, context.oldKinds);
  }

  read(graph: JsonObject, place: Place): Graph {
    this.#values = this.#readValues(graph, place);
    place.field(graph, "inputs", (value, at) => {
      readArray(value, at).forEach((input, i) => at.at(i, input, (inner) => this.#input(inner, i, at)));
    });
    place.field(graph, "nodes", (value, at) => {
      readArray(value, at).forEach((node, i) => at.at(i, node, (inner) => this.#node(inner, at)));
    });
    const bare = place.optional(graph, "is_single_tensor_return", readBoolean, false);
    const outputs = place.field(graph, "outputs", (value, at) =>
      readArray(value, at).map((output, i) => at.at(i, output, this.#argument)));
    if (bare && outputs.length !== 1) {
      throw place.fail("PT2_SIGNATURE", `a graph with a single bare result has ${outputs.length} outputs`);
    }
    const val = outputs.map((output) => this.#valueOf(output));
    this.#builder.output(bare ? outputs[0]! : tuple(outputs), { val: bare ? val[0]! : val });
    return this.#builder.build();
  }

  #readValues(graph: JsonObject, place: Place): Map<string, MetaValue> {
    const { tensor, symInt, symFloat, symBool, customObject } = this.#context.values;
    const values = new Map<string, MetaValue>(place.field(graph, "tensor_values", readDict<MetaValue>(tensor)));
    const merge = (key: string, table: ReadonlyMap<string, MetaValue>): void => {
      for (const [name, value] of table) {
        if (values.has(name)) throw place.fail("PT2_NAME", `"${name}" in ${key} is in another table of values too`);
        values.set(name, value);
      }
    };
    merge("sym_int_values", place.field(graph, "sym_int_values", readDict(symInt)));
    merge("sym_bool_values", place.field(graph, "sym_bool_values", readDict(symBool)));
    merge("sym_float_values", place.optional(graph, "sym_float_values", readDict(symFloat), new Map()));
    merge("custom_obj_values", place.optional(graph, "custom_obj_values", readDict<MetaValue>(customObject), new Map()));
    return values;
  }

  #valueOf(argument: Argument): MetaValue {
    if (typeof argument === "object" && argument !== null && "kind" in argument && argument.kind === "node") {
      return this.#values.get(argument.name) ?? null;
    }
    return argument === null ? null : { kind: "constant", value: argument };
  }

  #use(name: string, place: Place): void {
    if (!this.#defined.has(name)) throw place.fail("PT2_NAME", `"${name}" is used before it is defined, or nowhere defined`);
  }

  /** Claims a node name; every node of a graph has its own. */
  #claim(name: string, place: Place): string {
    if (this.#nodeNames.has(name)) throw place.fail("PT2_NAME", `two nodes are named "${name}"`);
    this.#nodeNames.add(name);
    return name;
  }

  /** Defines a value under its serialized name and gives its metadata. */
  #define(name: string, place: Place): MetaValue {
    if (this.#defined.has(name)) throw place.fail("PT2_NAME", `"${name}" is defined twice`);
    const value = this.#values.get(name);
    if (value === undefined) throw place.fail("PT2_NAME", `"${name}" is in none of the tables of values`);
    this.#defined.add(name);
    return value;
  }

  #input(value: JsonValue, index: number, place: Place): void {
    const named: Read<void> = (inner, at) => {
      const name = readNamed(inner, at);
      this.#placeholder(name, this.#define(name, at), at);
    };
    const constant = (read: Read<Argument>): Read<void> => (inner, at) => {
      const constantValue: ConstantValue = { kind: "constant", value: read(inner, at) };
      const name = this.#nameOf(index) || `arg${index}`;
      this.#defined.add(name);
      this.#placeholder(name, constantValue, at);
    };
    const symbolic: Read<void> = (inner, at) => at.union(inner, {
      as_name: (text, deeper) => {
        const name = readName(text, deeper);
        this.#placeholder(name, this.#define(name, deeper), deeper);
      },
    });
    place.union(value, {
      as_tensor: named,
      as_custom_obj: named,
      as_sym_int: symbolic,
      as_sym_float: symbolic,
      as_sym_bool: symbolic,
      ...Object.fromEntries(Object.entries(CONSTANT_MEMBERS).map(([tag, read]) => [tag, constant(read)])),
    });
  }

  #placeholder(name: string, val: MetaValue, place: Place): void {
    this.#names.create(name);
    this.#builder.placeholder(this.#claim(name, place), { val });
  }

  #subgraph(value: JsonValue, place: Place): string {
    if (this.#depth >= DEEPEST_SUBGRAPH) throw place.fail("PT2_SUBGRAPH", `graphs nest deeper than ${DEEPEST_SUBGRAPH}`);
    const object = readObject(value, place);
    const target = place.field(object, "name", readName);
    const graph = place.field(object, "graph", readGraph(this.#context, () => "", this.#depth + 1));
    const name = this.#claim(this.#names.create(target), place);
    this.#pendingGraphs.push({ name, target, graph });
    return name;
  }

  #node(value: JsonValue, place: Place): void {
    const object = readObject(value, place);
    const target = place.field(object, "target", readTarget);
    const given = place.optional(object, "name", (text, at) => (text === "" ? undefined : readName(text, at)), undefined);
    const meta = place.field(object, "metadata", this.#context.metadata.read);
    this.#checkTarget(target, given, place);
    const call = this.#arguments(object, target, place);
    for (const pending of this.#pendingGraphs) {
      this.#builder.getAttr(pending.name, pending.target, pending.graph, meta);
    }
    this.#pendingGraphs = [];
    const outputs = place.field(object, "outputs", outputReader);
    const bare = place.optional(object, "is_hop_single_tensor_return", readBoolean, this.#context.bareReturns);
    const asTuple = target.startsWith("higher_order.") && !bare;
    new CallEmitter(target, given, call, meta, place).emit(outputs, asTuple, {
      names: this.#names,
      builder: this.#builder,
      claim: (name) => this.#claim(name, place),
      define: (name) => this.#define(name, place),
    });
  }

  #checkTarget(target: string, name: string | undefined, place: Place): void {
    if (target.startsWith("higher_order.") || isKnownFunction(target)) return;
    const { operators } = this.#context;
    const known = operators === undefined ? !isHostTarget(target) : operators.schemaOf(target) !== undefined;
    if (known) return;
    const packet = target.slice(0, target.lastIndexOf("."));
    const otherOverload = operators?.schemaOf(`${packet}.default`) !== undefined;
    throw unknownOperator(target, name ?? "", `${place}.target`, otherOverload);
  }

  #arguments(object: JsonObject, target: string, place: Place): CallArguments {
    const inputs = place.field(object, "inputs", this.#inputs);
    if (SYMBOLIC_FUNCTIONS.has(target) || target === "aten.item.default") return positionalArguments(inputs);
    if (target.startsWith("higher_order.") || isKnownFunction(target)) return looseArguments(inputs, place);
    return overloadArguments(inputs, this.#context.operators?.schemaOf(target), place);
  }
}

/** Without a table of operators: whatever can only be a Python function is refused. */
const isHostTarget = (target: string): boolean =>
  target.startsWith("torch.") || target.startsWith("operator.") || target.startsWith("math.") || target.split(".").length !== 3;

interface Emission {
  readonly names: Namespace;
  readonly builder: GraphBuilder;
  claim(name: string): string;
  define(name: string): MetaValue;
}

/** Emits one call node and the `getitem` nodes that take its results apart. */
class CallEmitter {
  readonly #target: string;
  readonly #given: string | undefined;
  readonly #call: CallArguments;
  readonly #meta: StringMeta;
  readonly #place: Place;

  constructor(target: string, given: string | undefined, call: CallArguments, meta: StringMeta, place: Place) {
    this.#target = target;
    this.#given = given;
    this.#call = call;
    this.#meta = meta;
    this.#place = place;
  }

  emit(outputs: readonly Output[], asTuple: boolean, to: Emission): void {
    const only = outputs.length === 1 ? outputs[0] : undefined;
    if (only?.kind === "value" && !asTuple) {
      const name = only.name;
      to.names.create(this.#given ?? name);
      const val = to.define(name);
      this.#node(to, to.claim(name), val);
      return;
    }
    const created = to.names.create(this.#given ?? candidateName(this.#target));
    if (outputs.length === 0) {
      this.#node(to, to.claim(created), undefined);
    } else if (only?.kind === "none") {
      // PyTorch renames such a node on loading, so that its name cannot clash.
      this.#node(to, to.claim(to.names.create(`${candidateName(this.#target)}_unused`)), null);
    } else {
      this.#takeApart(to, to.claim(created), only?.kind === "list" ? only.items : outputs);
    }
  }

  #node(to: Emission, name: string, val: MetaValue | undefined): void {
    const { args, kwargs } = this.#call;
    to.builder.call(name, this.#target, args, kwargs, val === undefined ? this.#meta : { val, ...this.#meta });
  }

  #takeApart(to: Emission, name: string, outputs: readonly Output[]): void {
    const items: Deferred[] = [];
    const vals = outputs.map((output, i) => this.#item(to, output, name, i, items));
    this.#node(to, name, vals);
    for (const item of items) {
      to.builder.call(item.name, "operator.getitem", [ref(item.source), item.index], NO_KWARGS, { val: item.val, ...this.#meta });
    }
  }

  /** Plans the `getitem` of one result; nodes are added once the call itself stands. */
  #item(to: Emission, output: Output, source: string, index: number, items: Deferred[]): MetaValue {
    if (output.kind === "value") {
      to.names.create(output.name);
      const val = to.define(output.name);
      items.push({ name: to.claim(output.name), source, index, val });
      return val;
    }
    if (output.kind === "none") {
      items.push({ name: to.claim(to.names.create("as_none")), source, index, val: null });
      return null;
    }
    const name = to.claim(to.names.create("getitem"));
    const at = items.push({ name, source, index, val: null }) - 1;
    const val = output.items.map((item, i) => this.#item(to, item, name, i, items));
    items[at] = { name, source, index, val };
    return val;
  }
}

interface Deferred {
  readonly name: string;
  readonly source: string;
  readonly index: number;
  readonly val: MetaValue;
}

/** The name that FX makes up for a call: the target's last part, an overload with its operator, in snake case. */
function candidateName(target: string): string {
  const parts = target.split(".");
  const isFunction = target.startsWith("torch.") || target.startsWith("higher_order.") || parts.length < 3;
  const name = isFunction ? parts[parts.length - 1]! : parts.slice(-2).join("_");
  return name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
