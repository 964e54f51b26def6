import { countText } from "@sconce/errors";
import { knownSchemaText, knownTargets, type RefusedClass, refusedClasses } from "@sconce/ops";
import { isAlwaysDecomposed } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import { usage } from "../errors.js";
import { json, type SafeIo } from "../io.js";
import { openSession } from "../session.js";
import { linesText } from "../text.js";

export interface OpsOptions {
  readonly name?: string;
  readonly core?: boolean;
  readonly composite?: boolean;
  readonly missing?: boolean;
  readonly schema?: boolean;
  readonly backend?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function ops(options: OpsOptions, io: SafeIo): Promise<void> {
  const idle = (["core", "composite", "backend"] as const).find((name) => options[name] !== undefined);
  if (options.missing && idle !== undefined)
    throw usage(
      `--missing and --${idle} do not go together`,
      "an operator without a row has no tags and runs nowhere",
    );
  const session = await openSession(io, options.plugin, options.backend);
  if (options.missing) io.out(missingText(session, options));
  else io.out(rowsText(session, options));
}

interface Row {
  readonly target: string;
  readonly schema: string;
  readonly tags: readonly string[];
  /** What lowering makes of it. */
  readonly decomposition: "default" | "on request" | "none";
  /** How each backend executes it. */
  readonly backends: Readonly<Record<string, string>>;
}

function rowsOf(session: Sconce, { name, core, composite, backend }: OpsOptions): Row[] {
  const table = session.defaultDecompositions();
  const rows: Row[] = [];
  for (const row of session.operators) {
    const { target, schemaText, tags, decompose } = row;
    if (name !== undefined && !target.includes(name)) continue;
    if ((core && !tags.includes("core")) || (composite && !tags.includes("composite"))) continue;
    const backends = Object.fromEntries(session.describeSupport(target));
    if (backend !== undefined && !Object.hasOwn(backends, backend)) continue;
    const isDefault = table.has(target) || isAlwaysDecomposed(row);
    const decomposition = isDefault ? "default" : decompose ? "on request" : "none";
    rows.push({ target, schema: schemaText, tags, decomposition, backends });
  }
  return rows;
}

/** An overload of PyTorch that has no row, and the class for which it is refused. */
interface Missing {
  readonly schema: string;
  readonly refused: RefusedClass | undefined;
}

/** PyTorch's overloads that the session has no row for and derives from none. */
function missingSchemas({ operators }: Sconce, name: string | undefined): Missing[] {
  const unknown = [...knownTargets()].filter(
    (target) => (name === undefined || target.includes(name)) && operators.get(target) === undefined,
  );
  return unknown.map((target) => ({
    schema: knownSchemaText(target) ?? target,
    refused: operators.refusedClass(target),
  }));
}

/** Overloads that are not implemented yet, then those that are refused, by class. */
function missingText(session: Sconce, options: OpsOptions): string {
  const missing = missingSchemas(session, options.name);
  if (options.json)
    return json(
      missing.map(({ schema, refused }) => ({
        schema,
        class: refused?.name ?? null,
        reason: refused?.reason ?? null,
        fix: refused?.fix ?? null,
      })),
    );
  const open = missing.filter(({ refused }) => refused === undefined);
  const lines = open.map(({ schema }) => schema);
  for (const one of refusedClasses()) {
    const own = missing.filter(({ refused }) => refused === one);
    if (own.length === 0) continue;
    lines.push(`refused as ${one.name}, ${countText(own.length, "overload")}: each ${one.reason}`);
    lines.push(...own.map(({ schema }) => `  ${schema}`));
  }
  lines.push(missingCounts(missing, "of PyTorch's overloads "));
  return linesText(lines);
}

function missingCounts(missing: readonly Missing[], what = ""): string {
  const refused = missing.filter((one) => one.refused !== undefined).length;
  return `${refused} ${what}are refused by class, ${missing.length - refused} are not implemented`;
}

const LOWERING = { default: "decomposed", "on request": "on request", none: "kept" } as const;

function rowsText(session: Sconce, options: OpsOptions): string {
  const rows = rowsOf(session, options);
  if (options.json) return json(rows);
  const width = Math.max(0, ...rows.map(({ target }) => target.length));
  const lines = rows.map((row) => {
    const ways = Object.entries(row.backends).map(([name, way]) => `${name}: ${way}`);
    const first = options.schema ? "" : `${row.target.padEnd(width)}  `;
    const marks = `${row.tags.includes("core") ? "core" : "    "}  ${LOWERING[row.decomposition].padEnd(10)}`;
    return `${first}${marks}  ${ways.join(", ") || "nowhere"}`;
  });
  const wide = Math.max(0, ...lines.map(({ length }) => length));
  const shown = options.schema ? rows.map(({ schema }, i) => `${lines[i]!.padEnd(wide)}  ${schema}`) : lines;
  return linesText([...shown, ...summary(session, rows, options)]);
}

/** Returns how many there are of each kind, and what follows from them. */
function summary(session: Sconce, rows: readonly Row[], { name, core, composite }: OpsOptions): string[] {
  const tagged = (tag: string): number => rows.filter(({ tags }) => tags.includes(tag)).length;
  const lowered = (kind: Row["decomposition"]): number =>
    rows.filter(({ decomposition }) => decomposition === kind).length;
  const lines = [
    `${countText(rows.length, "operator")}: ${tagged("core")} core, ${tagged("composite")} composite, ` +
      `${lowered("default")} decomposed by default, ${lowered("on request")} on request, ${lowered("none")} kept`,
  ];
  const named = new Set(rows.flatMap(({ backends }) => Object.keys(backends)));
  for (const backend of named) lines.push(`${backend}: ${waysOf(rows, backend)}`);
  if (name === undefined && !core && !composite) lines.push(coverage(session));
  return lines;
}

function waysOf(rows: readonly Row[], backend: string): string {
  const counts = new Map<string, number>();
  for (const { backends } of rows) {
    const way = backends[backend]?.replace(/^from .*/, "from another") ?? "not run";
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([way, count]) => `${count} ${way}`).join(", ");
}

function coverage(session: Sconce): string {
  const rows = new Set([...session.operators].map(({ target }) => target));
  const all = [...knownTargets()];
  const missing = missingSchemas(session, undefined);
  const own = all.filter((target) => rows.has(target)).length;
  const derived = all.length - missing.length - own;
  return (
    `PyTorch's ${all.length} overloads: ${own} have a row, ` +
    `${derived} in-place and out= ones follow from it; ${missingCounts(missing)} (--missing)`
  );
}
