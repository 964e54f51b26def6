/** @file Graphs: nodes as the calls and the tables of values that a file has. */
import type { Work } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type Graph,
  isRef,
  itemsOf,
  type MetaValue,
  type Node,
  nodePlace,
  type OperatorLookup,
  type OpSchema,
} from "@sconce/ir";
import { notSavable } from "../../errors.js";
import { JsonText, type PythonJson } from "../../json/python-json.js";
import { ARGUMENT_KINDS, isKnownFunction } from "../schema.js";
import { targetText } from "../targets.js";
import { FileNames } from "../text/file-names.js";
import { ArgumentWriter, type ValueKind } from "./arguments.js";
import { GETITEM, SYMBOLIC_PARAMETERS } from "./functions.js";
import { metadataJson } from "./metadata.js";
import { type Result, ResultNames, resultsOf } from "./outputs.js";
import { constantJson, type ValueWriter } from "./values.js";

/** What all graphs of one program share. */
export interface GraphContext {
  readonly values: ValueWriter;
  readonly operators: OperatorLookup | undefined;
  /** Called with each name that the file has another one for. */
  onRenamed(name: string, given: string): void;
}

/** Writes a graph, nested ones within the calls that take them. */
export const graphJson = (
  context: GraphContext,
  graph: Graph,
  values: FileNames = FileNames.ofValues(graph),
  path = "",
): Work<PythonJson> => new GraphWriter(context, graph, values, path).write();

/** The tables of values, by name, in the order in which the graph defines them. */
class Tables {
  readonly tensors = new Map<string, PythonJson>();
  readonly ints = new Map<string, PythonJson>();
  readonly bools = new Map<string, PythonJson>();
  readonly floats = new Map<string, PythonJson>();
  readonly objects = new Map<string, PythonJson>();
}

/** Calls with lists of graphs among their arguments, which PyTorch does not save. */
const WITHOUT_FORM: ReadonlySet<string> = new Set(["higher_order.switch", "higher_order.flex_attention"]);

/**
 * Returns whether a target is an overload of an operator: a function of Python has no schema, and
 * its arguments no names.
 */
const isOverload = (target: string): boolean =>
  target.startsWith("#") ||
  (!target.startsWith("higher_order.") && !isKnownFunction(target) && target.split(".").length === 3);

/** Characters of nested graphs that a graph may repeat. */
const MOST_REPEATED = 2 ** 24;

class GraphWriter {
  readonly #context: GraphContext;
  readonly #graph: Graph;
  readonly #path: string;
  readonly #tables = new Tables();
  readonly #results: ResultNames;
  readonly #values: FileNames;
  readonly #graphs: FileNames;
  readonly #arguments: ArgumentWriter;
  /** Nested graphs that were written, by target. */
  readonly #nested = new Map<string, JsonText>();
  /** Those that a call has taken, and the characters that further calls repeat. */
  readonly #taken = new Set<string>();
  #repeated = 0;
  #node: Node | undefined;

  constructor(context: GraphContext, graph: Graph, values: FileNames, path: string) {
    this.#context = context;
    this.#graph = graph;
    this.#path = path;
    this.#results = new ResultNames(graph);
    this.#values = values;
    this.#graphs = FileNames.ofGraphs(graph);
    this.#arguments = new ArgumentWriter({
      kindOf: (name) => this.#kindOf(name),
      nameOf: (name) => this.#nameOf(name),
      classOf: (name) => this.#classOf(name),
      graph: (name) => this.#subgraph(name),
      fail: (what) => this.#fail(`an argument is ${what}`),
    });
  }

  *write(): Work<PythonJson> {
    const inputs: PythonJson[] = [];
    const nodes: PythonJson[] = [];
    for (const node of this.#graph.nodes()) {
      this.#node = node;
      if (node.op === "placeholder") inputs.push(this.#input(node));
      else if (node.op === "get_attr") yield* this.#writeNested(node);
      else if (node.op === "call_function" && node.target !== GETITEM)
        nodes.push(new JsonText(this.#call(node)));
      else if (node.target === GETITEM) this.#checkGetitem(node);
      yield;
    }
    const result = this.#graph.outputArgument();
    const bare = isRef(result);
    const outputs = bare ? [result] : (itemsOf(result) ?? []);
    const { tensors, ints, bools, floats, objects } = this.#tables;
    for (const names of [this.#values, this.#graphs])
      for (const [name, given] of names.renamed) this.#context.onRenamed(name, given);
    return {
      inputs,
      outputs: outputs.map((output) => this.#arguments.write(output)),
      nodes,
      tensor_values: tensors,
      sym_int_values: ints,
      sym_bool_values: bools,
      is_single_tensor_return: bare,
      custom_obj_values: objects,
      sym_float_values: floats,
    };
  }

  #fail(message: string, fix?: string): Error {
    const node = this.#node === undefined ? "the graph" : `node ${this.#node.name}`;
    return notSavable(message, this.#path === "" ? node : `${this.#path}, ${node}`, fix);
  }

  #unnamed(target: string): Error {
    return this.#fail(
      `the names of the arguments of ${target} are not known`,
      "register the operator with its schema (a plugin's ops), and give its operators to save",
    );
  }

  /** A `getitem` is written with the call that it reads, which has to give several results. */
  #checkGetitem(node: Node): void {
    const [source] = node.args;
    const from = isRef(source) ? this.#graph.find(source.name) : undefined;
    if (from?.op !== "call_function" || !Array.isArray(from.meta.val))
      throw this.#fail("it reads an item of a value that is not the result of a call with several results");
  }

  /** Returns the name under which the file has a node. */
  #nameOf(node: string): string {
    return this.#values.of(this.#results.nameOf(node));
  }

  /**
   * Returns which table has a value, by its name in the file: later `getitem` nodes have no entry.
   */
  #kindOf(node: string): ValueKind {
    const { ints, bools, floats, objects } = this.#tables;
    const name = this.#nameOf(node);
    if (ints.has(name)) return "int";
    if (floats.has(name)) return "float";
    if (bools.has(name)) return "bool";
    return objects.has(name) ? "custom_obj" : "tensor";
  }

  #classOf(name: string): string {
    const val = this.#graph.find(name)?.meta.val;
    return typeof val === "object" && val !== null && "classFqn" in val ? val.classFqn : "";
  }

  /** The file has a graph in place of the node that reads it. */
  #subgraph(name: string): PythonJson | undefined {
    const node = this.#graph.find(name);
    return node?.op === "get_attr"
      ? { name: this.#graphs.of(node.target), graph: this.#nestedText(node.target) }
      : undefined;
  }

  *#writeNested({ target }: Node): Work<void> {
    if (this.#nested.has(target)) return;
    const graph = this.#graph.subgraphs.get(target);
    if (graph === undefined) throw this.#fail(`it reads "${target}", which is not a graph`);
    const path = this.#path === "" ? `graph ${target}` : `${this.#path}.${target}`;
    this.#nested.set(target, new JsonText(yield* graphJson(this.#context, graph, undefined, path)));
  }

  /** Returns the text of a nested graph, which each argument that takes the graph repeats. */
  #nestedText(target: string): JsonText {
    const text = this.#nested.get(target)!;
    if (this.#taken.has(target)) {
      this.#repeated += text.text.length;
      if (this.#repeated > MOST_REPEATED)
        throw this.#fail(
          `the graph "${target}" and those in it are taken by so many calls that the file would repeat more than ${MOST_REPEATED / 2 ** 20} MiB`,
          "save it as IR text (.sir), which holds each graph once",
        );
    }
    this.#taken.add(target);
    return text;
  }

  #input({ name, meta: { val } }: Node): PythonJson {
    if (val !== null && typeof val === "object" && "kind" in val && val.kind === "constant") {
      const constant = constantJson(val.value);
      if (constant === undefined)
        throw this.#fail("a constant input is not a number, a text, a bool or None");
      return constant;
    }
    if (val === null) return { as_none: true };
    return this.#define(name, val);
  }

  /** Enters a value into its table, and gives the argument that names it. */
  #define(value: string, val: MetaValue | undefined): PythonJson {
    const name = this.#values.of(value);
    const { tensors, ints, bools, floats, objects } = this.#tables;
    if (val instanceof FakeTensor) {
      tensors.set(name, new JsonText(this.#context.values.tensor(val)));
      return { as_tensor: { name } };
    }
    if (typeof val === "object" && val !== null && "kind" in val) {
      switch (val.kind) {
        case "SymInt":
          ints.set(name, this.#context.values.scalar(val));
          return { as_sym_int: { as_name: name } };
        case "SymFloat":
          floats.set(name, this.#context.values.scalar(val));
          return { as_sym_float: { as_name: name } };
        case "SymBool":
          bools.set(name, this.#context.values.scalar(val));
          return { as_sym_bool: { as_name: name } };
        case "custom_obj":
          objects.set(name, { name: val.name, class_fqn: val.classFqn });
          return { as_custom_obj: { name, class_fqn: val.classFqn } };
        case "constant":
          return this.#defineConstant(name, val.value);
      }
    }
    throw this.#fail("it has no value that says what it gives");
  }

  /** Returns a scalar that turned out to be static. */
  #defineConstant(name: string, value: Argument): PythonJson {
    const { ints, bools, floats } = this.#tables;
    const constant = constantJson(value);
    const [member] = Object.keys(constant ?? {});
    switch (member) {
      case "as_int":
        ints.set(name, constant!);
        return { as_sym_int: { as_name: name } };
      case "as_bool":
        bools.set(name, constant!);
        return { as_sym_bool: { as_name: name } };
      case "as_float":
        floats.set(name, constant!);
        return { as_sym_float: { as_name: name } };
      default:
        throw this.#fail("it gives a constant that is not a number or a bool");
    }
  }

  #call(node: Node): PythonJson {
    const { name, target, meta } = node;
    const isHigherOrder = target.startsWith("higher_order.");
    const schema = isHigherOrder ? undefined : this.#context.operators?.schemaOf(target);
    return {
      target: targetText(target),
      inputs: this.#inputsOf(node, schema),
      outputs: this.#outputsOf(node, schema),
      metadata: metadataJson(meta, nodePlace(node)),
      is_hop_single_tensor_return: isHigherOrder ? meta.val instanceof FakeTensor : null,
      name: this.#values.of(meta.val === null ? (meta.callForm?.name ?? name) : name),
    };
  }

  #inputsOf(node: Node, schema: OpSchema | undefined): PythonJson[] {
    const { target, args, kwargs } = node;
    const parameters = SYMBOLIC_PARAMETERS.get(target);
    if (parameters !== undefined) return this.#symbolicInputs(node, parameters);
    if (schema !== undefined) return this.#schemaInputs(node, schema);
    if (
      !target.startsWith("higher_order.") &&
      isKnownFunction(target) &&
      /^(operator|math|torch\.sym)/.test(target)
    )
      throw this.#fail(`PyTorch has no form for calls of ${target} in files`);
    if (WITHOUT_FORM.has(target)) throw this.#fail(`PyTorch has no form for calls of ${target} in files`);
    const { positional, keyword } = ARGUMENT_KINDS;
    if (isOverload(target)) return this.#namedInputs(node);
    return [
      ...args.map((arg) => ({ name: "", arg: this.#arguments.write(arg), kind: positional })),
      ...Object.entries(kwargs).map(([name, arg]) => ({
        name,
        arg: this.#arguments.write(arg),
        kind: keyword,
      })),
    ];
  }

  /** Returns the arguments of an operator without a schema, as the file had them. */
  #namedInputs({ target, args, kwargs, meta: { callForm } }: Node): PythonJson[] {
    const { argNames, emptyLists = {} } = callForm ?? {};
    const isNamed = (name: string): boolean => Object.hasOwn(kwargs, name);
    const given = argNames ?? Object.keys(kwargs);
    // PyTorch finds the arguments of a call by name.
    if (given.filter((name) => !isNamed(name)).length !== args.length) throw this.#unnamed(target);
    const rest = args[Symbol.iterator]();
    return given.map((name) => {
      const value = isNamed(name) ? kwargs[name]! : (rest.next().value as Argument);
      const empty =
        itemsOf(value)?.length === 0 && Object.hasOwn(emptyLists, name) ? emptyLists[name] : undefined;
      const arg = empty === undefined ? this.#arguments.write(value) : { [`as_${empty}`]: [] };
      return { name, arg, kind: isNamed(name) ? ARGUMENT_KINDS.keyword : ARGUMENT_KINDS.positional };
    });
  }

  #symbolicInputs({ args, kwargs }: Node, parameters: readonly string[]): PythonJson[] {
    if (Object.keys(kwargs).length > 0 || args.length > parameters.length)
      throw this.#fail("a function of symbolic scalars takes its arguments by position");
    return args.map((arg, i) => ({
      name: parameters[i]!,
      arg: this.#arguments.write(arg),
      kind: ARGUMENT_KINDS.positional,
    }));
  }

  #schemaInputs({ args, kwargs }: Node, schema: OpSchema): PythonJson[] {
    const inputs: PythonJson[] = [];
    schema.args.forEach(({ name, type, kwargOnly }, i) => {
      const byName = Object.hasOwn(kwargs, name);
      if (!byName && (kwargOnly || i >= args.length)) return;
      const arg = this.#arguments.write(byName ? kwargs[name]! : args[i]!, type);
      inputs.push({ name, arg, kind: byName ? ARGUMENT_KINDS.keyword : ARGUMENT_KINDS.positional });
    });
    return inputs;
  }

  #outputsOf(node: Node, schema: OpSchema | undefined): PythonJson[] {
    if (Array.isArray(node.meta.val)) {
      const user = this.#results.wholeUser(node.name);
      if (user !== undefined)
        throw this.#fail(
          `its results are used as a whole by ${user.op === "output" ? "the output" : user.name}`,
        );
    }
    return resultsOf(node, schema, this.#results).map((result) => this.#output(result));
  }

  #output(result: Result): PythonJson {
    if (result.kind === "none") return { as_none: true };
    if (result.kind === "value") return this.#define(result.name, result.val);
    const items = result.items.map((item) => {
      if (item.kind !== "value" || !(item.val instanceof FakeTensor))
        throw this.#fail("a list among its results holds something else than tensors");
      this.#define(item.name, item.val);
      return { name: this.#values.of(item.name) };
    });
    return { as_tensors: items };
  }
}
