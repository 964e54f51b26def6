/** @file What an output node records. */
import { type Argument, isRef, itemsOf } from "./argument.js";
import type { MetaValue } from "./meta.js";

/** Returns the value of what a graph returns: a list of them for a tuple or list. */
export function outputValue(
  result: Argument,
  recordedOf: (name: string) => MetaValue | undefined,
): MetaValue {
  const recorded = (item: Argument): MetaValue => {
    if (isRef(item)) return recordedOf(item.name) ?? null;
    return item === null ? null : { kind: "constant", value: item };
  };
  return itemsOf(result)?.map(recorded) ?? recorded(result);
}
