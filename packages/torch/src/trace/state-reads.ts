/** @file Properties that give the traced state of modules, and take note of what is read. */

const getters = new WeakSet<object>();
let isNoting = true;

/** Makes a getter of a traced value; `note` is called when the model reads it. */
export function stateGetter<T>(value: () => T, note: () => void): () => T {
  const get = (): T => {
    if (isNoting) note();
    return value();
  };
  getters.add(get);
  return get;
}

/** Returns whether a getter gives the traced state of a module. */
export const isStateGetter = (get: object): boolean => getters.has(get);

/** Returns whether what is read is noted at present. */
export const isNoted = (): boolean => isNoting;

/** Runs something that reads the state and is not the model. */
export function withoutNotes<T>(run: () => T): T {
  const before = isNoting;
  isNoting = false;
  try {
    return run();
  } finally {
    isNoting = before;
  }
}
