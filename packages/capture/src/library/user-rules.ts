/** @file Fakes and decompositions of the user's as rules of an operator. */

import { isSconceError, thrownText } from "@sconce/errors";
import { float, type MetaValue, type OpSchema } from "@sconce/ir";
import {
  type BoundArgs,
  type Emit,
  fakeEmit,
  isOutOfMemory,
  type MetaContext,
  resultProblem,
} from "@sconce/ops";
import { sourceProblems } from "@sconce/source-check";
import { freeSymbols } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import { fakeOf, isSym, modelOperators, type SymInt, TracedTensor, visitExpressions } from "@sconce/torch";
import { divisorOf } from "@sconce/trace";
import { checkSource } from "../check/source-check.js";
import { EmitRecorder, shapeEnvOf } from "./emit-recorder.js";
import { decompositionFailed, fakeFailed, unboundSymbols } from "./errors.js";
import { withFakeContext } from "./fake-context.js";
import { callArguments, type UserFunction } from "./run-kernel.js";

/** What is known of an operator: its name as the user writes it, and its schema. */
export interface Named {
  readonly name: string;
  readonly schema: OpSchema;
}

/**
 * The shape rule that a fake is.
 *
 * @throws SconceError `FAKE_FAILED` (by the rule)
 */
export const fakeRule =
  ({ name, schema }: Named, fake: UserFunction) =>
  (bound: BoundArgs, { env }: MetaContext): MetaValue => {
    const shapes = shapeEnvOf(env);
    const recorder = new EmitRecorder(fakeEmit(modelOperators(), shapes), shapes, (value) => fakeOf(value));
    const args = callArguments(schema, bound, (value) => recorder.toUser(value));
    requireSource(fake, args);
    const known = new Set<string>();
    recorder.noteSymbols(Object.values(bound), known);
    const made = ({ expr }: SymInt): void => recorder.noteSymbols(expr, recorder.symbols);
    let result: unknown;
    try {
      result = withFakeContext(shapes, made, () => recorder.run(() => fake(...(args as never[]))));
    } catch (error) {
      if (isSconceError(error) || isOutOfMemory(error)) throw error;
      throw fakeFailed(name, `threw: ${thrownText(error)}`, error);
    }
    const meta = scalars(schema, recorder.toMeta(result));
    const problem = resultProblem(schema, meta);
    if (problem !== undefined) throw fakeFailed(name, problem);
    const given = givenSymbols(meta);
    const pending = [...recorder.symbols].filter((symbol) => !known.has(symbol) && !given.has(symbol));
    if (pending.length > 0) throw unboundSymbols(name, pending);
    return meta as MetaValue;
  };

/**
 * Returns the symbols that a result gives: as a value, a size, a stride, an offset, or a multiple.
 */
function givenSymbols(result: unknown): ReadonlySet<string> {
  const given = new Set<string>();
  visitExpressions(result, (expr) => {
    if (divisorOf(expr) !== undefined) for (const name of freeSymbols(expr).keys()) given.add(name);
  });
  return given;
}

/**
 * The decomposition rule that a function of the user's is.
 *
 * @throws SconceError `CUSTOM_OP_DECOMPOSITION` (by the rule)
 */
export const decompositionRule =
  ({ name, schema }: Named, decompose: UserFunction) =>
  (emit: Emit, bound: BoundArgs): MetaValue => {
    const recorder = new EmitRecorder(emit, shapeEnvOf(emit.env), (value: Tensor) => {
      throw decompositionFailed(
        name,
        `uses a tensor with values, of sizes [${value.shape.join(", ")}]: a lowered program has no place for it`,
        "make the tensor with operators (`torch.full`, `torch.arange`), or pass it as an argument",
      );
    });
    const given = callArguments(schema, bound, (value) => recorder.toUser(value));
    requireSource(decompose, given);
    let result: unknown;
    try {
      result = recorder.run(() => decompose(...(given as never[])));
    } catch (error) {
      if (isSconceError(error) || isOutOfMemory(error)) throw error;
      throw decompositionFailed(
        name,
        `threw: ${thrownText(error)}`,
        "compute the results with functions of `torch` and methods of the tensors alone",
        error,
      );
    }
    return scalars(schema, recorder.toMeta(result)) as MetaValue;
  };

const checked = new WeakMap<UserFunction, Set<boolean>>();

/**
 * Refuses functions in which JavaScript decides on tensors or dynamic sizes.
 *
 * @throws SconceError `SOURCE_CHECK`
 */
function requireSource(fn: UserFunction, args: readonly unknown[]): void {
  const known = checked.get(fn) ?? new Set();
  const hasSymbols = hasDynamicSizes(args);
  if (known.has(hasSymbols)) return;
  const { errors } = checkSource(fn, { args });
  if (errors.length > 0) throw sourceProblems(errors);
  checked.set(fn, known.add(hasSymbols));
}

const hasDynamicSizes = (values: readonly unknown[]): boolean =>
  values.some((value) => {
    if (value instanceof TracedTensor) return value.fake.shape.some((size) => typeof size !== "number");
    return isSym(value) || (Array.isArray(value) && hasDynamicSizes(value));
  });

/** Numbers among the results: the program does not compute them. */
function scalars({ returns }: OpSchema, result: unknown): unknown {
  if (returns.length !== 1)
    return Array.isArray(result) ? result.map((item, i) => scalar(returns[i]?.type.base, item)) : result;
  return scalar(returns[0]!.type.base, result);
}

/** Types whose results may be numbers or booleans. */
const PLAIN = new Set(["SymInt", "int", "float", "bool", "Scalar"]);

function scalar(base: string | undefined, value: unknown): unknown {
  if (typeof value !== "number" && typeof value !== "boolean") return value;
  if (base === undefined || !PLAIN.has(base)) return value;
  return { kind: "constant", value: base === "float" ? float(Number(value)) : value };
}
