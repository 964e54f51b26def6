import { ExportedProgram, type Graph } from "@sconce/ir";
import type { MatcherResult } from "./result.js";

/** How often each operator is called: exactly so often; or, as a list, at least once each. */
export type ExpectedOps = Readonly<Record<string, number>> | readonly string[];

/**
 * Returns the matcher `toHaveOps`: counts calls in a program or graph, nested graphs included.
 * Operators that are not named do not matter.
 */
export function toHaveOps(received: ExportedProgram | Graph, expected: ExpectedOps): MatcherResult {
  const counts = received instanceof ExportedProgram ? received.opHistogram() : histogram(received);
  const wrong: string[] = [];
  if (Array.isArray(expected)) {
    for (const target of expected as readonly string[])
      if (!counts.has(target)) wrong.push(`${target} is not called`);
  } else {
    for (const [target, wanted] of Object.entries(expected)) {
      const count = counts.get(target) ?? 0;
      if (count !== wanted) wrong.push(`${target} is called ${times(count)}, expected ${times(wanted)}`);
    }
  }
  const all = [...counts].map(([target, count]) => `  ${target}: ${count}`).join("\n") || "  none";
  return {
    pass: wrong.length === 0,
    message: () =>
      wrong.length === 0
        ? `expected other operators than ${JSON.stringify(expected)}; the calls are:\n${all}`
        : `${wrong.join("\n")}\nthe calls are:\n${all}`,
  };
}

const times = (count: number): string => (count === 0 ? "never" : count === 1 ? "once" : `${count} times`);

function histogram(graph: Graph): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { op, target } of graph.nodes())
    if (op === "call_function") counts.set(target, (counts.get(target) ?? 0) + 1);
  for (const nested of graph.subgraphs.values())
    for (const [target, count] of histogram(nested)) counts.set(target, (counts.get(target) ?? 0) + count);
  return counts;
}
