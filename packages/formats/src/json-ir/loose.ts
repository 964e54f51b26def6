/**
 * @file Arguments of calls without a schema. Nothing says their types, so values that JSON does not
 * have name their kind.
 */
import { type Argument, dict, float, isFloat, type NodeRef, toNumber, tuple } from "@sconce/ir";
import type { JsonIRAttribute, JsonIRInputRef, JsonIRTagged } from "./types.js";

type Refs = (node: NodeRef) => JsonIRInputRef | NodeRef;

/** Returns an argument as an attribute; `refs` replaces the values of nodes. */
export function looseAttribute(value: Argument, refs: Refs): JsonIRAttribute {
  if (Array.isArray(value)) return (value as readonly Argument[]).map((item) => looseAttribute(item, refs));
  if (isFloat(value)) {
    const number = toNumber(value);
    return Number.isFinite(number) ? value : { kind: "float", value: number };
  }
  if (value === null || typeof value !== "object") return value;
  const tagged = value as Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;
  switch (tagged.kind) {
    case "node":
      return refs(tagged);
    case "tuple":
      return { kind: "tuple", items: tagged.items.map((item) => looseAttribute(item, refs)) };
    case "dict":
      return {
        kind: "dict",
        entries: tagged.entries.map(([key, item]) => [key, looseAttribute(item, refs)] as const),
      };
    default:
      return tagged;
  }
}

/**
 * Returns an attribute as an argument; `input` gives the nodes of inputs, `node` those of nested
 * graphs.
 */
export function looseArgument(
  value: JsonIRAttribute,
  input: (at: number) => Argument,
  node: (node: NodeRef) => Argument,
): Argument {
  const inner = (item: JsonIRAttribute): Argument => looseArgument(item, input, node);
  if (Array.isArray(value)) return (value as readonly JsonIRAttribute[]).map(inner);
  if (value === null || typeof value !== "object") return value;
  const tagged = value as JsonIRTagged;
  switch (tagged.kind) {
    case "input":
      return input(tagged.index);
    case "node":
      return node(tagged);
    case "float":
      return float(tagged.value);
    case "tuple":
      return tuple(tagged.items.map(inner));
    case "dict":
      return dict(tagged.entries.map(([key, item]) => [key, inner(item)] as const));
    default:
      return tagged;
  }
}
