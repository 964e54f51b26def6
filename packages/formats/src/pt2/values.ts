/** @file Tensor metadata and symbolic scalars of a program file. */

import {
  type ConstantValue,
  type CustomObject,
  type DeviceLiteral,
  device,
  FakeTensor,
  float,
  int,
  type MetaValue,
  symBool,
  symFloat,
  symInt,
} from "@sconce/ir";
import type { IntLike, SymExpr } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import {
  type Place,
  type Read,
  readBoolean,
  readFloat,
  readInteger,
  readList,
  readObject,
  readSafeInteger,
  readString,
} from "../json/place.js";
import { JsonObject, type JsonValue } from "../json/value.js";
import { byNumber, LAYOUTS, SCALAR_TYPES } from "./schema.js";

const DTYPE_BY_NUMBER = /* @__PURE__ */ byNumber(SCALAR_TYPES);
const LAYOUT_BY_NUMBER = /* @__PURE__ */ byNumber(LAYOUTS);

/** Returns a reader of an enum that is written as its number. */
export function readEnum<K>(table: ReadonlyMap<number, K>, what: string): Read<K> {
  return (value, place) => {
    const number = readSafeInteger(value, place);
    const name = table.get(number);
    if (name === undefined) throw place.fail("PT2_TYPE", `${number} is not a known ${what}`);
    return name;
  };
}

export const readDType: Read<DType> = /* @__PURE__ */ readEnum(DTYPE_BY_NUMBER, "scalar type");
export const readLayout = /* @__PURE__ */ readEnum(LAYOUT_BY_NUMBER, "layout");

const devices = new Map<string, DeviceLiteral>();

export const readDevice: Read<DeviceLiteral> = (value, place) => {
  const object = readObject(value, place);
  const type = place.field(object, "type", readString);
  const index = place.optional(object, "index", readSafeInteger, null);
  if (!/^[a-z][a-z0-9_]*$/.test(type))
    throw place.fail("PT2_TYPE", `${JSON.stringify(type.slice(0, 50))} is not a device type`);
  // A handful of devices per process: sharing them keeps metadata small.
  const key = `${type}:${index}`;
  let known = devices.get(key);
  if (known === undefined) {
    known = device(type, index);
    if (devices.size < 64) devices.set(key, known);
  }
  return known;
};

/** What a symbolic scalar is. */
export type ScalarKind = "int" | "float" | "bool";

/** The symbols of one program. Only programs with expressions load what reads them. */
export interface Symbols {
  /** Example values by symbol name. */
  readonly hints: ReadonlyMap<string, number>;
  /** True once a data-dependent symbol has been read. */
  readonly hasUnbacked: boolean;
  /** Returns the value of an expression, which has to be of a kind. */
  parse(text: string, place: Place, kind: ScalarKind): number | boolean | SymExpr;
  /** Notes the example value of an expression. */
  hint(expr: SymExpr, value: number): void;
  /** Without the symbols that were read so far. */
  emptyCopy(): Symbols;
  /**
   * Returns the printed form of an expression that occurs in the program; undefined for another
   * one.
   */
  rangeKey(text: string, place: Place): string | undefined;
  /** @throws SconceError `SYM_*`: the guard cannot be read */
  checkGuard(text: string, place: Place): void;
}

const READ_STATIC = { int: readInteger, float: readFloat, bool: readBoolean } as const;

type ScalarRead = Read<number | bigint | boolean | SymExpr>;

function readSymbolic(kind: ScalarKind, symbols: Symbols | undefined): ScalarRead {
  const as_expr = symbols === undefined ? refuseExpression : expressionReader(kind, symbols);
  const members: Record<string, ScalarRead> = { as_expr, [`as_${kind}`]: READ_STATIC[kind] };
  return (value, place) => place.union(value, members);
}

/** Programs with expressions load the symbols: without them, the expression is in a weight. */
const refuseExpression: ScalarRead = (_, place) => {
  throw place.fail("PT2_WEIGHT", "a weight of symbolic size");
};

function expressionReader(kind: ScalarKind, symbols: Symbols): ScalarRead {
  return (value, place) => {
    const object = readObject(value, place);
    const expr = place.field(object, "expr_str", (text, at) => symbols.parse(readString(text, at), at, kind));
    const hint = place.optional(
      object,
      "hint",
      (inner, at) =>
        at.union<number | bigint | boolean>(inner, {
          as_int: readInteger,
          as_bool: readBoolean,
          as_float: readFloat,
        }),
      undefined,
    );
    if (typeof expr === "object" && typeof hint === "number") symbols.hint(expr, hint);
    return expr;
  };
}

/** Readers of values that share one symbol table. */
export interface ValueReaders {
  readonly tensor: Read<FakeTensor>;
  readonly symInt: Read<MetaValue>;
  readonly symFloat: Read<MetaValue>;
  readonly symBool: Read<MetaValue>;
  readonly customObject: Read<CustomObject>;
}

/**
 * Readers for the value tables of a graph. A symbolic scalar that is static after all becomes a
 * constant.
 */
export function valueReaders(symbols: Symbols | undefined): ValueReaders {
  const anyInt = readSymbolic("int", symbols);
  const anyFloat = readSymbolic("float", symbols);
  const anyBool = readSymbolic("bool", symbols);
  const extents = readList(extentReader(anyInt));
  // PyTorch does not read storage offsets: a symbol that only they have does not belong to the
  // program.
  const offset = extentReader(readSymbolic("int", symbols?.emptyCopy()));
  return {
    tensor: (value, place) => readTensorMeta(value, place, extents, offset),
    symInt: (value, place) => {
      const read = anyInt(value, place);
      return typeof read === "object" ? symInt(read) : constantValue(int(Number(read)));
    },
    symFloat: (value, place) => {
      const read = anyFloat(value, place);
      return typeof read === "object" ? symFloat(read) : constantValue(float(Number(read)));
    },
    symBool: (value, place) => {
      const read = anyBool(value, place);
      return typeof read === "object" ? symBool(read) : constantValue(read !== 0 && read !== false);
    },
    customObject: (value, place) => readCustomObject(value, place),
  };
}

const extentReader =
  (anyInt: Read<number | bigint | boolean | SymExpr>): Read<IntLike> =>
  (value, place) => {
    const size = value instanceof JsonObject && value.size === 1 ? value.get("as_int") : undefined;
    if (typeof size === "number" && Number.isInteger(size) && size >= 0) return size;
    const read = anyInt(value, place);
    if (typeof read === "object") return read;
    throw place.fail("PT2_TYPE", `${read} is not a size, stride or offset`);
  };

function readTensorMeta(
  value: JsonValue,
  place: Place,
  extents: Read<IntLike[]>,
  offset: Read<IntLike>,
): FakeTensor {
  const object = readObject(value, place);
  const shape = place.field(object, "sizes", extents);
  const strides = place.field(object, "strides", extents);
  if (shape.length !== strides.length) {
    throw place.fail("PT2_TYPE", `${shape.length} sizes but ${strides.length} strides`);
  }
  checkElementCount(shape, place);
  return new FakeTensor({
    dtype: place.field(object, "dtype", readDType),
    shape,
    strides,
    storageOffset: place.field(object, "storage_offset", offset),
    device: place.field(object, "device", readDevice),
    layout: place.field(object, "layout", readLayout),
    requiresGrad: place.field(object, "requires_grad", readBoolean),
  });
}

function checkElementCount(shape: readonly IntLike[], place: Place): void {
  let count = 1;
  for (const size of shape) if (typeof size === "number") count *= size;
  if (!(count <= Number.MAX_SAFE_INTEGER))
    throw place.fail("PT2_TYPE", `sizes [${shape.join(", ")}] are too large for any tensor`);
}

export const readCustomObject: Read<CustomObject> = (value, place) => {
  const object = readObject(value, place);
  return {
    kind: "custom_obj",
    name: place.field(object, "name", readString),
    classFqn: place.field(object, "class_fqn", readString),
  };
};

/** Returns a constant as the value of a node. */
const constantValue = (value: ConstantValue["value"]): ConstantValue => ({ kind: "constant", value });
