/** @file Whether gradients are recorded (`torch.no_grad`, `torch.enable_grad`). */
import { currentTrace } from "./dispatch.js";
import { runAtOnce } from "./run-at-once.js";

let ambient = true;

/**
 * Returns whether gradients are recorded where no trace runs: the mode that an export begins with.
 */
export const ambientGradEnabled = (): boolean => ambient;

function withAmbient<T>(enabled: boolean, run: () => T): T {
  const before = ambient;
  ambient = enabled;
  try {
    return run();
  } finally {
    ambient = before;
  }
}

function withGrad<T>(name: string, enabled: boolean, given: () => T, isSetTwice = false): T {
  const run = (): T => runAtOnce(name, given);
  const trace = currentTrace();
  if (trace === undefined) return withAmbient(enabled, run);
  const before = trace.setGradEnabled?.(enabled);
  if (isSetTwice) trace.setGradEnabled?.(enabled);
  try {
    return run();
  } finally {
    if (before !== undefined) trace.setGradEnabled?.(before);
  }
}

/**
 * Runs something without gradients, as `with torch.no_grad():` does. In a program that is exported
 * it becomes a region. Around an export it is the mode that the whole program is traced in, which
 * ends when `run` returns: export in `run` itself, not in a promise. Elsewhere it has no effect,
 * since Sconce records no gradients.
 *
 * @throws SconceError `TORCH_ARGUMENT` for an asynchronous function
 *
 * @example noGrad(() => this.weight.add_(1));
 *
 * @example const program = noGrad(() => exportProgram(model, [x]));
 */
export const noGrad = <T>(run: () => T): T => withGrad("noGrad", false, run);

/**
 * Runs something in inference mode, as `with torch.inference_mode():` does: an export records what
 * runs, and no region. Sconce records no gradients, so that there is nothing to switch off.
 */
export const inferenceMode = <T>(run: () => T): T => runAtOnce("inferenceMode", run);

/** Runs something with gradients, as `with torch.enable_grad():` does; see {@link noGrad}. */
export const enableGrad = <T>(run: () => T): T => withGrad("enableGrad", true, run);

/**
 * Runs something with or without gradients, as `with torch.set_grad_enabled(enabled):` does; see
 * {@link noGrad}. As there, the mode is set when the block is made and again when it is entered.
 */
export const setGradEnabled = <T>(enabled: boolean, run: () => T): T =>
  withGrad("setGradEnabled", enabled, run, true);
