/**
 * @file How often the text of a value would stand in source, for printers that write expressions.
 */
import { type Block, blocksOf, type KernelValue, type Operand, operandsOf } from "./kernel.js";

/** Places where the text of a value would stand. */
interface Places {
  readonly count: number;
  /** Loops around the innermost of them. */
  readonly loops: number;
}
const NOWHERE: Places = { count: 0, loops: 0 };

/**
 * Counts the places that would have the text of each value. Places in a loop that the value is not
 * in count infinitely often.
 *
 * @param isRepeated whether each reader of a value writes its text, however many there are
 */
export function placesOf(
  body: Block,
  isRepeated: (value: KernelValue) => boolean,
): ReadonlyMap<KernelValue, number> {
  const places = new Map<Operand, Places>();
  const uses = new Map<KernelValue, number>();
  // From the end, so that the readers of a value are seen before it.
  const visit = (block: Block, loops: number): void => {
    for (const statement of [...block].reverse()) {
      const isLoop = statement.kind === "for" || statement.kind === "loop";
      for (const inner of blocksOf(statement)) visit(inner, loops + (isLoop ? 1 : 0));
      let here: Places = { count: 1, loops };
      if (statement.kind === "let" || statement.kind === "load") {
        const own = places.get(statement.value) ?? NOWHERE;
        uses.set(statement.value, own.loops > loops ? Number.POSITIVE_INFINITY : own.count);
        if (own.count === 0) continue;
        if (isRepeated(statement.value)) here = own;
      }
      for (const operand of operandsOf(statement)) {
        const { count, loops: depth } = places.get(operand) ?? NOWHERE;
        places.set(operand, { count: count + here.count, loops: Math.max(depth, here.loops) });
      }
    }
  };
  visit(body, 0);
  return uses;
}
