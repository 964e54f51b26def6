/** @file What is wrong with an entry of a decomposition table: its key, or its value. */
import { type SconceError, suggestions, suggestionText } from "@sconce/errors";
import { defaultOperators, knownSchemaText, type OperatorTable } from "@sconce/ops";
import { badTable } from "./errors.js";
import { isWritingEntry } from "./writing-entries.js";

/** What is wrong with an entry, and what to do. */
export interface EntryProblem {
  readonly message: string;
  readonly fix: string;
}

/**
 * Returns why no call could have this key: `is not an operator overload`; undefined for a key that
 * can take effect.
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
  const hint = names.length === 0 ? "" : `${suggestionText(names)} `;
  return { message: "is not an operator overload", fix: `${hint}${fix}` };
}

/** Returns why a key cannot be an overload of ATen, as far as its spelling says: `aten.relu`. */
export const spellingProblem = (key: unknown): EntryProblem | undefined =>
  typeof key !== "string" || /^aten[.:]+\w+$/.test(key)
    ? keyProblem(key, undefined, defaultOperators())
    : undefined;

/** Returns why a value cannot be an entry; undefined for a function. */
export function entryProblem(entry: unknown): EntryProblem | undefined {
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
 * Returns what a key in another spelling of PyTorch's represents: `torch.ops.aten.relu`,
 * `aten::relu`, `aten.relu`, `relu`.
 */
function spellings(key: string): string[] {
  const plain = key
    .replace(/^torch\.ops\./, "")
    .replace("::", ".")
    .trim();
  const based = plain.includes(".") ? plain : `aten.${plain}`;
  return [based, `${based}.default`, `aten.${plain}`];
}

/** Returns the error of an entry, with its key. */
export const badEntry = (key: unknown, { message, fix }: EntryProblem): SconceError =>
  badTable(
    typeof key === "string"
      ? `the decomposition table's entry "${key}" ${message}`
      : `a key of the decomposition table ${message}`,
    fix,
    typeof key === "string" ? key : undefined,
  );
