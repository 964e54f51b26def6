/** @file Properties of values. */

import { Tensor } from "@sconce/tensor";
import { fieldsOf } from "../fields.js";
import { elementOf } from "./interpreter.js";
import {
  type AbstractObject,
  arrayOf,
  join,
  joinKinds,
  type Kind,
  known,
  listOf,
  made,
  NOTHING,
  PLAIN,
  PLAINS,
  primitive,
  SIZE,
  SYM,
  SYMS,
  TENSOR,
  TENSORS,
  UNDEFINED,
  UNKNOWN,
  unknown,
} from "./kinds.js";
import { isNamespace, namespace } from "./names.js";
import { fakeOf, isModule, isSym } from "./own-values.js";
import { inheritedProperty } from "./prototypes.js";
import { isProxy, PROXY } from "./proxies.js";

/** What of the interpreter reads of properties need. */
export interface MemberReader {
  /** Returns what the code assigned to a property of a value that it did not make. */
  written(owner: object, key: string): Kind;
  /** Returns what a getter gives. */
  getter(get: () => unknown, self: Kind): Kind;
}

/** Returns the kind of a property. */
export function memberKind(object: Kind, key: Kind, reader: MemberReader): Kind {
  const name = primitive(key);
  const parts = [
    ...object.values.map((value) => valueMember(value, name?.value, reader)),
    ...object.objects.map((one) => objectMember(one, name?.value)),
  ];
  if (object.flags & TENSOR) parts.push(tensorMember(undefined, name?.value));
  if (object.flags & (SYM | SIZE | PLAIN)) parts.push(PLAINS);
  // `valueOf` of a dynamic size is the size: calls of it give it back.
  if (name?.value === "valueOf") parts.push({ ...NOTHING, flags: object.flags & (SYM | SIZE) });
  if (object.flags & UNKNOWN)
    parts.push(
      isNamespace(name?.value) ? namespace(name.value) : unknown(object.reason ?? "it is not known"),
    );
  return joinKinds(parts);
}

function valueMember(value: unknown, name: unknown, reader: MemberReader): Kind {
  if (value === null || value === undefined) return NOTHING;
  if (value instanceof Tensor) return tensorMember(value, name);
  if (isSym(value)) return name === "valueOf" ? SYMS : PLAINS;
  if (typeof value !== "object" && typeof value !== "function") return PLAINS;
  if (name === undefined)
    return joinKinds([elementsOf(known(value)), gettersOf(value, reader), reader.written(value, ANY)]);
  if (isProxy(value)) return unknown(PROXY);
  return property(value, typeof name === "symbol" ? name : String(name), reader);
}

/** The name under which properties are written whose name is not known, such as items of lists. */
export const ANY = "*";

function property(owner: object, key: string | symbol, reader: MemberReader): Kind {
  let found: PropertyDescriptor | undefined;
  try {
    found = inheritedProperty(owner, key);
  } catch {
    return unknown("an import that is not evaluated yet");
  }
  const written = join(reader.written(owner, String(key)), reader.written(owner, ANY));
  if (found === undefined) return join(UNDEFINED, written);
  const { get, set } = found;
  const own =
    get !== undefined
      ? reader.getter(get as () => unknown, known(owner))
      : set === undefined
        ? known(found.value)
        : UNDEFINED;
  return join(own, written);
}

/** Returns what the getters of an object give. */
function gettersOf(owner: object, reader: MemberReader): Kind {
  if (isProxy(owner)) return NOTHING;
  const own = Object.values(Object.getOwnPropertyDescriptors(owner));
  return joinKinds(
    own.flatMap(({ get }) => (get === undefined ? [] : [reader.getter(get as () => unknown, known(owner))])),
  );
}

const PROTOTYPES: Readonly<Record<string, object>> = {
  Array: Array.prototype,
  Map: Map.prototype,
  Set: Set.prototype,
};

function objectMember(object: AbstractObject, name: unknown): Kind {
  if (object.type === "namespace") return namespace(`${object.name}.${String(name)}`);
  if (name === undefined) return elementOf(object);
  const own = object.props.get(String(name));
  if (own !== undefined) return own;
  if (object.type === "array") {
    if (name === "length" || name === "size")
      return object.element === NOTHING ? known(object.props.size) : PLAINS;
    const prototype = PROTOTYPES[object.name ?? "Array"]!;
    if (String(name) in prototype) return known((prototype as Record<string, unknown>)[String(name)]);
    return /^\d+$/.test(String(name)) ? join(object.element, UNDEFINED) : UNDEFINED;
  }
  const isFunction = /^(?:function|bound|class|method)$/.test(object.type);
  const prototype = object.prototype ?? (isFunction ? Function.prototype : Object.prototype);
  const found = inheritedProperty(prototype, typeof name === "symbol" ? name : String(name));
  if (found !== undefined) return typeof found.value === "function" ? known(found.value) : PLAINS;
  return join(object.element, UNDEFINED);
}

const TENSOR_PROPERTIES = new Set(["T", "mT", "H", "mH", "real", "imag", "grad", "data"]);
const PLAIN_PROPERTIES = new Set([
  "dtype",
  "device",
  "layout",
  "ndim",
  "requiresGrad",
  "isLeaf",
  "numel",
  "storageOffset",
]);

/** Returns a property or a method of a tensor; properties of a tensor that is there are read. */
function tensorMember(tensor: Tensor | undefined, name: unknown): Kind {
  if (name === undefined) return TENSORS;
  const key = String(name);
  if (TENSOR_PROPERTIES.has(key)) return TENSORS;
  if (key === "shape" || key === "strides")
    return tensor === undefined ? arrayOf(PLAINS) : sizeList(tensor, key);
  if (PLAIN_PROPERTIES.has(key)) {
    return tensor === undefined ? PLAINS : plainProperty(tensor, key);
  }
  return made({ type: "method", props: new Map(), element: NOTHING, name: key, closure: tensor });
}

/** Numbers that depend on dynamic sizes cannot be read. */
function plainProperty(tensor: Tensor, key: string): Kind {
  try {
    return known(fieldsOf(tensor)[key]);
  } catch {
    return PLAINS;
  }
}

/** Returns the list of sizes: reading a dynamic one throws, so what it gives are numbers. */
function sizeList(tensor: Tensor, key: "shape" | "strides"): Kind {
  const sizes: readonly unknown[] = (fakeOf(tensor) ?? tensor)[key];
  if (sizes.every((size) => typeof size === "number")) return known(sizes);
  return listOf(sizes.map((size) => (typeof size === "number" ? known(size) : PLAINS)));
}

/** Returns what iterating over a value gives, and what its items by number are. */
export function elementsOf({ values, objects, flags, reason }: Kind): Kind {
  const parts = [...values.map(valueElements), ...objects.map(elementOf)];
  if (flags & TENSOR) parts.push(TENSORS);
  if (flags & (PLAIN | SYM | SIZE)) parts.push(PLAINS);
  if (flags & UNKNOWN) parts.push(unknown(reason ?? "it is not known"));
  return joinKinds(parts);
}

function valueElements(value: unknown): Kind {
  if (isProxy(value)) return unknown(PROXY);
  if (value instanceof Tensor) return TENSORS;
  if (Array.isArray(value) || value instanceof Set) return joinKinds([...value].map(known));
  if (value instanceof Map)
    return listOf([joinKinds([...value.keys()].map(known)), joinKinds([...value.values()].map(known))]);
  if (isModule(value)) {
    const children = value.namedChildren().map(([, child]) => child);
    return joinKinds(children.map(known));
  }
  if (typeof value === "string") return PLAINS;
  if (ArrayBuffer.isView(value)) return PLAINS;
  if (typeof value === "object" && value !== null) {
    const items = Object.values(Object.getOwnPropertyDescriptors(value)).map((own) => own.value as unknown);
    return Symbol.iterator in value ? unknown("an iterator is not followed") : joinKinds(items.map(known));
  }
  return NOTHING;
}
