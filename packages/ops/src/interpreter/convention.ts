/**
 * @file The calling convention of a program: what its placeholders are given, and what becomes of
 * its results.
 */
import {
  type ArgumentSpec,
  type ExportedProgram,
  float,
  type MetaValue,
  toNumber,
  type Value,
} from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { missingState } from "./errors.js";
import { MUTATIONS } from "./state.js";
import type { RuntimeValue } from "./values.js";

const LIFTED = new Set(["PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ"]);

/** A result of the program for its caller: a tensor, or a Python scalar. */
export type UserValue<T> = T | Exclude<Value, Tensor>;

/** A new value of a buffer, parameter or input. */
export interface Mutation<T> {
  /** The tensor to write to. */
  readonly place: Tensor;
  /** The new value. */
  readonly value: T;
  /** Name of the node that computed the value. */
  readonly name: string;
}

/** State and user inputs in the order of the graph's placeholders. */
export function graphInputs<T>(
  { graph, graphSignature: { inputSpecs } }: ExportedProgram,
  state: ReadonlyMap<string, Tensor>,
  inputs: readonly (Value | T)[],
): RuntimeValue<T | Tensor>[] {
  let next = 0;
  return graph.placeholders().map((node, i) => {
    const spec = inputSpecs[i];
    if (spec?.kind === "TOKEN") return Tensor.empty([0], "float32");
    if (spec === undefined || !LIFTED.has(spec.kind))
      return scalarOf(inputs[next++] as Value | T, node.meta.val, spec?.arg);
    const tensor = state.get(spec.target ?? "");
    if (tensor === undefined) throw missingState(spec.target ?? spec.arg.name);
    return tensor;
  });
}

/** Python floats keep their type inside, even when they are integral. */
function scalarOf<T>(
  value: Value | T,
  meta: MetaValue | undefined,
  spec: ArgumentSpec | undefined,
): RuntimeValue<T | Tensor> {
  if (typeof value !== "number") return value;
  const symbolic = typeof meta === "object" && meta !== null && "kind" in meta && meta.kind === "SymFloat";
  const constant = spec?.kind === "constant" && typeof spec.value === "object" && spec.value !== null;
  return symbolic || constant || spec?.kind === "symfloat" ? float(value) : value;
}

/** Returns the writes to buffers, parameters and inputs that a program's results are. */
export function mutationsOf<T>(
  { graphSignature: { inputSpecs, outputSpecs } }: ExportedProgram,
  state: ReadonlyMap<string, Tensor>,
  given: readonly RuntimeValue<T | Tensor>[],
  results: readonly RuntimeValue<T>[],
): Mutation<T>[] {
  return outputSpecs.flatMap(({ kind, target, arg }, i) => {
    if (!MUTATIONS.has(kind)) return [];
    const place =
      kind === "USER_INPUT_MUTATION"
        ? given[inputSpecs.findIndex((spec) => spec.arg.name === target)]
        : state.get(target ?? "");
    if (!(place instanceof Tensor)) throw missingState(target ?? arg.name);
    return [{ place, value: results[i] as T, name: arg.name }];
  });
}

/**
 * Returns the user's outputs. One that is a mutated value is the tensor that was written to, as in
 * PyTorch.
 */
export function userOutputs<T>(
  { graphSignature: { outputSpecs } }: ExportedProgram,
  results: readonly RuntimeValue<T>[],
  written: ReadonlyMap<string, T>,
): UserValue<T>[] {
  return outputSpecs.flatMap(({ kind, arg }, i) =>
    MUTATIONS.has(kind) || kind === "TOKEN" ? [] : [written.get(arg.name) ?? userValue(results[i]!)],
  );
}

function userValue<T>(value: RuntimeValue<T>): UserValue<T> {
  const tag = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  return (tag === "float" || tag === "complex" ? toNumber(value as never) : value) as UserValue<T>;
}
