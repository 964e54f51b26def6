/** @file `#bisection` wherever it is not Node. */
import { checkerUnreachable } from "../checking/errors.js";
import type { bisectSteps } from "./bisect.js";

/** A search whose module is loaded when it is needed. */
export interface BisectionModule {
  /** Undefined until it is loaded. */
  readonly steps: typeof bisectSteps | undefined;
  /** Loads it once. */
  load(): Promise<void>;
}

let steps: typeof bisectSteps | undefined;

/** The search, once it is loaded. */
export const BISECTION: BisectionModule = {
  get steps() {
    return steps;
  },
  load: async () => {
    try {
      steps ??= (await import("./bisect.js")).bisectSteps;
    } catch (cause) {
      throw checkerUnreachable(cause);
    }
  },
};
