import { SconceError } from "@sconce/errors";
import { type DecomposeRule, defaultOperators, type EmitArg, type OperatorTable } from "@sconce/ops";

/** A decomposition of one overload; its arguments come by the names of the schema, defaults filled in. */
export type Decomposition = DecomposeRule<Readonly<Record<string, EmitArg>>>;

/**
 * What `runDecompositions` replaces, by overload: PyTorch's meaning of the table. Deleting an entry keeps the operator;
 * an entry of one's own replaces it; an empty table still functionalizes, and decomposes only composites that cannot be
 * kept (those whose schema aliases or mutates).
 */
export class DecompositionTable extends Map<string, Decomposition> {
  /** Removes and returns an entry. @throws SconceError `NOT_IN_TABLE` when there is none and no fallback is given */
  pop(target: string, fallback?: Decomposition): Decomposition {
    const entry = this.get(target) ?? fallback;
    if (entry === undefined) {
      throw new SconceError({ code: "NOT_IN_TABLE", message: `${target} is not in the decomposition table` });
    }
    this.delete(target);
    return entry;
  }

  copy(): DecompositionTable {
    return new DecompositionTable(this);
  }
}

/** A fresh copy of PyTorch's default table (`torch.export.default_decompositions()`), of the operators known. */
export function defaultDecompositions(operators: OperatorTable = defaultOperators()): DecompositionTable {
  const table = new DecompositionTable();
  for (const row of operators) {
    if (row.decompose !== undefined && !row.tags.includes("not_in_default_table"))
      table.set(row.target, row.decompose);
  }
  return table;
}

/** Composites whose schema neither aliases nor mutates may be kept; the others are always decomposed. */
export function isPreservable(operators: OperatorTable, target: string): boolean {
  const row = operators.get(target);
  if (row === undefined || !row.tags.includes("composite")) return false;
  const { schema, tags } = row;
  return !schema.isMutable && !schema.isView && !tags.includes("maybe_aliasing_or_mutating");
}
