import { countText, type Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { backendNames, wholeNumber } from "../options/choices.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { backendOf, partitionSteps } from "../regions/partition.js";

/**
 * Moves what a backend supports into nested graphs; `partition()` also reports why the other nodes
 * stay.
 */
export const partitionByBackend = definePass({
  name: "partition",
  doc: "Moves calls that a backend supports into nested graphs, as few as possible.",
  requires: "ATEN",
  options: {
    backend: { default: "cpu", choices: backendNames, doc: "the backend that is asked" },
    "min-size": { default: 1, check: wholeNumber(1), doc: "fewest calls that make a region" },
  },
  steps: partitioned,
});

function* partitioned(
  program: ExportedProgram,
  { operators, backends, ownerOf, note }: PassContext,
  options: { readonly backend: string; readonly "min-size": number },
): Work<ExportedProgram> {
  const backend = backendOf(backends?.(), options.backend);
  const found = yield* partitionSteps(program, backend, operators, {
    minSize: options["min-size"],
    owner: ownerOf?.(backend),
  });
  const { program: result, regions, left } = found;
  if (regions.length === 0 && left.length > 0) {
    const { node, reason } = left[0]!;
    note?.(
      `no region goes to the backend "${backend.name}"; of ${countText(left.length, "call")} the first: %${node} ${reason}`,
    );
  }
  return result;
}
