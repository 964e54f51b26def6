/** @file Arguments of calls as the `Argument` union of the file. */
import {
  type Argument,
  isFloat,
  isInt,
  isRef,
  itemsOf,
  type NodeRef,
  type SchemaType,
  toNumber,
} from "@sconce/ir";
import type { PythonJson } from "../../json/python-json.js";
import type { JsonFloat } from "../../json/value.js";
import { LAYOUTS, MEMORY_FORMATS } from "../schema.js";
import { targetText } from "../targets.js";
import { constantJson, deviceJson, dtypeJson, jsonFloat } from "./values.js";

/** What kind of value a node gives: how references to it are written. */
export type ValueKind = "tensor" | "int" | "float" | "bool" | "custom_obj";

/** What an argument writer asks of the graph that is written. */
export interface ArgumentContext {
  /** Returns the kind of value of a node. */
  kindOf(name: string): ValueKind;
  /** Returns the name under which the file has a node. */
  nameOf(name: string): string;
  /** Returns the class of a custom object. */
  classOf(name: string): string;
  /** Returns the graph that a `get_attr` node reads, written whole; undefined for other nodes. */
  graph(name: string): PythonJson | undefined;
  /** Returns the error for an argument that the format has no form for. */
  fail(what: string): Error;
}

type ListKind = Exclude<ValueKind, "tensor" | "custom_obj">;
const isText = (value: Argument): value is string => typeof value === "string";
const isBool = (value: Argument): value is boolean => typeof value === "boolean";
/** Files have integers of int64, and those of uint64 for scalars. */
const isTooLarge = (value: Argument): boolean => isInt(value) && (value >= 2 ** 64 || value < -(2 ** 63));
const floatOf = (value: Argument): JsonFloat => jsonFloat(toNumber(value as number));

/** Writes the arguments of one graph. */
export class ArgumentWriter {
  readonly #context: ArgumentContext;

  constructor(context: ArgumentContext) {
    this.#context = context;
  }

  /** `type` decides what an empty list holds. */
  write(value: Argument, type?: SchemaType): PythonJson {
    const items = itemsOf(value);
    if (isTooLarge(value) || items?.some(isTooLarge) === true)
      throw this.#context.fail("an integer that does not fit 64 bits");
    const constant = constantJson(value);
    if (constant !== undefined) return constant;
    if (items !== undefined) return items.length === 0 ? this.#emptyList(type) : this.#list(items);
    return this.#tagged(value as Exclude<Argument, readonly Argument[]>);
  }

  #tagged(value: Exclude<Argument, readonly Argument[]>): PythonJson {
    if (typeof value === "object" && value !== null) {
      switch (value.kind) {
        case "node":
          return this.#reference(value);
        case "complex":
          return { as_complex: { real: jsonFloat(value.re), imag: jsonFloat(value.im) } };
        case "dtype":
          return { as_scalar_type: dtypeJson(value.dtype) };
        case "device":
          return { as_device: deviceJson(value) };
        case "layout":
          return { as_layout: LAYOUTS[value.layout] };
        case "memory_format":
          return { as_memory_format: MEMORY_FORMATS[value.format] };
        case "operator":
          return { as_operator: targetText(value.target) };
        case "dict":
          return {
            as_string_to_argument: new Map(value.entries.map(([key, item]) => [key, this.write(item)])),
          };
      }
    }
    throw this.#context.fail("a value that arguments in .pt2 files cannot be");
  }

  #reference({ name }: NodeRef): PythonJson {
    const graph = this.#context.graph(name);
    if (graph !== undefined) return { as_graph: graph };
    const kind = this.#context.kindOf(name);
    const as_name = this.#context.nameOf(name);
    if (kind === "custom_obj") {
      return { as_custom_obj: { name: as_name, class_fqn: this.#context.classOf(name) } };
    }
    return kind === "tensor" ? { as_tensor: { name: as_name } } : { [`as_sym_${kind}`]: { as_name } };
  }

  #emptyList(type: SchemaType | undefined): PythonJson {
    switch (type?.base) {
      case undefined:
      case "Tensor":
        return { as_tensors: [] };
      case "bool":
      case "SymBool":
        return { as_bools: [] };
      case "int":
      case "SymInt":
        return { as_ints: [] };
      case "float":
        return { as_floats: [] };
      case "str":
        return { as_strings: [] };
      default:
        throw this.#context.fail(`an empty list of ${type!.base}`);
    }
  }

  /** Returns the first form that takes all items, in PyTorch's order. */
  #list(items: readonly Argument[]): PythonJson {
    if (items.every(isBool)) return { as_bools: items };
    if (items.every(isInt)) return { as_ints: items };
    if (items.every(isFloat)) return { as_floats: items.map(floatOf) };
    if (items.every(isText)) return { as_strings: items };
    const symbolic = this.#symbolicList(items);
    if (symbolic !== undefined) return symbolic;
    if (items.every((item) => this.#isValue(item))) return { as_tensors: items.map(this.#named) };
    return this.#nestedList(items);
  }

  #symbolicList(items: readonly Argument[]): PythonJson | undefined {
    const literals = { int: isInt, float: isFloat, bool: isBool } as const;
    for (const kind of ["int", "float", "bool"] as const) {
      if (!items.every((item) => literals[kind](item) || this.#isOf(item, kind))) continue;
      return {
        [`as_sym_${kind}s`]: items.map((item) =>
          isRef(item)
            ? { as_name: this.#context.nameOf(item.name) }
            : { [`as_${kind}`]: kind === "float" ? floatOf(item) : (item as number | boolean) },
        ),
      };
    }
    return undefined;
  }

  #nestedList(items: readonly Argument[]): PythonJson {
    const lists = items.map(itemsOf);
    const every = (check: (item: Argument) => boolean): boolean =>
      lists.every((list) => list?.every(check) === true);
    const map = (write: (item: Argument) => PythonJson): PythonJson => lists.map((list) => list!.map(write));
    if (every((item) => this.#isValue(item))) return { as_nested_tensors: map(this.#named) };
    if (items.every((item) => item === null || this.#isValue(item))) {
      return {
        as_optional_tensors: items.map((item) =>
          item === null ? { as_none: true } : { as_tensor: this.#named(item) },
        ),
      };
    }
    if (every(isInt)) return { as_int_lists: map((item) => item as number) };
    if (every(isFloat)) return { as_float_lists: map(floatOf) };
    throw this.#context.fail("a list of values that do not go together");
  }

  readonly #named = (item: Argument): PythonJson => ({
    name: this.#context.nameOf((item as NodeRef).name),
  });

  #isOf(item: Argument, kind: ListKind): boolean {
    return isRef(item) && this.#context.kindOf(item.name) === kind;
  }

  #isValue(item: Argument): boolean {
    return isRef(item) && this.#context.graph(item.name) === undefined;
  }
}
