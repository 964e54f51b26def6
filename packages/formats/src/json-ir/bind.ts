/** @file Which inputs and attributes of a node are which arguments of its operator. */
import { countText } from "@sconce/errors";
import { type Argument, type OpSchema, ref, type SchemaArgument } from "@sconce/ir";
import { argumentOf } from "./attributes.js";
import { type JsonIRAttribute, LIST_SIZES, NONE_MASKS, TENSOR_ARGUMENTS } from "./types.js";

/**
 * The arguments of a call by name. In tensor arguments, `ref("2")` represents the third input;
 * other references name nodes.
 */
export type Bound = ReadonlyMap<string, Argument>;

/** The inputs and the attributes of a node. */
export interface Bindable {
  /** How many tensors the node takes. */
  readonly inputs: number;
  readonly attrs: ReadonlyMap<string, JsonIRAttribute>;
}

/** Why a node is not a call of its operator, and the attribute that shows it. */
export class Misfit {
  readonly reason: string;
  readonly attribute: string | undefined;

  constructor(reason: string, attribute?: string) {
    this.reason = reason;
    this.attribute = attribute;
  }
}

const INTERNAL = /^_tensor_/;

/**
 * Gives each input and each attribute its argument. Without `_tensor_arguments`, tensors are taken
 * in the order of the schema; lists take as many as `_tensor_list_sizes` says.
 */
export function bindCall(schema: OpSchema, node: Bindable): Bound | Misfit {
  const bound = new Map<string, Argument>();
  const unknown = [...node.attrs.keys()].find(
    (name) => !INTERNAL.test(name) && !schema.args.some((argument) => argument.name === name),
  );
  if (unknown !== undefined) return new Misfit(`${schema.target} has no argument "${unknown}"`, unknown);
  const explicit = node.attrs.get(TENSOR_ARGUMENTS);
  const tensors = explicit === undefined ? new InOrder(schema, node) : new Explicit(explicit, node.inputs);
  for (const argument of schema.args) {
    const given = argument.type.base === "Tensor" ? tensors.take(argument) : undefined;
    if (given instanceof Misfit) return given;
    if (given !== undefined) bound.set(argument.name, given);
    else {
      const attribute = node.attrs.get(argument.name);
      if (attribute === undefined) continue;
      const value = argumentOf(attribute, argument.type);
      if (value === undefined)
        return new Misfit(`the attribute "${argument.name}" does not fit ${schema.target}`, argument.name);
      bound.set(argument.name, value);
    }
  }
  return tensors.end() ?? missing(schema, bound) ?? bound;
}

function missing(schema: OpSchema, bound: Bound): Misfit | undefined {
  const lacking = schema.args.find(({ name, hasDefault }) => !hasDefault && !bound.has(name));
  if (lacking === undefined) return undefined;
  // An argument that may be None need not be given.
  if (lacking.type.optional) return undefined;
  return new Misfit(`${schema.target} lacks its argument "${lacking.name}"`);
}

/** Inputs in the order of the schema. */
class InOrder {
  readonly #node: Bindable;
  readonly #isOnlyList: boolean;
  readonly #singles: number;
  #next = 0;
  #list = 0;
  #mask = 0;

  constructor(schema: OpSchema, node: Bindable) {
    this.#node = node;
    const tensors = schema.args.filter(({ type }) => type.base === "Tensor");
    this.#isOnlyList = tensors.filter(({ type }) => type.list).length === 1;
    this.#singles = tensors.filter(
      ({ type, name }) => !type.list && !type.optional && !node.attrs.has(name),
    ).length;
  }

  take({ type, name }: SchemaArgument): Argument | Misfit | undefined {
    if (type.list) return this.#node.attrs.has(name) ? undefined : this.#takeList();
    if (this.#node.attrs.has(name) || this.#next >= this.#node.inputs) return undefined;
    return ref(String(this.#next++));
  }

  #takeList(): Argument | Misfit | undefined {
    const size = this.#size();
    if (size instanceof Misfit || size === undefined) return size;
    const tensors = Array.from({ length: size }, () => ref(String(this.#next++)));
    const masks = this.#node.attrs.get(NONE_MASKS);
    const mask: unknown = Array.isArray(masks) ? masks[this.#mask++] : undefined;
    if (mask === undefined) return tensors;
    if (!Array.isArray(mask) || mask.filter((isNone) => isNone === false).length !== size)
      return new Misfit(`the mask does not have ${size} tensors`, NONE_MASKS);
    let next = 0;
    return mask.map((isNone) => (isNone === false ? tensors[next++]! : null));
  }

  #size(): number | Misfit | undefined {
    const sizes = this.#node.attrs.get(LIST_SIZES);
    const left = this.#node.inputs - this.#next;
    const size: unknown = Array.isArray(sizes) ? sizes[this.#list++] : undefined;
    if (size === undefined) {
      if (left === 0) return undefined;
      return this.#isOnlyList
        ? Math.min(left, Math.max(0, this.#node.inputs - this.#singles))
        : new Misfit("the sizes of the lists of tensors are missing", LIST_SIZES);
    }
    if (typeof size !== "number" || !Number.isInteger(size) || size < 0 || size > left)
      return new Misfit(
        `the node does not have ${typeof size === "number" ? size : "so many"} tensors left`,
        LIST_SIZES,
      );
    return size;
  }

  end(): Misfit | undefined {
    const left = this.#node.inputs - this.#next;
    return left > 0 ? new Misfit(`${countText(left, "input")} left over`) : undefined;
  }
}

/**
 * Inputs by the names of arguments: pairs of a name, and a position, or a list of those and null.
 */
class Explicit {
  readonly #given = new Map<string, JsonIRAttribute>();
  readonly #inputs: number;
  #problem: Misfit | undefined;

  constructor(value: JsonIRAttribute, inputs: number) {
    this.#inputs = inputs;
    if (!Array.isArray(value)) this.#problem = new Misfit("expected a list of pairs", TENSOR_ARGUMENTS);
    else
      for (const pair of value as readonly JsonIRAttribute[]) {
        if (Array.isArray(pair) && pair.length === 2 && typeof pair[0] === "string")
          this.#given.set(pair[0], pair[1] as JsonIRAttribute);
        else this.#problem = new Misfit("expected pairs of a name and positions", TENSOR_ARGUMENTS);
      }
  }

  take({ type, name }: SchemaArgument): Argument | Misfit | undefined {
    const given = this.#given.get(name);
    if (given === undefined) return undefined;
    this.#given.delete(name);
    const items = type.list && Array.isArray(given) ? (given as readonly JsonIRAttribute[]) : [given];
    const refs: Argument[] = [];
    for (const item of items) {
      if (item === null && type.optionalElements) refs.push(null);
      else if (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < this.#inputs)
        refs.push(ref(String(item)));
      else return new Misfit(`"${name}" names no input of the node`, TENSOR_ARGUMENTS);
    }
    return type.list ? refs : refs[0];
  }

  end(): Misfit | undefined {
    const [left] = this.#given.keys();
    return (
      this.#problem ??
      (left === undefined ? undefined : new Misfit(`"${left}" is not a tensor argument`, TENSOR_ARGUMENTS))
    );
  }
}
