import { suggestions } from "@sconce/errors";
import { knownSchemaText, type OperatorTable } from "@sconce/ops";
import type { Decomposition } from "./decomposition.js";
import { badTable } from "./errors.js";
import { CustomDecompTable, type Decompositions } from "./table.js";
import { isWritingEntry } from "./writing-entries.js";

/**
 * The entries of a table by key, late registrations included: a table, a plain `Map` or a plain
 * object.
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
    if (problem !== undefined)
      throw badTable(
        typeof key === "string"
          ? `the decomposition table's entry "${key}" ${problem.message}`
          : `a key of the decomposition table ${problem.message}`,
        problem.fix,
        typeof key === "string" ? key : undefined,
      );
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

/** What is wrong with an entry, and what to do. */
export interface EntryProblem {
  readonly message: string;
  readonly fix: string;
}

/**
 * Why no call could have this key: `is not an operator overload`; undefined for a key that can take
 * effect.
 */
export function keyProblem(key: unknown, entry: unknown, operators: OperatorTable): EntryProblem | undefined {
  if (typeof key !== "string")
    return {
      message: `is not a string but of type ${typeof key}`,
      fix: 'write operators as strings: "aten.relu.default"',
    };
  const schema = operators.schemaOf(key);
  if (schema !== undefined) {
    // A default table has entries of such overloads, as PyTorch's has.
    if (!schema.isMutable || isWritingEntry(entry) || entry === operators.get(key)?.decompose)
      return undefined;
    return neverLookedUp(key, operators);
  }
  // A few overloads have types that no program holds.
  if (knownSchemaText(key) !== undefined) return undefined;
  const near = spellings(key).filter((one) => operators.schemaOf(one) !== undefined);
  const names = near.length > 0 ? near : suggestions(spellings(key)[0] ?? key, operators.targets());
  const fix = "write the overload out, or register the operator that a library defines";
  const hint = names.length === 0 ? "" : `did you mean ${names.map((name) => `"${name}"`).join(" or ")}? `;
  return { message: "is not an operator overload", fix: `${hint}${fix}` };
}

function entryProblem(entry: unknown): EntryProblem | undefined {
  if (typeof entry === "function") return undefined;
  const given = entry === null || entry === undefined ? String(entry) : `a ${typeof entry}`;
  return {
    message: `is ${given}, not a function`,
    fix: "give a function (emit, args) => result; to keep an operator, delete its entry",
  };
}

/** In-place and `out=` calls become calls of the functional overload before the table is asked. */
function neverLookedUp(key: string, operators: OperatorTable): EntryProblem {
  const functional = operators.get(key)?.functional;
  return {
    message:
      "can never apply: lowering functionalizes calls that write to their arguments before it reads the table",
    fix:
      functional === undefined ? "delete the entry" : `did you mean "${functional}"? set that entry instead`,
  };
}

/**
 * What a key in another spelling of PyTorch's represents: `torch.ops.aten.relu`, `aten::relu`,
 * `aten.relu`, `relu`.
 */
function spellings(key: string): string[] {
  const plain = key
    .replace(/^torch\.ops\./, "")
    .replace("::", ".")
    .trim();
  const based = plain.includes(".") ? plain : `aten.${plain}`;
  return [based, `${based}.default`, `aten.${plain}`];
}

function kindOf(table: unknown): string {
  if (Array.isArray(table)) return "a list";
  if (typeof table !== "object") return `a ${typeof table}`;
  return table === null ? "null" : `an object of class ${table.constructor?.name ?? "unknown"}`;
}
