/** @file Calls the overload that the arguments of a function or method select. */
import { device, type OpSchema } from "@sconce/ir";
import { dtypeOfCode } from "@sconce/ops";
import { type DType, Tensor } from "@sconce/tensor";
import { callOperator, type OperatorArgument, type OperatorResult } from "../trace/dispatch.js";
import { convert, isTraced } from "./arguments.js";
import { withGradient } from "./constants.js";
import { camelCase } from "./names.js";
import type { Signature } from "./parameters.js";
import { type Keywords, type ParsedCall, parseCall, splitKeywords } from "./parse-call.js";
import { refuseAmbiguousCall } from "./whole-numbers.js";

/** What a function of the functional API returns. */
export type FunctionResult = OperatorResult | DType;
/** A function of the functional API, untyped. */
export type AnyFunction = (...given: readonly unknown[]) => FunctionResult;

const CPU = device("cpu");

interface BoundCall {
  readonly values: Map<string, OperatorArgument>;
  readonly out: unknown;
  readonly requiresGrad: boolean;
}

function bind({ signature, values }: ParsedCall, self: Tensor | undefined): BoundCall {
  const bound = new Map<string, OperatorArgument>();
  if (self !== undefined) bound.set("self", self);
  let out: unknown;
  let requiresGrad = false;
  signature.parameters.forEach((parameter, i) => {
    const value = values[i];
    if (parameter.role === "out") out = value ?? undefined;
    else if (parameter.role === "requiresGrad") requiresGrad = value === true;
    else if (value === undefined && parameter.name === "reduction" && parameter.optional)
      // The parser reads the default `at::Reduction::Mean` as the number 0: the loss is not
      // reduced.
      bound.set(parameter.name, 0);
    else if (value !== undefined)
      bound.set(schemaName(signature, parameter.name), value === null ? null : convert(parameter, value));
  });
  return { values: bound, out, requiresGrad };
}

/** PyTorch's functions call `self` `input`. */
const schemaName = ({ schema }: Signature, name: string): string =>
  name === "input" && !schema.args.some((argument) => argument.name === "input") ? "self" : name;

/** `device` and `pin_memory` are always given, as PyTorch's bindings do. */
function fillOptions(signature: Signature, values: Map<string, OperatorArgument>): void {
  if ((values.get("device") ?? null) === null && !signature.deviceFromTensor) values.set("device", CPU);
  values.set("pin_memory", values.get("pin_memory") === true);
}

function callOut({ outSchema }: Signature, { values, out }: BoundCall): FunctionResult {
  const outs = Array.isArray(out) ? out : [out];
  const names = outSchema!.args.filter(({ kwargOnly, alias }) => kwargOnly && alias?.write === true);
  names.forEach(({ name }, i) => {
    values.set(name, outs[i] as OperatorArgument);
  });
  return named(outSchema!, callBound(outSchema!, values));
}

/** Returns the names of the results of an operator that PyTorch gives as a named tuple. */
export function resultNames({ returns }: Pick<OpSchema, "returns">): readonly string[] | undefined {
  const names = returns.flatMap(({ name }) => (name === undefined ? [] : [camelCase(name)]));
  return returns.length > 1 && names.length === returns.length ? names : undefined;
}

/** Gives a list of results their names: `x.max(0).values`, `[values, indices] = x.max(0)`. */
function named(schema: OpSchema, result: FunctionResult): FunctionResult {
  const names = resultNames(schema);
  if (names === undefined || !Array.isArray(result)) return result;
  const list = [...(result as readonly OperatorResult[])];
  for (const [i, name] of names.entries()) Object.defineProperty(list, name, { value: list[i] });
  return list;
}

/** Calls an overload with the values of its parameters, by the names of its schema. */
export function callBound(
  schema: Signature["schema"],
  values: ReadonlyMap<string, OperatorArgument>,
): FunctionResult {
  const args: OperatorArgument[] = [];
  const kwargs: Record<string, OperatorArgument> = {};
  let given = 0;
  for (const { name, kwargOnly } of schema.args) {
    const value = values.get(name);
    if (!kwargOnly) {
      args.push(value);
      if (value !== undefined) given = args.length;
    } else if (value !== undefined) kwargs[name] = value;
  }
  args.length = given;
  const result = callOperator(schema.target, args, kwargs);
  // Operators return a dtype as its number.
  const isDType = schema.returns[0]?.type.base === "ScalarType" && typeof result === "number";
  return isDType ? (dtypeOfCode(result) ?? result) : result;
}

/**
 * Calls a function as PyTorch does: the first signature that takes the arguments names the
 * overload.
 *
 * @throws SconceError `NO_SIGNATURE`, and what the operator refuses
 */
export function callSignatures(
  name: string,
  signatures: readonly Signature[],
  self: Tensor | undefined,
  args: readonly unknown[],
  kwargs: Keywords,
  written: readonly unknown[] = args,
): FunctionResult {
  const parsed = parseCall(name, signatures, args, kwargs, written);
  const { signature } = parsed;
  const bound = bind(parsed, self);
  if (bound.out !== undefined) return callOut(signature, bound);
  refuseAmbiguousCall(name, signature.schema.name, bound.values);
  if (signature.hasTensorOptions) fillOptions(signature, bound.values);
  const result = named(signature.schema, callBound(signature.schema, bound.values));
  const asksGradient = bound.requiresGrad && result instanceof Tensor && !isTraced(result);
  return asksGradient ? withGradient(result) : result;
}

/** As {@link callSignatures}, with keyword arguments in a last plain object. */
export function callFunction(
  name: string,
  signatures: readonly Signature[],
  self: Tensor | undefined,
  given: readonly unknown[],
): FunctionResult {
  const { args, kwargs } = splitKeywords(given);
  return callSignatures(name, signatures, self, args, kwargs, given);
}
