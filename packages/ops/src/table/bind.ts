/**
 * @file Between arguments as nodes hold them and arguments as rules and kernels take them: by name,
 * defaults filled in, literals unwrapped by their schema types.
 */
import {
  type Argument,
  type DeviceLiteral,
  device,
  FakeTensor,
  isRef,
  isTuple,
  kindOf,
  type LayoutName,
  type MemoryFormat,
  type Node,
  type NodeRef,
  type OpSchema,
  type SchemaArgument,
  type SchemaType,
} from "@sconce/ir";
import { SymExpr } from "@sconce/symbolic";
import { isDType } from "@sconce/tensor";
import type { BoundArgs } from "../rows/define-op.js";
import {
  argumentChoice,
  argumentKind,
  argumentLiteral,
  argumentMissing,
  argumentOverflow,
  argumentUnexpected,
} from "../rows/errors.js";
import { dtypeOfCode } from "../rules/dtype-codes.js";

/**
 * Returns the value of a referenced node: a fake tensor, a real one, a symbolic or plain scalar.
 */
export type Resolve = (node: NodeRef) => unknown;

/** Values of nodes as rules take them: a constant is what it represents. */
export function constantValue(val: unknown): unknown {
  const constant = val as { readonly kind?: unknown; readonly value?: unknown } | null | undefined;
  return typeof constant === "object" && constant?.kind === "constant" ? constant.value : val;
}

/**
 * Returns the argument at a place of the schema, by position or by keyword; null where it is left
 * out.
 */
export function argumentAt({ args, kwargs }: Node, schema: OpSchema, at: number): Argument {
  const { name, kwargOnly } = schema.args[at]!;
  return (kwargOnly ? undefined : args[at]) ?? kwargs[name] ?? null;
}

/**
 * Binds the arguments of a call to the names of its schema.
 *
 * Tensors (fake or real) and symbolic values stay as they are and may also be given directly
 * instead of a reference. A number in the place of a tensor stays a number: PyTorch's wrapped
 * number. `ScalarType`, `Layout` and `MemoryFormat` become names, `int` and `float` numbers (or
 * symbolic expressions), a `Scalar` keeps its literal, `int[2]` given as one int becomes a list.
 *
 * @throws SconceError `ARGUMENT_MISSING`, `ARGUMENT_UNEXPECTED`, `ARGUMENT_KIND`
 */
export function bindArgs(
  schema: OpSchema,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  resolve?: Resolve,
): BoundArgs {
  const bound: Record<string, unknown> = {};
  let position = 0;
  let used = 0;
  for (const parameter of schema.args) {
    const value = pick(schema, parameter, args, position, kwargs);
    if (!parameter.kwargOnly && position < args.length) position++;
    else if (Object.hasOwn(kwargs, parameter.name)) used++;
    bound[parameter.name] = bindValue(schema.target, parameter, value, resolve);
    refuseChoice(schema.target, parameter, bound[parameter.name]);
  }
  if (position < args.length) {
    throw argumentUnexpected(schema, `takes ${position} positional arguments but ${args.length} were given`);
  }
  if (used < Object.keys(kwargs).length) throw unknownKeyword(schema, args.length, kwargs);
  return bound;
}

/**
 * @throws SconceError `ARGUMENT_UNEXPECTED` for a keyword that the schema lacks, or that is given
 * by position too
 */
export function refuseUnknownKeywords(
  schema: OpSchema,
  positional: number,
  kwargs: Readonly<Record<string, unknown>>,
): void {
  for (const key in kwargs) {
    const at = schema.args.findIndex(({ name }) => name === key);
    if (kwargs[key] === undefined && at >= 0) continue;
    if (at < 0 || (!schema.args[at]!.kwargOnly && at < positional))
      throw unknownKeyword(schema, positional, kwargs);
  }
}

/**
 * Refuses calls without an argument that has no default. Rules and kernels take a missing optional
 * argument for null; PyTorch refuses the call.
 * @throws SconceError `ARGUMENT_MISSING`
 */
export function requireArguments(
  schema: OpSchema,
  positional: number,
  kwargs: Readonly<Record<string, unknown>>,
): void {
  let position = 0;
  for (const { name, kwargOnly, hasDefault } of schema.args) {
    const isGiven = (!kwargOnly && position++ < positional) || kwargs[name] !== undefined;
    if (!isGiven && !hasDefault) throw argumentMissing(schema, name);
  }
}

/** Types whose values are literals in nodes. Rules and decompositions name them by text. */
const LITERALS: ReadonlySet<string> = new Set(["ScalarType", "Layout", "MemoryFormat"]);

/**
 * Refuses text in the place of a dtype, a layout or a memory format, as PyTorch does. For arguments
 * as nodes hold them.
 *
 * @throws SconceError `ARGUMENT_KIND`
 */
export function refuseNames(
  schema: OpSchema,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): void {
  if (!args.some(isString) && !Object.values(kwargs).some(isString)) return;
  let position = 0;
  for (const { name, type, kwargOnly } of schema.args) {
    const value = !kwargOnly && position < args.length ? args[position++] : kwargs[name];
    if (isString(value) && LITERALS.has(type.base))
      throw argumentLiteral(schema.target, name, describeType(type), value);
  }
}

/** Integers that number a choice, by the name of the argument. */
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map([
  ["reduction", ["none", "mean", "sum"]],
  ["interpolation_mode", ["bilinear", "nearest", "bicubic"]],
  ["padding_mode", ["zeros", "border", "reflection"]],
]);

/** Refuses an integer that numbers no choice. @throws SconceError `INVALID_ARGUMENT` */
function refuseChoice(target: string, { name, type }: SchemaArgument, value: unknown): void {
  if (type.base !== "int" || typeof value !== "number") return;
  const choices = CHOICES.get(name);
  if (choices !== undefined && choices[value] === undefined)
    throw argumentChoice(target, name, choices, value);
}

function pick(
  schema: OpSchema,
  parameter: SchemaArgument,
  args: readonly unknown[],
  position: number,
  kwargs: Readonly<Record<string, unknown>>,
): unknown {
  const given = !parameter.kwargOnly && position < args.length ? args[position] : kwargs[parameter.name];
  if (given !== undefined) return given;
  if (parameter.hasDefault) return parameter.defaultValue;
  if (parameter.type.optional) return null;
  throw argumentMissing(schema, parameter.name);
}

function unknownKeyword(
  schema: OpSchema,
  positional: number,
  kwargs: Readonly<Record<string, unknown>>,
): Error {
  const byPosition = schema.args.filter((arg) => !arg.kwargOnly).slice(0, positional);
  const twice = byPosition.find((arg) => Object.hasOwn(kwargs, arg.name));
  if (twice !== undefined) return argumentUnexpected(schema, `got the argument "${twice.name}" twice`);
  const unknown = Object.keys(kwargs).find((key) => !schema.args.some((arg) => arg.name === key));
  return argumentUnexpected(schema, `has no argument "${unknown}"`);
}

function bindValue(
  target: string,
  parameter: SchemaArgument,
  given: unknown,
  resolve: Resolve | undefined,
): unknown {
  const { type, name } = parameter;
  const value = dereference(given, resolve);
  if (value === null || value === undefined) {
    if (type.optional || type.base === "Generator") return null;
    throw argumentKind(target, name, describeType(type), "None");
  }
  if (!type.list) {
    if (typeof value !== "object" && type.base === "Tensor" && target.startsWith("aten.sym_"))
      throw argumentKind(target, name, describeType(type), describeValue(value));
    return bindElement(target, name, type, value);
  }
  const items = Array.isArray(value)
    ? (value as readonly unknown[])
    : isTuple(value)
      ? value.items
      : undefined;
  if (items !== undefined) return items.map((item) => bindItem(target, name, type, item, resolve));
  if (type.listSize !== undefined) {
    return new Array(type.listSize).fill(bindElement(target, name, type, value));
  }
  throw argumentKind(target, name, describeType(type), describeValue(value));
}

function bindItem(
  target: string,
  name: string,
  type: SchemaType,
  item: unknown,
  resolve: Resolve | undefined,
): unknown {
  const value = dereference(item, resolve);
  if (value !== null && value !== undefined) return bindElement(target, name, type, value);
  if (type.optionalElements) return null;
  throw argumentKind(target, name, describeType(type), "a list with None in it");
}

const dereference = (value: unknown, resolve: Resolve | undefined): unknown =>
  resolve !== undefined && isRef(value) ? resolve(value) : value;

function bindElement(target: string, name: string, type: SchemaType, value: unknown): unknown {
  const bound = BINDERS[type.base]?.(value);
  if (typeof bound === "bigint") refuseLarge(target, name, bound);
  if (bound !== undefined) return bound;
  if (type.base in BINDERS) throw argumentKind(target, name, describeType(type), describeValue(value));
  return value;
}

/**
 * Integers as numbers have 64 bits, signed or not.
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
function refuseLarge(target: string, name: string, value: bigint): void {
  if (value >= -(2n ** 63n) && value < 2n ** 64n) return;
  throw argumentOverflow(
    target,
    name,
    value < 0n ? "can't convert negative int to unsigned" : "int too big to convert",
  );
}

/** Each gives the unwrapped value, or undefined when the kind is wrong. */
const BINDERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  Tensor: (value) => (isTensorLike(value) ? value : bindScalar(value)),
  Scalar: bindScalar,
  int: bindInt,
  SymInt: bindInt,
  float: bindFloat,
  bool: bindBool,
  str: (value) => (typeof value === "string" ? value : undefined),
  ScalarType: (value) =>
    typeof value === "number" ? dtypeOfCode(value) : named(value, "dtype", "dtype", isDType),
  Layout: (value) => named(value, "layout", "layout", isString) as LayoutName | undefined,
  MemoryFormat: (value) => {
    const name = named(value, "memory_format", "format", isString) as MemoryFormat | "0" | undefined;
    return name === "0" ? "contiguous_format" : name;
  },
  Device: (value) =>
    typeof value === "string" ? parseDevice(value) : kindOf(value) === "device" ? value : undefined,
};

/**
 * A bare expression in the place of a number is an integer: sizes are the only ones that rules pass
 * so.
 */
function bindScalar(value: unknown): unknown {
  if (isScalar(value)) return value;
  return value instanceof SymExpr ? { kind: "SymInt", expr: value } : undefined;
}

/** Integers have 64 bits: others are refused, as PyTorch does. */
function bindInt(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? value : undefined;
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) return undefined;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return symbolicOf(value, "SymInt");
}

function bindFloat(value: unknown): unknown {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return Number(value);
  const literal = value as { kind?: string; value?: number };
  if (kindOf(value) === "float") return literal.value;
  return symbolicOf(value, "SymFloat") ?? symbolicOf(value, "SymInt");
}

function bindBool(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return Boolean(value);
  return symbolicOf(value, "SymBool");
}

function symbolicOf(value: unknown, kind: string): unknown {
  const scalar = value as { kind?: string; expr?: unknown };
  if (typeof value !== "object" || value === null) return undefined;
  if (scalar.kind === kind) return scalar.expr;
  return value instanceof SymExpr ? value : undefined;
}

function named(value: unknown, kind: string, field: string, test: (name: unknown) => boolean): unknown {
  const name = kindOf(value) === kind ? (value as unknown as Record<string, unknown>)[field] : value;
  return test(name) ? name : undefined;
}

const isString = (value: unknown): value is string => typeof value === "string";
const SCALAR_KINDS = new Set(["float", "complex", "SymInt", "SymFloat", "SymBool"]);
const isScalar = (value: unknown): boolean =>
  typeof value === "number" ||
  typeof value === "bigint" ||
  typeof value === "boolean" ||
  (typeof value === "object" && SCALAR_KINDS.has((value as { kind?: string }).kind ?? ""));
/** Returns whether a value is a tensor, fake or real. */
export const isTensorLike = (value: unknown): boolean =>
  value instanceof FakeTensor ||
  (typeof value === "object" && value !== null && "dtype" in value && "shape" in value);

/** `cpu`, `cuda:0`. */
function parseDevice(text: string): DeviceLiteral {
  const [type = text, index] = text.split(":");
  return device(type, index === undefined ? null : Number(index));
}

/** Returns the schema type as PyTorch writes it: `Tensor`, `int[2]?`. */
export function describeType(type: SchemaType): string {
  const element = type.optionalElements || (type.optional && !type.list) ? `${type.base}?` : type.base;
  if (!type.list) return element;
  return `${element}[${type.listSize ?? ""}]${type.optional ? "?" : ""}`;
}

/** Returns a few words for an error message. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object")
    return isTensorLike(value) ? "a tensor" : `a ${(value as { kind?: string }).kind ?? "value"}`;
  return `the ${typeof value} ${JSON.stringify(String(value))}`;
}
