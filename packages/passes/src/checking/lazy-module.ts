/** @file What pages load when they need it, and Node has at once. */
import { checkerNotLoaded, checkerUnreachable } from "./errors.js";

/** What a module gives, once it is loaded. */
export interface LazyModule<T> {
  /** Undefined until it is loaded. */
  readonly value: T | undefined;
  /**
   * Loads it once.
   * @throws SconceError `CHECKER_NOT_LOADED`
   */
  load(): Promise<void>;
}

/** What `read` imports when it is needed. */
export function loadedLater<T>(read: () => Promise<T>): LazyModule<T> {
  let value: T | undefined;
  return {
    get value() {
      return value;
    },
    load: async () => {
      try {
        value ??= await read();
      } catch (cause) {
        throw checkerUnreachable(cause);
      }
    },
  };
}

/** What is loaded already. */
export function loadedNow<T>(value: T): LazyModule<T> {
  return { value, load: () => Promise.resolve() };
}

/** @throws SconceError `CHECKER_NOT_LOADED` in a page that has not loaded it */
export function requireLoaded<T>({ value }: LazyModule<T>): T {
  if (value === undefined) throw checkerNotLoaded();
  return value;
}
