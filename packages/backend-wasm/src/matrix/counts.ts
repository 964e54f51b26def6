/** @file How many rows, columns and steps a product has: numbers, or known when the kernel runs. */
import { type Axis, atom, elementsOf, fixedValue, forEachAtom, type Index, indicesIn } from "@sconce/codegen";
import { type FunctionBuilder, i32 } from "@sconce/wasm";
import type { Blocks } from "./blocks.js";
import { type Address, indexAt, type Places } from "./index-code.js";
import type { MatrixPlan } from "./product-plan.js";

/** Returns whether an index is a number. */
export const isFixed = (index: Index): boolean => fixedValue(index) !== undefined;

/** Returns the sizes in an index. */
export function sizesIn(index: Index): Index[] {
  const found: Index[] = [];
  forEachAtom(index, (item) => {
    if (item.kind === "size") found.push(atom(item));
  });
  return found;
}
/** Returns the sizes that a product depends on. */
export function sizesOf({ nest, a, b }: MatrixPlan): readonly Index[] {
  const indices = [...indicesIn(nest), ...[a, b].flatMap(({ outer, lanes, inner }) => [outer, lanes, inner])];
  return [...new Map(indices.flatMap(sizesIn).map((one) => [one.text, one])).values()];
}

/** A number, or where it is when the kernel runs. */
type Count = number | Address;
/** How many rows, columns and steps there are, and the blocks that they are in. */
export interface Counts {
  readonly rows: Count;
  readonly columns: Count;
  readonly steps: Count;
  readonly rowBlocks: Count;
  readonly columnBlocks: Count;
}
export function countsIn(
  f: FunctionBuilder,
  { plan, blocks }: { readonly plan: MatrixPlan; readonly blocks: Blocks },
  sizes: Places,
): Counts {
  const count = (axes: readonly Axis[]): Count => {
    const all = elementsOf(axes);
    return fixedValue(all) ?? f.let(indexAt(all, sizes));
  };
  const inBlocks = (all: Count, known: number, size: number): Count =>
    typeof all === "number" ? known : f.let(i32(all).parts(size));
  const [rows, columns] = [count(plan.rows), count(plan.columns)];
  return {
    rows,
    columns,
    steps: count(plan.inner),
    rowBlocks: inBlocks(rows, blocks.rowBlocks, blocks.rows),
    columnBlocks: inBlocks(columns, blocks.columnBlocks, blocks.columns),
  };
}
