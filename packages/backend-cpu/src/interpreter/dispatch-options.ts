import type { OptionNames } from "@sconce/errors";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import type { AnyKernel, KernelTable, RandomSource } from "../kernel/kernel.js";
import { createRandomSource } from "../kernels/random-source.js";
import type { KernelSet } from "../sets/kernel-set.js";
import { Dispatcher, type DispatcherParts } from "./dispatch.js";
import { CPU_REFUSALS } from "./refusals.js";

/** What operators run by. */
export interface DispatchOptions {
  /** Operators that programs may use; Sconce's own when left out. */
  readonly operators?: OperatorTable;
  /** Further kernels, of custom operators or in place of built-in ones. */
  readonly kernels?: KernelTable;
  /**
   * Operators whose kernels stand aside, so that their decompositions run: for comparing the two.
   */
  readonly withoutKernels?: readonly string[];
  /** Source of random numbers; a generator of seed 0 when left out. */
  readonly random?: RandomSource;
  /**
   * Most bytes that the values of a run may take together, inputs and weights not counted. What
   * needs more is refused (`OUT_OF_MEMORY`). 4 GiB when left out.
   */
  readonly maxBytes?: number;
}

/** The names of the options. */
export const DISPATCH: OptionNames<DispatchOptions> = {
  operators: true,
  kernels: true,
  withoutKernels: true,
  random: true,
  maxBytes: true,
};

/** Returns a dispatcher over the kernels of a set and those given, and its operators. */
export function dispatcherOf(own: KernelSet, options: DispatchOptions): Dispatching {
  return dispatchersOf(own, options)();
}

/** A dispatcher and the operators that it looks up. */
export interface Dispatching {
  readonly operators: OperatorTable;
  readonly dispatcher: Dispatcher;
}

/**
 * As {@link dispatcherOf} for many runs: the tables are joined once, when they are first needed;
 * each run has its own random numbers.
 */
export function dispatchersOf(own: KernelSet, options: DispatchOptions): () => Dispatching {
  const { operators = defaultOperators() } = options;
  let tables: Tables | undefined;
  return () => {
    tables ??= joined(own.table, options);
    const random = options.random ?? createRandomSource(0);
    return { operators, dispatcher: new Dispatcher({ operators, random, ...tables }) };
  };
}

type Tables = Pick<DispatcherParts, "kernels" | "refusals" | "replaced">;

/** Returns the kernels of this package and those given, without those that stand aside. */
function joined(own: KernelTable, { kernels = {}, withoutKernels = [] }: DispatchOptions): Tables {
  if (withoutKernels.length === 0 && Object.keys(kernels).length === 0)
    return { kernels: own, refusals: CPU_REFUSALS };
  const table: Record<string, AnyKernel> = { ...own, ...kernels };
  for (const target of withoutKernels) delete table[target];
  const refusals = new Map(CPU_REFUSALS);
  for (const target in kernels) refusals.delete(target);
  return { kernels: table, refusals, replaced: new Set(Object.keys(kernels)) };
}
