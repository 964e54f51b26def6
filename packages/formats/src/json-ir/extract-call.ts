/** @file The arguments of a call as inputs and attributes. */
import {
  type Argument,
  isInt,
  isRef,
  itemsOf,
  mapRefs,
  type Node,
  nodeWhere,
  type OpSchema,
  ref,
} from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import { jsonIRUnsupported } from "../errors.js";
import { attributeOf } from "./attributes.js";
import { type Bound, bindCall } from "./bind.js";
import { looseAttribute } from "./loose.js";
import {
  FUNCTION_ARGS,
  FUNCTION_KWARGS,
  GETITEM,
  isLooseCall,
  type JsonIRAttribute,
  LIST_SIZES,
  NONE_MASKS,
  TENSOR_ARGUMENTS,
} from "./types.js";

const REWRITE = "decompose the program first, or run the program itself";

/**
 * Returns the attributes of a call; the nodes that its tensors come from are added to `refs`. The
 * result names the call that it was made of: `bindCall` gives the same arguments. `isValue`
 * separates values from nested graphs.
 * @throws SconceError `JSON_IR_UNSUPPORTED`
 */
export function nodeAttributes(
  node: Node,
  schema: OpSchema | undefined,
  refs: string[],
  isValue: (name: string) => boolean,
): ReadonlyMap<string, JsonIRAttribute> {
  if (schema === undefined) return withoutSchema(node, refs, isValue);
  const given = argumentsOf(node, schema);
  const attrs = new Map<string, JsonIRAttribute>();
  const explicit: JsonIRAttribute[] = [];
  // Keyword arguments stand in front, as the attributes of PyTorch's nodes are gathered.
  for (const key of Object.keys(node.kwargs)) {
    const isTensor = schema.args.some(({ name, type }) => name === key && type.base === "Tensor");
    if (!isTensor || !holdsTensors(given.get(key)!)) addAttribute(attrs, key, given.get(key)!, node);
  }
  lists(schema, given, attrs);
  for (const { name, type } of schema.args) {
    const value = given.get(name);
    if (value === undefined) continue;
    if (type.base !== "Tensor" || !holdsTensors(value)) {
      if (type.base !== "Tensor" || value !== null) addAttribute(attrs, name, value, node);
      continue;
    }
    explicit.push([name, positions(value, refs, node)]);
  }
  const tensors = refs.length;
  const want = numbered(given, refs, schema);
  if (isSame(bindCall(schema, { inputs: tensors, attrs }), want)) return attrs;
  attrs.set(TENSOR_ARGUMENTS, explicit);
  if (isSame(bindCall(schema, { inputs: tensors, attrs }), want)) return attrs;
  throw jsonIRUnsupported(
    `the arguments of ${node.target} cannot be given as attributes`,
    nodeWhere(node),
    REWRITE,
  );
}

function withoutSchema(
  node: Node,
  refs: string[],
  isValue: (name: string) => boolean,
): ReadonlyMap<string, JsonIRAttribute> {
  if (node.target === GETITEM) return getitem(node, refs);
  return isLooseCall(node.target) ? looseCall(node, refs, isValue) : scalarCall(node);
}

/**
 * Returns the attributes of a call whose arguments have no names: values of the graph are inputs,
 * by their positions.
 */
function looseCall(
  node: Node,
  refs: string[],
  isValue: (name: string) => boolean,
): ReadonlyMap<string, JsonIRAttribute> {
  const attribute = (value: Argument): JsonIRAttribute =>
    looseAttribute(value, (source) =>
      isValue(source.name) ? { kind: "input", index: refs.push(source.name) - 1 } : source,
    );
  const attrs = new Map<string, JsonIRAttribute>([[FUNCTION_ARGS, node.args.map(attribute)]]);
  const named = Object.entries(node.kwargs);
  if (named.length > 0)
    attrs.set(FUNCTION_KWARGS, {
      kind: "dict",
      entries: named.map(([name, value]) => [name, attribute(value)] as const),
    });
  return attrs;
}

function getitem(node: Node, refs: string[]): ReadonlyMap<string, JsonIRAttribute> {
  const [source, index] = node.args;
  if (!isRef(source) || !isInt(index ?? null))
    throw jsonIRUnsupported("the node takes an item of what is not a call", nodeWhere(node), REWRITE);
  refs.push(source.name);
  return new Map([["index", index as number]]);
}

/** Returns a function of Python on scalars: its arguments in order. */
function scalarCall(node: Node): ReadonlyMap<string, JsonIRAttribute> {
  const attrs = new Map<string, JsonIRAttribute>();
  if (Object.keys(node.kwargs).length > 0)
    throw jsonIRUnsupported(`${node.target} takes arguments by name`, nodeWhere(node), REWRITE);
  addAttribute(attrs, FUNCTION_ARGS, node.args, node);
  return attrs;
}

function argumentsOf(node: Node, schema: OpSchema): Map<string, Argument> {
  const given = new Map<string, Argument>();
  node.args.forEach((value, i) => {
    const argument = schema.args[i];
    if (argument === undefined)
      throw jsonIRUnsupported(`${node.target} takes no argument ${i + 1}`, nodeWhere(node), REWRITE);
    given.set(argument.name, value);
  });
  for (const [name, value] of Object.entries(node.kwargs)) {
    if (!schema.args.some((argument) => argument.name === name))
      throw jsonIRUnsupported(`${node.target} takes no argument "${name}"`, nodeWhere(node), REWRITE);
    given.set(name, value);
  }
  return given;
}

const holdsTensors = (value: Argument): boolean =>
  isRef(value) || (itemsOf(value)?.every((item) => isRef(item) || item === null) ?? false);

function addAttribute(attrs: Map<string, JsonIRAttribute>, name: string, value: Argument, node: Node): void {
  if (attrs.has(name)) return;
  const attribute = attributeOf(value);
  if (attribute === undefined)
    throw jsonIRUnsupported(
      `the argument "${name}" is ${argumentText(value)}, which JSON IR does not have`,
      nodeWhere(node),
      REWRITE,
    );
  attrs.set(name, attribute);
}

/** The internal attributes of lists of tensors. */
function lists(
  schema: OpSchema,
  given: ReadonlyMap<string, Argument>,
  attrs: Map<string, JsonIRAttribute>,
): void {
  const sizes: number[] = [];
  const masks: (readonly boolean[])[] = [];
  for (const { name, type } of schema.args) {
    const items = type.base === "Tensor" && type.list ? itemsOf(given.get(name) ?? null) : undefined;
    if (items === undefined) continue;
    sizes.push(items.filter((item) => item !== null).length);
    if (items.includes(null)) masks.push(items.map((item) => item === null));
  }
  if (sizes.length > 0) attrs.set(LIST_SIZES, sizes);
  if (masks.length > 0) attrs.set(NONE_MASKS, masks);
}

/** Adds the tensors of an argument to the inputs, and gives their positions. */
function positions(value: Argument, refs: string[], node: Node): JsonIRAttribute {
  if (isRef(value)) return refs.push(value.name) - 1;
  return itemsOf(value)!.map((item) => (item === null ? null : positions(item, refs, node)));
}

/**
 * Returns the arguments with positions in place of nodes; a node that comes twice is two inputs.
 */
function numbered(
  given: ReadonlyMap<string, Argument>,
  refs: readonly string[],
  schema: OpSchema,
): Map<string, Argument> {
  const isTensor = new Map(schema.args.map(({ name, type }) => [name, type.base === "Tensor"]));
  const used = new Map<string, number>();
  const out = new Map<string, Argument>();
  for (const [name, value] of given)
    out.set(
      name,
      !isTensor.get(name)
        ? value
        : mapRefs(value, ({ name: node }) => {
            const at = refs.indexOf(node, (used.get(node) ?? -1) + 1);
            used.set(node, at);
            return ref(String(at));
          }),
    );
  return out;
}

/** Returns whether two calls have the same arguments; absent ones are None. */
function isSame(bound: Bound | object, want: Bound): boolean {
  if (!(bound instanceof Map)) return false;
  const names = new Set([...bound.keys(), ...want.keys()]);
  return [...names].every((name) => {
    const [a, b] = [plain((bound as Bound).get(name) ?? null), plain(want.get(name) ?? null)];
    return argumentText(a) === argumentText(b);
  });
}

/** Tuples as lists: schemas have lists only. */
const plain = (value: Argument): Argument => itemsOf(value)?.map(plain) ?? value;
