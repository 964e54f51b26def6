import { markClass } from "@sconce/errors";
import { defaultOperators, type OpDefinition, type OperatorTable } from "@sconce/ops";
import { perVersion } from "../analysis/per-version.js";
import { COPY } from "../copy/this-copy.js";
import type { Decomposition } from "./decomposition.js";
import { badEntry, entryProblem, keyProblem, spellingProblem } from "./entry-problems.js";
import { noSuchOperator, notInTable } from "./errors.js";
import { furtherEntries } from "./unread-entries.js";
import { writingEntries } from "./writing-entries.js";

/** Decompositions by overload (`aten.relu.default`): a table, a plain `Map`, or a plain object. */
export type Decompositions = ReadonlyMap<string, Decomposition> | Readonly<Record<string, Decomposition>>;

/**
 * What `runDecompositions` replaces, by overload: PyTorch's meaning of the table. Deleting an entry
 * keeps the operator. Setting an entry overrides the decomposition. An empty table still
 * functionalizes, and decomposes only composites that cannot be kept (those whose schema aliases or
 * mutates).
 */
export class DecompositionTable extends Map<string, Decomposition> {
  static {
    markClass(DecompositionTable, "DecompositionTable", COPY);
  }

  /**
   * Removes and returns an entry. @throws SconceError `NOT_IN_TABLE` when there is none and no
   * fallback is given
   */
  pop(target: string, fallback?: Decomposition): Decomposition {
    const entry = this.get(target);
    if (entry !== undefined) this.delete(target);
    else if (fallback === undefined) throw notInTable(target, this.keys());
    return entry ?? fallback!;
  }

  /**
   * Removes an entry, as `del decomp_table[op]`. Returns true.
   *
   * @throws SconceError `NOT_IN_TABLE` when there is none; `has` asks
   */
  override delete(target: string): boolean {
    if (!super.delete(target)) throw notInTable(target, this.keys());
    return true;
  }

  /**
   * Sets an entry.
   *
   * @throws SconceError `DECOMPOSITION_TABLE` for an entry that is not a function, and for an
   * operator of ATen without an overload
   */
  override set(target: string, entry: Decomposition): this {
    const problem = entryProblem(entry) ?? spellingProblem(target);
    if (problem !== undefined) throw badEntry(target, problem);
    return super.set(target, entry);
  }

  /** Sets entries of another table, over those that are there. */
  update(entries: Decompositions): this {
    for (const [target, entry] of entries instanceof Map ? entries : Object.entries(entries))
      this.set(target as string, entry as Decomposition);
    return this;
  }

  /** Returns a table with the same entries, to be changed by itself. */
  copy(): DecompositionTable {
    return new DecompositionTable(this);
  }
}

/**
 * The default table of a session (`torch.export.default_decompositions()`,
 * `torch/export/decomp_utils.py`), which knows operators that are registered after it was made:
 *
 * 1. ATen's entries are there from the start;
 * 2. every read (`get`, `has`, `size`, iteration, {@link copy}) first takes in the other
 *    namespaces' operators;
 * 3. writes do not: an operator may be deleted or replaced before it is registered;
 * 4. `runDecompositions` reads a last time ({@link materialize}), so late registrations count.
 *
 * A deleted entry stays away: the operator is kept in lowered programs.
 */
export class CustomDecompTable extends DecompositionTable {
  readonly #operators: OperatorTable;
  readonly #deleted = new Set<string>();
  #seen: number | undefined;
  #open = true;

  constructor(operators: OperatorTable = defaultOperators()) {
    super();
    this.#operators = operators;
    for (const [target, entry] of atenEntries(operators)) super.set(target, entry);
  }

  /** Returns the entries as they are now, those of late registrations included. */
  materialize(): DecompositionTable {
    this.#takeIn();
    return new DecompositionTable(super.entries());
  }

  override get(target: string): Decomposition | undefined {
    this.#takeIn();
    return super.get(target);
  }

  override has(target: string): boolean {
    this.#takeIn();
    return super.has(target);
  }

  /**
   * Sets an entry, also one of an operator that is not registered yet.
   *
   * @throws SconceError `DECOMPOSITION_TABLE` for an entry that is not a function, and for what is
   * not an overload of ATen
   */
  override set(target: string, entry: Decomposition): this {
    const problem = isAten(target) ? keyProblem(target, entry, this.#operators) : undefined;
    if (problem !== undefined) throw badEntry(target, problem);
    this.#deleted.delete(target);
    return super.set(target, entry);
  }

  /**
   * Removes an entry, also one of an operator that is not registered yet. Returns true.
   *
   * @throws SconceError `NOT_IN_TABLE` for an operator that has no entry, which is kept in any
   * case; `DECOMPOSITION_TABLE` for what is not an operator of ATen
   */
  override delete(target: string): boolean {
    if (isAten(target)) {
      if (!super.has(target) && this.#operators.schemaOf(target) === undefined)
        throw noSuchOperator(target, this.#operators);
      return super.delete(target);
    }
    this.#takeIn();
    const mayCome = !this.#deleted.has(target) && this.#operators.get(target) === undefined;
    if (!mayCome || super.has(target)) super.delete(target);
    this.#deleted.add(target);
    return true;
  }

  override clear(): void {
    this.#open = false;
    super.clear();
  }

  override get size(): number {
    this.#takeIn();
    return super.size;
  }

  override keys(): MapIterator<string> {
    this.#takeIn();
    return super.keys();
  }

  override values(): MapIterator<Decomposition> {
    this.#takeIn();
    return super.values();
  }

  override entries(): MapIterator<[string, Decomposition]> {
    this.#takeIn();
    return super.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Decomposition]> {
    return this.entries();
  }

  override forEach(
    visit: (entry: Decomposition, target: string, table: Map<string, Decomposition>) => void,
  ): void {
    this.#takeIn();
    super.forEach(visit);
  }

  override copy(): CustomDecompTable {
    this.#takeIn();
    const copy = new CustomDecompTable(this.#operators);
    copy.clear();
    for (const [target, entry] of this) copy.set(target, entry);
    for (const target of this.#deleted) copy.#deleted.add(target);
    copy.#seen = this.#seen;
    copy.#open = this.#open;
    return copy;
  }

  /**
   * Entries of operators outside of ATen that are registered by now, were not deleted and have none
   * yet.
   */
  #takeIn(): void {
    if (!this.#open || this.#seen === this.#operators.version) return;
    this.#seen = this.#operators.version;
    for (const row of this.#operators) {
      const { target, decompose } = row;
      if (isAten(target) || super.has(target) || this.#deleted.has(target) || !isInTable(row)) continue;
      super.set(target, decompose!);
    }
  }
}

/**
 * Returns a fresh copy of PyTorch's default table (`torch.export.default_decompositions()`), of the
 * operators known.
 */
export function defaultDecompositions(operators: OperatorTable = defaultOperators()): CustomDecompTable {
  return new CustomDecompTable(operators);
}

/** Composites whose schema aliases or mutates cannot be kept, whatever the table says. */
export function isAlwaysDecomposed({ schema, tags }: OpDefinition): boolean {
  if (tags.includes("always_decomposed")) return true;
  return (
    tags.includes("composite") &&
    (schema.isMutable || schema.isView || tags.includes("maybe_aliasing_or_mutating"))
  );
}

const isInTable = (row: OpDefinition): boolean =>
  row.decompose !== undefined && !row.tags.includes("not_in_default_table") && !isAlwaysDecomposed(row);

const isAten = (target: unknown): boolean => typeof target === "string" && target.startsWith("aten.");

/**
 * ATen's entries: those of the rows, then those of the in-place and `out=` overloads that PyTorch
 * registers with them.
 */
const atenEntries = perVersion((operators): ReadonlyMap<string, Decomposition> => {
  const entries = new Map<string, Decomposition>();
  for (const row of operators) {
    if (isAten(row.target) && isInTable(row)) entries.set(row.target, row.decompose!);
  }
  for (const [target, entry] of writingEntries(operators, entries)) entries.set(target, entry);
  for (const [target, entry] of furtherEntries(operators)) entries.set(target, entry);
  return entries;
});
