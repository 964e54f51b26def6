import type { Command } from "commander";
import { type Io, json, type Outcome } from "../io.js";
import { openSession, repeatable } from "../open.js";

export function opsCommand(program: Command, io: Io, _outcome: Outcome): void {
  program
    .command("ops")
    .description("The operators that are known: schema, whether core, whether decomposed by default, where they run.")
    .option("--backend <name>", "only what this backend runs")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable, [])
    .action(async (options: { backend?: string; json?: boolean; plugin: readonly string[] }) => {
      const session = await openSession(options.plugin);
      const table = session.defaultDecompositions();
      const rows = [...session.operators].map((row) => ({
        target: row.target,
        schema: row.schemaText,
        tags: row.tags,
        decomposed: table.has(row.target),
        backends: session.backendsFor(row.target),
      }));
      const shown = options.backend === undefined ? rows : rows.filter((row) => row.backends.includes(options.backend!));
      if (options.json) io.out(json(shown));
      else for (const row of shown) io.out(`${marks(row)}  ${row.schema}\n`);
      if (!options.json) io.out(`${shown.length} operators (C core, D decomposed by default, R runs on ${options.backend ?? "cpu"})\n`);
    });
}

const marks = (row: { tags: readonly string[]; decomposed: boolean; backends: readonly string[] }): string =>
  `${row.tags.includes("core") ? "C" : "."}${row.decomposed ? "D" : "."}${row.backends.length > 0 ? "R" : "."}`;
