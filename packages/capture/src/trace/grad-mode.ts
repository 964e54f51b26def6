/** @file Whether gradients are recorded (`torch.no_grad`, `torch.enable_grad`). */
import { currentTrace } from "./dispatch.js";

function withGrad<T>(enabled: boolean, run: () => T, isSetTwice = false): T {
  const trace = currentTrace();
  const before = trace?.setGradEnabled?.(enabled);
  if (isSetTwice) trace?.setGradEnabled?.(enabled);
  try {
    return run();
  } finally {
    if (before !== undefined) trace?.setGradEnabled?.(before);
  }
}

/**
 * Runs something without gradients, as `with torch.no_grad():` does. In a program that is exported
 * it becomes a region; otherwise it has no effect, since Sconce records no gradients.
 *
 * @example noGrad(() => this.weight.add_(1));
 */
export const noGrad = <T>(run: () => T): T => withGrad(false, run);

/** Runs something with gradients, as `with torch.enable_grad():` does; see {@link noGrad}. */
export const enableGrad = <T>(run: () => T): T => withGrad(true, run);

/**
 * Runs something with or without gradients, as `with torch.set_grad_enabled(enabled):` does; see
 * {@link noGrad}. As there, the mode is set when the block is made and again when it is entered.
 */
export const setGradEnabled = <T>(enabled: boolean, run: () => T): T => withGrad(enabled, run, true);
