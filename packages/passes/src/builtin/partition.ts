import { backendNames, wholeNumber } from "../options/choices.js";
import { definePass } from "../pass/pass.js";
import { backendOf, partition } from "../regions/partition.js";

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
  run(program, { operators, backends, ownerOf, note }, options) {
    const backend = backendOf(backends?.(), options.backend);
    const minSize = options["min-size"];
    const {
      program: result,
      regions,
      left,
    } = partition(program, backend, operators, {
      minSize,
      owner: ownerOf?.(backend),
    });
    if (regions.length === 0 && left.length > 0) {
      const { node, reason } = left[0]!;
      note?.(
        `no region goes to the backend "${backend.name}"; of ${left.length} calls the first: %${node} ${reason}`,
      );
    }
    return result;
  },
});
