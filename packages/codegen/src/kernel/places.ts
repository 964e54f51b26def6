/**
 * @file How often the text of a value would stand in source, for printers that write expressions.
 */
import { blocksOf, type KernelBlock, type KernelOperand, type KernelValue, operandsOf } from "./kernel.js";

/** Places where the text of a value would stand. */
interface Places {
  count: number;
  /** Loops around the innermost of them. */
  loops: number;
}

/**
 * Counts the places that would have the text of each value. Places in a loop that the value is not
 * in count infinitely often.
 *
 * @param isRepeated whether each reader of a value writes its text, however many there are
 */
export function placesOf(
  body: KernelBlock,
  isRepeated: (value: KernelValue) => boolean,
): ReadonlyMap<KernelValue, number> {
  const places = new Map<KernelOperand, Places>();
  const uses = new Map<KernelValue, number>();
  // From the end, so that the readers of a value are seen before it.
  const visit = (block: KernelBlock, loops: number): void => {
    for (let at = block.length - 1; at >= 0; at--) {
      const statement = block[at]!;
      const isLoop = statement.kind === "for" || statement.kind === "loop";
      for (const inner of blocksOf(statement)) visit(inner, loops + (isLoop ? 1 : 0));
      let here: Places = { count: 1, loops };
      if (statement.kind === "let" || statement.kind === "load") {
        const own = places.get(statement.value);
        uses.set(
          statement.value,
          own === undefined ? 0 : own.loops > loops ? Number.POSITIVE_INFINITY : own.count,
        );
        if (own === undefined) continue;
        if (isRepeated(statement.value)) here = own;
      }
      for (const operand of operandsOf(statement)) {
        const known = places.get(operand);
        if (known === undefined) places.set(operand, { ...here });
        else {
          known.count += here.count;
          known.loops = Math.max(known.loops, here.loops);
        }
      }
    }
  };
  visit(body, 0);
  return uses;
}
