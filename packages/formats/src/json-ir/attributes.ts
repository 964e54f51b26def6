/** @file Attributes of nodes, as arguments of operators and back. */
import {
  type Argument,
  device,
  dtypeLiteral,
  type FloatLiteral,
  float,
  isFloat,
  isInt,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
  type SchemaType,
} from "@sconce/ir";
import { isDType } from "@sconce/tensor";
import { LAYOUTS, MEMORY_FORMATS } from "../pt2/schema.js";
import { bareName, deviceOf, deviceText } from "./tagged.js";
import type { JsonIRAttribute, JsonIRTagged } from "./types.js";

/** Returns an argument as an attribute; undefined for what an attribute cannot hold. */
export function attributeOf(value: Argument): JsonIRAttribute | undefined {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return listOf(value as readonly Argument[]);
  const tagged = value as Exclude<Argument, null | boolean | number | bigint | string | readonly Argument[]>;
  switch (tagged.kind) {
    case "float":
    case "node":
    case "complex":
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
      return deviceText(tagged);
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

/** Returns an attribute as an argument of a type; undefined where it is not of that type. */
export function argumentOf(value: JsonIRAttribute, type: SchemaType): Argument | undefined {
  if (Array.isArray(value)) {
    if (!type.list) return undefined;
    const items = (value as readonly JsonIRAttribute[]).map((item) =>
      argumentOf(item, { ...type, list: false }),
    );
    return items.includes(undefined) ? undefined : (items as Argument[]);
  }
  if (typeof value === "string") return ofText(value, type.base);
  if (value === null || typeof value !== "object")
    return value === null || type.base === "Any" || fits(value, type.base) ? value : undefined;
  return ofTagged(value as JsonIRTagged, type.base);
}

/** What takes complex numbers. */
const COMPLEX: readonly SchemaType["base"][] = ["Tensor", "Scalar", "complex", "Any"];

/** Where a schema says the types, few values name their kind. */
function ofTagged(value: JsonIRTagged, base: SchemaType["base"]): Argument | undefined {
  switch (value.kind) {
    case "node":
      return base === "Tensor" ? undefined : value;
    case "float":
      return base === "Any" || fits(value, base) ? float(value.value) : undefined;
    case "complex":
      return COMPLEX.includes(base) ? value : undefined;
    default:
      return undefined;
  }
}

/** Returns whether a number or a boolean can represent an argument. */
function fits(value: boolean | number | bigint | FloatLiteral, base: SchemaType["base"]): boolean {
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
  const name = bareName(text);
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
      const found = deviceOf(text);
      // Values of the meta device are computed where the graph runs.
      return found?.type === "meta" ? device("cpu") : found;
    }
    default:
      return undefined;
  }
}
