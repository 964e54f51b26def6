/** @file Operators that run at once: on the interpreter, with one generator of random numbers. */
import { createEvaluator, createRandomSource, type Evaluator, type SeededSource } from "@sconce/backend-cpu";
import type { DType } from "@sconce/tensor";
import { type AutocastMode, NO_AUTOCAST } from "./autocast-mode.js";
import { customOperator, modelOperators } from "./custom-operators.js";
import { badSeed } from "./errors.js";
import { drawnInItems, drawsNumbers, type Run } from "./lane-draws.js";
import { runningItems } from "./lane-items.js";
import { inItems } from "./lane-writes.js";
import { isMetaCall, metaCall } from "./meta-calls.js";

interface Eager {
  readonly random: SeededSource;
  readonly evaluate: Evaluator;
}

let eager: Eager | undefined;

function eagerly(): Eager {
  if (eager === undefined) {
    const random = createRandomSource(0);
    eager = { random, evaluate: createEvaluator({ random }) };
  }
  return eager;
}

/** Runs one operator on tensors with values: its kernel where a model defines it. */
export function evaluateEagerly(
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>> = {},
): ReturnType<Evaluator> {
  if (isMetaCall(args, kwargs)) return metaCall(target, args, kwargs, evaluated) as ReturnType<Evaluator>;
  if (runningItems().length === 0) return evaluated(target, args, kwargs);
  const call = { target, args, kwargs };
  const isDraw = isRandom(target) && drawsNumbers(call);
  return inItems(call, isDraw, () =>
    isDraw ? drawnInItems<ReturnType<Evaluator>>(call, evaluated as Run) : evaluated(target, args, kwargs),
  );
}

function evaluated(
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): ReturnType<Evaluator> {
  const custom = customOperator(target);
  if (custom !== undefined) return custom.run(args, kwargs) as ReturnType<Evaluator>;
  const [, given, named] = [target, args, kwargs] as Parameters<Evaluator>;
  return eagerly().evaluate(target, given, named, eagerAutocastDtype());
}

let mode = NO_AUTOCAST;

/** Returns the dtype of the mixed precision that operators run in now; null for none. */
export const eagerAutocastDtype = (): DType | null => (mode.enabled ? mode.dtype : null);

/** Runs something in another mixed precision mode, given the one around it. */
export function eagerAutocast<T>(choose: (outer: AutocastMode) => AutocastMode, run: () => T): T {
  const outer = mode;
  mode = choose(outer);
  try {
    return run();
  } finally {
    mode = outer;
  }
}

/**
 * Sets the seed of the random numbers of operators that run at once, and so of the weights of new
 * layers (`torch.manual_seed`). The numbers are PyTorch's on the CPU.
 *
 * @throws SconceError `TORCH_ARGUMENT` for a seed that is not an integer
 */
export function manualSeed(seed: number | bigint): void {
  if (typeof seed !== "bigint" && !Number.isSafeInteger(seed)) throw badSeed(seed);
  eagerly().random.seed(seed);
}

/**
 * Returns a function that sets the random numbers back to where they are now: the draws of items
 * around, too.
 */
export function saveRandomness(): () => void {
  const restore = eagerly().random.save();
  const draws = runningItems().map((run) => run.draws);
  return () => {
    restore();
    runningItems().forEach((run, at) => {
      run.draws = draws[at]!;
    });
  };
}

const isRandom = (target: string): boolean =>
  modelOperators().get(target)?.tags.includes("nondeterministic_seeded") === true;
