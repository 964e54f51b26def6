/**
 * @file Calls as PyTorch's dispatcher hands them to a tracer: arguments in schema order,
 * keyword-only ones as keywords, whatever equals its default at the end left out
 * (`parseIValuesToPyArgsKwargs` in `torch/csrc/utils/pybind.cpp`).
 */
import {
  type Argument,
  FakeTensor,
  float,
  isTuple,
  kindOf,
  type OpSchema,
  type SchemaArgument,
  type SchemaType,
} from "@sconce/ir";
import {
  argumentMissing,
  argumentUnexpected,
  type EmitArg,
  refuseUnknownKeywords,
  type UnboundArg,
  unbindValue,
} from "@sconce/ops";

/** Arguments of a call in their one form. */
export interface NormalizedCall {
  /** Positional arguments, without defaults at the end. */
  readonly args: readonly UnboundArg[];
  /** Keyword arguments that are not the defaults. */
  readonly kwargs: Readonly<Record<string, UnboundArg>>;
}

const INT64_MAX = 9223372036854775807n;

/** @throws SconceError `ARGUMENT_MISSING`, `ARGUMENT_UNEXPECTED` */
export function normalizeCall(
  schema: OpSchema,
  args: readonly EmitArg[],
  kwargs: Readonly<Record<string, EmitArg>>,
): NormalizedCall {
  const positional: UnboundArg[] = [];
  const keywords: Record<string, UnboundArg> = {};
  let keep = 0;
  let position = 0;
  for (const parameter of schema.args) {
    const byPosition = !parameter.kwargOnly && position < args.length;
    const given = byPosition ? args[position] : kwargs[parameter.name];
    if (!parameter.kwargOnly) position++;
    const value =
      given === undefined ? defaultOf(schema, parameter) : canonicalArgument(given, parameter.type);
    const isDefault = parameter.hasDefault && sameArgument(value, canonicalDefault(parameter));
    if (parameter.kwargOnly) {
      if (!isDefault) keywords[parameter.name] = value;
    } else {
      positional.push(value);
      if (!isDefault) keep = positional.length;
    }
  }
  if (args.length > position) {
    throw argumentUnexpected(schema, `takes ${position} positional arguments but ${args.length} were given`);
  }
  refuseUnknownKeywords(schema, args.length, kwargs);
  positional.length = keep;
  return { args: positional, kwargs: keywords };
}

/** The arguments of a call, as they are given. */
export interface GivenCall {
  readonly args: readonly EmitArg[];
  readonly kwargs: Readonly<Record<string, EmitArg>>;
}

/**
 * Returns a call whose arguments are by position where the schema has a place for them: as it is,
 * or normalized.
 *
 * @throws SconceError as {@link normalizeCall}
 */
export function placedCall(
  schema: OpSchema,
  args: readonly EmitArg[],
  kwargs: Readonly<Record<string, EmitArg>>,
): GivenCall {
  const keys = Object.keys(kwargs);
  const isPlaced =
    keys.length === 0 || !schema.args.some(({ name, kwargOnly }) => !kwargOnly && keys.includes(name));
  return isPlaced ? { args, kwargs } : normalizeCall(schema, args, kwargs);
}

function defaultOf(schema: OpSchema, parameter: SchemaArgument): UnboundArg {
  if (parameter.hasDefault) return canonicalDefault(parameter);
  if (parameter.type.optional || parameter.type.base === "Generator") return null;
  throw argumentMissing(schema, parameter.name);
}

const canonicalDefault = (parameter: SchemaArgument): UnboundArg =>
  canonicalArgument(parameter.defaultValue as EmitArg, parameter.type);

/**
 * Returns the value in the one form that its schema type allows: lists for `int[2]` given as an
 * int, floats for `float`.
 */
export function canonicalArgument(given: EmitArg, type: SchemaType): UnboundArg {
  if (given === null || given === undefined) return null;
  const value = isTuple(given) ? given.items : given;
  if (Array.isArray(value)) return (value as readonly EmitArg[]).map((item) => canonicalElement(item, type));
  const element = canonicalElement(value as EmitArg, type);
  if (type.list && type.listSize !== undefined) return new Array<UnboundArg>(type.listSize).fill(element);
  return element;
}

function canonicalElement(value: EmitArg, type: SchemaType): UnboundArg {
  if (typeof value === "number") {
    if (type.base === "float") return float(value);
    if (type.base === "int" || type.base === "SymInt") return int64(value);
  }
  if (typeof value === "bigint" && type.base === "float") return float(Number(value));
  if (typeof value === "boolean" && (type.base === "int" || type.base === "SymInt")) return Number(value);
  return unbindValue(value, type);
}

/**
 * Returns an integer as an argument. A size past 2^53 went through a double: 2^63 represents the
 * largest int64.
 */
function int64(value: number): Argument {
  // A fraction is left to the check of the operator's arguments.
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  return value >= 2 ** 63 ? INT64_MAX : BigInt(value);
}

/**
 * Equality of literals, kind included: 1 is not 1.0. Tensors and symbolic values never equal a
 * default.
 */
function sameArgument(a: UnboundArg, b: UnboundArg): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a)) {
    const other = b as readonly UnboundArg[];
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => sameArgument(item as UnboundArg, other[i]!))
    );
  }
  if (
    a instanceof FakeTensor ||
    b instanceof FakeTensor ||
    kindOf(a) === undefined ||
    kindOf(a) !== kindOf(b)
  )
    return false;
  const left = a as unknown as Record<string, unknown>;
  const right = b as unknown as Record<string, unknown>;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.is(left[key], right[key]));
}
