/** @file Parts of Sconce that pages load when they need them, and Node has at once. */
import { SconceError, UNREACHABLE_MODULE_FIX } from "./sconce-error.js";

/** A part of Sconce that is a file of its own in the bundles of pages. */
export interface LatePart<T> {
  /** The part; undefined until it is loaded. */
  readonly value: T | undefined;
  /**
   * Loads the part, the first time, and returns it.
   * @throws SconceError `PART_NOT_LOADED` where the module cannot be loaded
   */
  load(): Promise<T>;
  /**
   * Returns the part, for work that cannot wait.
   * @throws SconceError `PART_NOT_LOADED` where it is not loaded yet
   */
  require(): T;
}

/**
 * Makes a part that is loaded when it is needed. A load that fails is tried again by the next.
 *
 * @param name the part as errors name it: `the module that reads archives`
 * @param read imports the part; bundlers make a file of each `import()` that they see
 */
export function latePart<T>(name: string, read: () => Promise<T>): LatePart<T> {
  let value: T | undefined;
  return {
    get value() {
      return value;
    },
    load: async () => {
      try {
        value ??= await read();
      } catch (cause) {
        throw partUnreachable(name, cause);
      }
      return value;
    },
    require: () => {
      if (value === undefined) throw partNotLoaded(name);
      return value;
    },
  };
}

/** Makes a part that is there already. */
export const presentPart = <T>(value: T): LatePart<T> => ({
  value,
  load: () => Promise.resolve(value),
  require: () => value,
});

/** Returns the error when a page has not loaded a part that work without waiting needs. */
export const partNotLoaded = (name: string, where?: string): SconceError =>
  new SconceError({
    code: "PART_NOT_LOADED",
    message: `${name} is not loaded`,
    where,
    fix: "await `session.prepare()` first, or call `transformAsync` or `bisectAsync`",
  });

/** Returns the error when a page cannot load the module of a part. */
const partUnreachable = (name: string, cause: unknown): SconceError =>
  new SconceError({
    code: "PART_NOT_LOADED",
    message: `${name} cannot be loaded`,
    fix: UNREACHABLE_MODULE_FIX,
    cause,
  });
