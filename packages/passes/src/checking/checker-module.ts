/** @file `#checker` wherever it is not Node. */
import type { Checker } from "./checker.js";
import { checkerUnreachable } from "./errors.js";

/** A class whose module is loaded when it is needed. */
export interface CheckerModule {
  /** Undefined until it is loaded. */
  readonly type: typeof Checker | undefined;
  /** Loads it once. */
  load(): Promise<void>;
}

let type: typeof Checker | undefined;

/** The checker, once it is loaded. */
export const CHECKER: CheckerModule = {
  get type() {
    return type;
  },
  load: async () => {
    try {
      type ??= (await import("./checker.js")).Checker;
    } catch (cause) {
      throw checkerUnreachable(cause);
    }
  },
};
