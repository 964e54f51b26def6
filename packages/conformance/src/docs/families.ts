/**
 * @file The files under `packages/ops/src/families`, each with its rows, the list of all of them
 * left out: the groups of `docs/reference/operators.md`.
 */
import { readdirSync } from "node:fs";
import type { OpDefinition, OperatorTable } from "@sconce/ops";

/** One file of rows. */
export interface Family {
  /** Name of the file: `batch-norm`. */
  readonly name: string;
  readonly targets: readonly string[];
}

/**
 * Reads the families of the repository at `root`: names from the sources, rows from what was built
 * from them.
 */
export async function readFamilies(root: URL): Promise<Family[]> {
  const files = readdirSync(new URL("packages/ops/src/families/", root)).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "all.ts",
  );
  const built = new URL("packages/ops/dist/families/", root);
  const families: Family[] = [];
  const seen = new Set<string>();
  for (const file of files.sort()) {
    const name = file.replace(/\.ts$/, "");
    const exported = Object.values((await import(new URL(`${name}.js`, built).href)) as object);
    const targets = exported
      .flat()
      .filter(isRow)
      .map(({ target }) => target);
    const own = targets.filter((target) => !seen.has(target));
    for (const target of own) seen.add(target);
    if (own.length > 0) families.push({ name, targets: own });
  }
  return families;
}

/**
 * Returns the family of a target; writing overloads that follow from a functional one lie in its
 * family.
 */
export function familyOf(
  families: readonly Family[],
  operators: OperatorTable,
): (target: string) => string | undefined {
  const rows = new Map(families.flatMap(({ name, targets }) => targets.map((target) => [target, name])));
  return (target) => rows.get(target) ?? rows.get(operators.get(target)?.functional ?? "");
}

const isRow = (value: unknown): value is OpDefinition =>
  typeof value === "object" && value !== null && "schemaText" in value && "target" in value;
