import { definePass } from "../pass.js";
import { backendOf, partition } from "../regions/partition.js";

/** What a backend supports goes behind calls of nested graphs; `partition()` also tells why the rest did not. */
export const partitionByBackend = definePass({
  name: "partition",
  doc: "Moves the nodes that a backend supports into as few nested graphs as there can be.",
  requires: "ATEN",
  options: {
    backend: { default: "cpu", doc: "the backend that is asked" },
    "min-size": { default: 1, doc: "fewest calls that make a region" },
  },
  run(program, { operators, backends }, options) {
    const backend = backendOf(backends?.(), String(options["backend"]));
    return partition(program, backend, operators, { minSize: Number(options["min-size"]) }).program;
  },
});
