import { readdirSync, readFileSync } from "node:fs";
import { type ExportedProgram, redo, undo } from "@sconce/ir";
import { diffPrograms } from "@sconce/ir/diff";
import {
  historyFromJson,
  historyTensors,
  historyToJson,
  provenance,
  replay,
  restoreHistory,
} from "@sconce/ir/history";
import { printIr, tensorsOf } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { PROGRAMS } from "./fixtures.js";

const PIPELINE = "decompose,fold-constants{weights=true},cse,dce";
const sconce = createSconce({ plugins: [corpusPlugin] });

/**
 * A program and what the pipeline makes of it; undefined for those that do not load or do not
 * lower.
 */
async function lowered(name: string): Promise<[ExportedProgram, ExportedProgram] | undefined> {
  try {
    const program = await sconce.load(readFileSync(`${PROGRAMS}${name}/program.pt2`));
    return [program, sconce.transform(program, PIPELINE)];
  } catch {
    return undefined;
  }
}

const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

test("every program goes back, forward, through JSON and onto itself, part for part", async () => {
  let checked = 0;
  for (const name of names) {
    const [program, result] = (await lowered(name)) ?? [];
    if (program === undefined || result === undefined) continue;
    const steps = result.history.length;
    const back = undo(result, steps);
    expect([name, back.graph === program.graph, printIr(back)]).toEqual([name, true, printIr(program)]);
    expect(redo(back, steps).graph).toBe(result.graph);
    const tensors = new Map([...tensorsOf(result), ...historyTensors(result)]);
    const history = historyFromJson(historyToJson(result), tensors);
    const restored = undo(restoreHistory(result.with({ history: [] }), history), steps);
    expect([name, printIr(restored), diffPrograms(restored, program).equal]).toEqual([
      name,
      printIr(program),
      true,
    ]);
    expect([name, printIr(replay(result, program))]).toEqual([name, printIr(result)]);
    checked++;
  }
  expect(checked).toBeGreaterThan(130);
});

test("every node of a lowered program leads back to nodes of the program as it came", async () => {
  const lost: string[] = [];
  for (const name of names) {
    const [program, result] = (await lowered(name)) ?? [];
    if (program === undefined || result === undefined) continue;
    for (const node of result.graph.nodes()) {
      const { steps, sources } = provenance(result, node.name);
      const ends = sources.every(({ node: source }) => program.graph.has(source) || source.includes("."));
      if (!ends || steps.some((step) => step.from.length === 0)) lost.push(`${name} ${node.name}`);
    }
  }
  expect(lost).toEqual([]);
});
