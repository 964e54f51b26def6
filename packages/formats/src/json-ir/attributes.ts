/** @file Attributes of nodes, as arguments of operators and back. */
import {
  type Argument,
  device,
  dtypeLiteral,
  isFloat,
  isInt,
  isRef,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
  type NodeRef,
  type SchemaType,
} from "@sconce/ir";
import { isDType } from "@sconce/tensor";
import { LAYOUTS, MEMORY_FORMATS } from "../pt2/schema.js";
import type { JsonIRAttribute } from "./types.js";

/** An argument as an attribute; undefined for what an attribute cannot hold. */
export function attributeOf(value: Argument): JsonIRAttribute | undefined {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return listOf(value as readonly Argument[]);
  const tagged = value as Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;
  switch (tagged.kind) {
    case "float":
    case "node":
      return tagged;
    case "tuple":
      return listOf(tagged.items);
    case "dtype":
      return `torch.${tagged.dtype}`;
    case "layout":
      return `torch.${tagged.layout}`;
    case "memory_format":
      return `torch.${tagged.format}`;
    case "device":
      return tagged.index === null ? tagged.type : `${tagged.type}:${tagged.index}`;
    default:
      return undefined;
  }
}

function listOf(items: readonly Argument[]): readonly JsonIRAttribute[] | undefined {
  const out: JsonIRAttribute[] = [];
  for (const item of items) {
    const attribute = attributeOf(item);
    if (attribute === undefined) return undefined;
    out.push(attribute);
  }
  return out;
}

/** The floats that JSON has no numbers for, by their texts. */
export const NAMED_FLOATS: ReadonlyMap<unknown, number> = new Map([
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["NaN", NaN],
]);

/** An attribute as an argument of a type; undefined where it is not of that type. */
export function argumentOf(value: JsonIRAttribute, type: SchemaType): Argument | undefined {
  if (Array.isArray(value)) {
    if (!type.list) return undefined;
    const items = (value as readonly JsonIRAttribute[]).map((item) =>
      argumentOf(item, { ...type, list: false }),
    );
    return items.includes(undefined) ? undefined : (items as Argument[]);
  }
  if (isRef(value as Argument)) return type.base === "Tensor" ? undefined : (value as NodeRef);
  if (typeof value === "string") return ofText(value, type.base);
  if (value === null || type.base === "Any") return value as Argument;
  return fits(value as Exclude<JsonIRAttribute, string | null | readonly JsonIRAttribute[]>, type.base)
    ? (value as Argument)
    : undefined;
}

/** Whether a number or a boolean can represent an argument. */
function fits(value: boolean | number | bigint | object, base: SchemaType["base"]): boolean {
  if (isInt(value) && BigInt.asIntN(64, BigInt(value)) !== BigInt(value)) return false;
  const isBoolean = typeof value === "boolean";
  switch (base) {
    case "Tensor":
    case "Scalar":
    case "complex":
      return true;
    case "bool":
    case "SymBool":
      return isBoolean;
    case "int":
    case "SymInt":
      return isBoolean || !isFloat(value);
    case "float":
      return !isBoolean;
    default:
      // Old programs hold dtypes, layouts and memory formats as numbers; no export of today does.
      return false;
  }
}

function ofText(text: string, base: SchemaType["base"]): Argument | undefined {
  const name = text.startsWith("torch.") ? text.slice("torch.".length) : text;
  switch (base) {
    case "str":
    case "Dimname":
    case "Any":
      return text;
    case "float":
    case "Scalar":
    case "Tensor":
      return NAMED_FLOATS.get(text);
    case "ScalarType":
      return isDType(name) ? dtypeLiteral(name) : undefined;
    case "Layout":
      return Object.hasOwn(LAYOUTS, name) ? layout(name as LayoutName) : undefined;
    case "MemoryFormat":
      return Object.hasOwn(MEMORY_FORMATS, name) ? memoryFormat(name as MemoryFormat) : undefined;
    case "Device": {
      const [, type, index] = /^([a-z_]+)(?::(\d{1,4}))?$/.exec(text) ?? [];
      // Values of the meta device are computed where the graph runs.
      if (type === "meta") return device("cpu");
      return type === undefined ? undefined : device(type, index === undefined ? null : Number(index));
    }
    default:
      return undefined;
  }
}
