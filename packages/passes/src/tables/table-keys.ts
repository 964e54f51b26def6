import type { OperatorTable } from "@sconce/ops";
import type { Decomposition } from "./decomposition.js";
import { badEntry, entryProblem, keyProblem } from "./entry-problems.js";
import { badTable } from "./errors.js";
import { CustomDecompTable, type Decompositions } from "./table.js";

/**
 * Returns the entries of a table by key, late registrations included: a table, a plain `Map` or a
 * plain object.
 *
 * @throws SconceError `DECOMPOSITION_TABLE` for a value that is not a table, an entry that is not a
 * function, and a key that no call that is looked up could have
 */
export function entriesOf(
  table: Decompositions,
  operators: OperatorTable,
): ReadonlyMap<string, Decomposition> {
  const entries = table instanceof CustomDecompTable ? table.materialize() : mapOf(table);
  for (const [key, entry] of entries) {
    const problem = keyProblem(key, entry, operators) ?? entryProblem(entry);
    if (problem !== undefined) throw badEntry(key, problem);
  }
  return entries;
}

function mapOf(table: Decompositions): ReadonlyMap<string, Decomposition> {
  if (table instanceof Map) return table as ReadonlyMap<string, Decomposition>;
  const prototype: unknown = typeof table === "object" && table !== null ? Object.getPrototypeOf(table) : 0;
  if (prototype === Object.prototype || prototype === null)
    return new Map(Object.entries(table as Readonly<Record<string, Decomposition>>));
  throw badTable(
    `a decomposition table is a Map or an object of functions by operator, not ${kindOf(table)}`,
    'give new Map([["aten.relu.default", (emit, { self }) => ...]])',
  );
}

function kindOf(table: unknown): string {
  if (Array.isArray(table)) return "a list";
  if (typeof table !== "object") return `a ${typeof table}`;
  return table === null ? "null" : `an object of class ${table.constructor?.name ?? "unknown"}`;
}
