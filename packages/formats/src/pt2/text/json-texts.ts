/**
 * @file The texts in the JSON of a program, by the fields of the schema: every string has a kind,
 * and those of unknown fields are marked.
 */
import { type Budget, isSconceError } from "@sconce/errors";
import { parseTreeSpec } from "@sconce/ir";
import { JsonObject, type JsonValue } from "../../json/value.js";
import { stackEntries } from "../stack-entries.js";
import type { TextKind } from "./rules.js";
import { keyTexts, treeTexts } from "./tree-texts.js";

/** A place in JSON: keys and indexes from the root. */
type JsonPath = readonly (string | number)[];
/** Takes one string; `unknown` is the kind of those that the schema does not have. */
export type JsonTextVisitor = (kind: TextKind | "unknown", text: string, path: JsonPath) => void;

/** Strings and lists of strings by the field that holds them. */
const FIELDS: Readonly<Record<string, TextKind>> = {
  as_name: "value",
  expr_str: "expression",
  target: "target",
  as_operator: "target",
  parameter_name: "state",
  buffer_name: "state",
  tensor_constant_name: "state",
  custom_obj_name: "state",
  user_input_name: "input",
  class_fqn: "word",
  fqn: "module",
  as_string: "text",
  as_strings: "text",
  type: "device",
  guards_code: "guard",
  forward_arg_names: "keyword",
  verifiers: "word",
  torch_version: "word",
  field_names: "free",
  path_name: "word",
  // Floats that are not finite.
  as_float: "free",
  as_floats: "free",
  as_float_lists: "free",
  real: "free",
  imag: "free",
};

/** Objects whose keys are texts of the program, with the kind of the keys. */
const KEYED: Readonly<Record<string, TextKind>> = {
  tensor_values: "value",
  sym_int_values: "value",
  sym_float_values: "value",
  sym_bool_values: "value",
  custom_obj_values: "value",
  range_constraints: "expression",
  opset_version: "word",
  as_string_to_argument: "text",
  treespec_namedtuple_fields: "free",
  config: "state",
};

const KEYWORD_ARGUMENT = 2;

/** Gives every string of a program's JSON, or of a weights configuration, to a visitor. */
export function visitJsonTexts(json: JsonValue, budget: Budget, visit: JsonTextVisitor): void {
  const inputs = new Set<string>();
  collectInputs(json, inputs);
  new JsonTexts(visit, inputs, budget).value(json, []);
}

/** The names of the inputs that users give. */
function collectInputs(json: JsonValue, inputs: Set<string>): void {
  const specs = field(field(field(json, "graph_module"), "signature"), "input_specs");
  for (const spec of Array.isArray(specs) ? (specs as readonly JsonValue[]) : []) {
    const constant = field(field(spec, "constant_input"), "name");
    if (typeof constant === "string") inputs.add(constant);
    const arg = field(field(spec, "user_input"), "arg");
    for (const value of arg instanceof JsonObject ? arg.values : []) {
      for (const key of ["name", "as_name"]) {
        const name = field(value, key);
        if (typeof name === "string") inputs.add(name);
      }
    }
  }
}

const field = (json: JsonValue | undefined, key: string): JsonValue | undefined =>
  json instanceof JsonObject ? json.get(key) : undefined;

/** Returns whether a place is in an input of the program: a nested graph's inputs lie deeper. */
const isInputOf = (path: JsonPath): boolean =>
  path.includes("constant_input") || path.slice(0, 3).join() === "graph_module,graph,inputs";

class JsonTexts {
  readonly #visit: JsonTextVisitor;
  readonly #inputs: ReadonlySet<string>;
  readonly #budget: Budget;
  /**
   * Whether the call that is walked has a function without a schema: it gets keywords as they are.
   */
  #isFunction = false;

  constructor(visit: JsonTextVisitor, inputs: ReadonlySet<string>, budget: Budget) {
    this.#visit = visit;
    this.#inputs = inputs;
    this.#budget = budget;
  }

  value(json: JsonValue, path: JsonPath): void {
    if (typeof json === "string") this.#text(json, path);
    else if (Array.isArray(json)) {
      const items = json as readonly JsonValue[];
      for (const [i, item] of items.entries()) this.value(item, [...path, i]);
    } else if (json instanceof JsonObject) this.#object(json, path);
  }

  #object(json: JsonObject, path: JsonPath): void {
    const key = path.at(-1);
    const kind = typeof key === "string" && Object.hasOwn(KEYED, key) ? KEYED[key] : undefined;
    const outer = this.#isFunction;
    const target = json.get("target");
    if (typeof target === "string") this.#isFunction = !/^torch\.ops\.(?!higher_order\.)/.test(target);
    json.keys.forEach((name, i) => {
      const item = json.values[i]!;
      const at = [...path, name];
      if (kind !== undefined) this.#named(kind, name, at);
      if (typeof item === "string") this.#member(json, name, item, at);
      else this.value(item, at);
    });
    this.#isFunction = outer;
  }

  /** A string that a field of an object holds. */
  #member(json: JsonObject, key: string, text: string, path: JsonPath): void {
    const holder = path.at(-2);
    if (holder === "metadata") this.#metadata(key, text, path);
    else if (key === "name") this.#name(json, text, path);
    else if (key === "in_spec" || key === "out_spec") this.#tree(key, text, path);
    else this.#text(text, path);
  }

  /** A string in a field, or in a list that a field holds. */
  #text(text: string, path: JsonPath): void {
    const key = path.findLast((part) => typeof part === "string");
    const kind = key !== undefined && Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    if (kind === "value") this.#named(kind, text, path);
    else if (key === "as_string" && isInputOf(path)) this.#visit("constant", text, path);
    else this.#visit(kind ?? "unknown", text, path);
  }

  /** Names of values; those of inputs follow other rules in the outermost graph. */
  #named(kind: TextKind, text: string, path: JsonPath): void {
    const isInput = kind === "value" && this.#inputs.has(text) && !path.includes("as_graph");
    this.#visit(isInput ? "input" : kind, text, path);
  }

  /** A name: of an argument, a nested graph, a constant input or a value. */
  #name(json: JsonObject, text: string, path: JsonPath): void {
    if (json.get("graph") !== undefined) this.#visit("graph", text, path);
    else if (json.get("kind") !== undefined && json.get("arg") !== undefined) {
      const isHigherOrder = json.get("kind") === KEYWORD_ARGUMENT && this.#isFunction;
      this.#visit(isHigherOrder ? "keyword" : "argument", text, path);
    } else if (path.includes("custom_obj_values")) this.#visit("word", text, path);
    else this.#named("value", text, path);
  }

  #metadata(key: string, text: string, path: JsonPath): void {
    this.#visit("free", text, path);
    if (key !== "nn_module_stack") return;
    for (const [, module] of stackEntries(text))
      if (module !== undefined) this.#visit("module", module, path);
  }

  #tree(key: string, text: string, path: JsonPath): void {
    this.#visit("free", text, path);
    try {
      const spec = parseTreeSpec(text, { budget: this.#budget });
      treeTexts(spec, (kind, part) => this.#visit(kind, part, path));
      if (key !== "in_spec") return;
      keyTexts(spec, (kind, part) => this.#visit(kind, part, path));
      const [args, kwargs] = spec.children;
      if (args?.type !== "builtins.tuple" || kwargs?.type !== "builtins.dict") return;
      for (const name of Array.isArray(kwargs.context) ? kwargs.context : [])
        this.#visit("keyword", String(name), path);
    } catch (error) {
      if (!isSconceError(error, "BAD_TREE_SPEC")) throw error;
      this.#visit("unknown", text, path);
    }
  }
}
