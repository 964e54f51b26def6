/**
 * @file Overloads whose schemas hide what they do: no alias annotation, and yet a result that
 * shares memory with an argument, or an argument that is written to. `observed-effects.ts` is
 * generated from what PyTorch was observed to do when every ATen overload without annotations was
 * called, on all recorded calls, on all of its own samples and on generated arguments
 * (`packages/testing/oracle/hidden_effects.py`,
 * `packages/testing/fixtures/functionalize/hidden-effects.json`).
 */
import { OBSERVED_EFFECTS } from "./observed-effects.js";

/** Names of arguments by overload, from the observed effects of one kind; not those of `except`. */
function observed(kind: "alias" | "write", except: string): [target: string, names: readonly string[]][] {
  return Object.entries(OBSERVED_EFFECTS).flatMap(([target, effects]) => {
    const names = effects.flatMap((effect) => {
      const [found, name] = effect.split(":");
      return found === kind ? [name!] : [];
    });
    return target === except || names.length === 0 ? [] : [[target, names]];
  });
}

/**
 * Arguments that a result may share memory with; whether it does depends on the call.
 *
 * Not listed: `native_dropout` returns its input when that has no elements, where sharing cannot be
 * seen.
 */
export const HIDDEN_ALIASES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  observed("alias", "aten.native_dropout.default"),
);

/** Of these only a call with a single operand can alias it: more are multiplied or joined. */
export const ALIAS_SINGLE_OPERAND: ReadonlySet<string> = new Set([
  "aten.einsum.default",
  "aten.cartesian_prod.default",
]);

/** What a call writes to although its schema does not say so. */
export interface HiddenWrite {
  /** Names of the arguments that are written although the schema does not say so. */
  readonly written: readonly string[];
  /** The argument that has to be true for it; absent where every call writes. */
  readonly flag?: string;
}

const STATISTICS = ["running_mean", "running_var"] as const;

/**
 * The flag that has to be true for a batch norm to update its statistics; others always update
 * them.
 */
const WRITE_FLAGS: Readonly<Record<string, string>> = {
  "aten.batch_norm.default": "training",
  "aten.native_batch_norm.default": "training",
  "aten._batch_norm_impl_index.default": "training",
  "aten.cudnn_batch_norm.default": "training",
  "aten.miopen_batch_norm.default": "training",
  "aten.instance_norm.default": "use_input_stats",
};

/**
 * Batch norms that need another device (cuDNN, MIOpen, synchronized statistics), so that their
 * writes could not be observed: `native_functions.yaml` of PyTorch documents them.
 */
const UNOBSERVED = [
  "aten._batch_norm_impl_index.default",
  "aten.cudnn_batch_norm.default",
  "aten.miopen_batch_norm.default",
  "aten.batch_norm_gather_stats.default",
  "aten.batch_norm_gather_stats_with_counts.default",
];

/**
 * Batch norms update their statistics.
 *
 * Not listed: `cov` changes a 0-d input if its weights are 0-d. This is a fault of PyTorch's
 * kernel, which Sconce's kernel does not have.
 */
export const HIDDEN_WRITES: Readonly<Record<string, HiddenWrite>> = Object.fromEntries(
  [
    ...observed("write", "aten.cov.default"),
    ...UNOBSERVED.map((target) => [target, STATISTICS] as const),
  ].map(([target, written]) => {
    const flag = WRITE_FLAGS[target];
    return [target, flag === undefined ? { written } : { written, flag }];
  }),
);
