/** @file What an interpreter is made from, and how the steps of a run are driven. */
import type { OptionNames } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import { isScalarFunction } from "../rows/scalar-functions.js";
import type { OperatorTable } from "../table/table.js";
import { notSynchronous } from "./errors.js";
import type { Step } from "./graph-plan.js";
import { HIGHER_ORDER } from "./higher-order.js";
import { isLaneCall } from "./lanes.js";
import type { TensorAccess } from "./tensor-access.js";
import type { CallKwargs, NodeArgument, Running, Steps } from "./values.js";

/** Options of `Interpreter`. */
export interface InterpreterOptions<T = Tensor> {
  /** Operators that programs may use; Sconce's own when left out. */
  readonly operators?: OperatorTable | undefined;
  /** How control flow reads values that are not tensors in memory. */
  readonly tensors?: TensorAccess<T> | undefined;
}

export const OPTIONS: OptionNames<InterpreterOptions> = { operators: true, tensors: true };

/** What a node is called with. */
export interface NodeArguments<T = Tensor> {
  /** Positional arguments, with values in place of references. */
  readonly args: readonly NodeArgument<T>[];
  /** Keyword arguments by name, with values in place of references. */
  readonly kwargs: CallKwargs<T>;
}

export const NO_KWARGS: Readonly<Record<string, never>> = Object.freeze({});

/** Receives each step of the program's own graph that has run. */
export type Report = (step: Step, index: number, milliseconds: number) => void;

/** Prints a line of the program where no run says what to do with it. */
export const printLine = (text: string): void => console.log(text);

/** Calls that change modes which mean nothing here. */
export const NO_EFFECT: ReadonlySet<string> = new Set(["torch._C._set_grad_enabled"]);

/**
 * True for calls that every `Interpreter` runs by itself: scalar functions, control flow, items of
 * results.
 */
export const isInterpretedCall = (target: string): boolean =>
  target === "operator.getitem" ||
  isScalarFunction(target) ||
  HIGHER_ORDER.has(target) ||
  isLaneCall(target) ||
  NO_EFFECT.has(target);

/** Runs a running value, and `next` with its result. */
export function* chained<V>(value: Running<V>, next: (value: V) => V): Steps<V> {
  return next(yield* value.steps);
}

/**
 * Runs steps to their end without pauses; `passed` is called in their place.
 * @throws SconceError `INTERPRETER_ASYNC` where there is something to wait for
 */
export function driveSync<V>(steps: Steps<V>, passed: () => void): V {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value !== undefined) throw notSynchronous();
    passed();
  }
}

/** Runs steps to their end, with a pause where they yield nothing to wait for. */
export async function drive<V>(steps: Steps<V>, pause: () => Promise<void>): Promise<V> {
  try {
    let result = steps.next();
    while (!result.done) {
      const awaited = result.value;
      if (awaited === undefined) {
        await pause();
        result = steps.next();
        continue;
      }
      let value: unknown;
      try {
        value = await awaited;
      } catch (error) {
        // The generator adds the node.
        result = steps.throw(error);
        continue;
      }
      result = steps.next(value);
    }
    return result.value;
  } finally {
    // A run that was canceled in a pause is left in the middle.
    steps.return(undefined as V);
  }
}
