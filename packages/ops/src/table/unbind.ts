import {
  type Argument,
  device,
  dtypeLiteral,
  type FakeTensor,
  float,
  type IntLike,
  int,
  type LayoutName,
  layout,
  type MemoryFormat,
  memoryFormat,
  type SchemaType,
  type SymScalar,
} from "@sconce/ir";
import { type DType, isDType } from "@sconce/tensor";
import type { EmitArg } from "../rows/emit.js";
import { dtypeOfCode } from "../rules/dtype-codes.js";

/**
 * A node argument in which the caller still has to replace tensors and symbolic values by
 * references.
 */
export type UnboundArg = Argument | FakeTensor | IntLike | SymScalar | readonly UnboundArg[];

/**
 * Inverts binding: returns what a decomposition passes, as a node holds it under a schema
 * type. Names of dtypes, layouts and memory formats become literals, numbers under `float` Python
 * floats; tensors and symbolic values stay.
 */
export function unbindValue(value: EmitArg, type: SchemaType): UnboundArg {
  if (value === undefined) return null;
  if (Array.isArray(value)) return (value as readonly EmitArg[]).map((item) => unbindValue(item, type));
  if (typeof value === "bigint") return int(value);
  if (typeof value === "number") return unbindNumber(value, type);
  if (typeof value === "string") return unbindName(value, type);
  return value as UnboundArg;
}

/** A number under `ScalarType` is the code of a dtype, as in defaults of schemas. */
function unbindNumber(value: number, { base }: SchemaType): Argument {
  if (base === "float") return float(value);
  const dtype = base === "ScalarType" ? dtypeOfCode(value) : undefined;
  return dtype === undefined ? value : dtypeLiteral(dtype);
}

function unbindName(name: string, type: SchemaType): Argument {
  switch (type.base) {
    case "ScalarType":
      return isDType(name) ? dtypeLiteral(name as DType) : name;
    case "Layout":
      return layout(name as LayoutName);
    case "MemoryFormat":
      return memoryFormat(name as MemoryFormat);
    case "Device": {
      const [kind = name, index] = name.split(":");
      return device(kind, index === undefined ? null : Number(index));
    }
    default:
      return name;
  }
}
