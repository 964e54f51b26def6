import type { Command } from "commander";
import type { Sconce } from "sconce";
import { unknownBackend } from "../errors.js";
import { type Io, json, type Outcome } from "../io.js";
import { openSession, repeatable } from "../open.js";

interface OpsOptions {
  readonly backend?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function opsCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("ops")
    .description(
      "The operators that are known: schema, whether core, whether decomposed by default, where they run.",
    )
    .option("--backend <name>", "only what this backend runs")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable)
    .action(async (options: OpsOptions) => {
      const session = await openSession(options.plugin);
      const rows = rowsOf(session, options.backend);
      io.out(options.json ? json(rows) : textOf(rows));
    });
}

interface Row {
  readonly target: string;
  readonly schema: string;
  readonly tags: readonly string[];
  readonly decomposed: boolean;
  readonly backends: readonly string[];
}

function rowsOf(session: Sconce, backend: string | undefined): Row[] {
  if (backend !== undefined && !session.backends.has(backend))
    throw unknownBackend(backend, session.backends.keys());
  const table = session.defaultDecompositions();
  const rows = [...session.operators].map((row) => ({
    target: row.target,
    schema: row.schemaText,
    tags: row.tags,
    decomposed: table.has(row.target),
    backends: session.backendsFor(row.target),
  }));
  return backend === undefined ? rows : rows.filter((row) => row.backends.includes(backend));
}

function textOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => `${marks(row)}  ${row.schema}`);
  lines.push(`${rows.length} operators (C core, D decomposed by default, R runs on a backend)`);
  return `${lines.join("\n")}\n`;
}

const marks = ({ tags, decomposed, backends }: Row): string =>
  `${tags.includes("core") ? "C" : "."}${decomposed ? "D" : "."}${backends.length > 0 ? "R" : "."}`;
