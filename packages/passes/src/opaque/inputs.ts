/**
 * @file Whether the arguments of an opaque call are still those for which its results were
 * recorded.
 */
import { FakeTensor, type MetaValue, typeText } from "@sconce/ir";
import { type BoolLike, eq, type IntLike, symEquals } from "@sconce/symbolic";

/** What decides whether two symbolic sizes are equal. */
export interface SizeFacts {
  staticallyKnown(condition: BoolLike): boolean | undefined;
  hint(value: BoolLike): number | boolean | undefined;
}

/**
 * Returns what is different between the recorded value of an argument and its present one, in
 * words; undefined when dtype and sizes are the same. Sizes count as the same when they are equal
 * for all values of their symbols, or, where that cannot be decided, for the example values.
 */
export function changeOf(
  recorded: MetaValue | undefined,
  now: MetaValue | undefined,
  facts: SizeFacts,
): string | undefined {
  if (Array.isArray(recorded) && Array.isArray(now)) {
    if (recorded.length !== now.length) return `had ${recorded.length} values and has ${now.length}`;
    return (recorded as readonly MetaValue[])
      .map((item, i) => changeOf(item, (now as readonly MetaValue[])[i], facts))
      .find((change) => change !== undefined);
  }
  if (!(recorded instanceof FakeTensor) || !(now instanceof FakeTensor)) return undefined;
  const same =
    recorded.dtype === now.dtype &&
    recorded.ndim === now.ndim &&
    recorded.shape.every((size, dim) => sameSize(size, now.shape[dim]!, facts));
  return same ? undefined : `was ${typeText(recorded)} and is ${typeText(now)}`;
}

function sameSize(a: IntLike, b: IntLike, facts: SizeFacts): boolean {
  if (symEquals(a, b)) return true;
  const condition = eq(a, b);
  return (facts.staticallyKnown(condition) ?? facts.hint(condition)) === true;
}
