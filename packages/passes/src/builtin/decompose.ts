import { runDecompositions } from "../decompose/run-decompositions.js";
import { DecompositionTable, defaultDecompositions } from "../decompose/table.js";
import { definePass } from "../pass.js";

/** `run_decompositions` as a pass. */
export const decompose = definePass({
  name: "decompose",
  doc: "Functionalizes the program and lowers it to core ATen operators (run_decompositions).",
  ensures: "ATEN",
  options: {
    table: {
      default: "core",
      doc: '"core" for PyTorch\'s default table, "none" for an empty one (functionalization only)',
    },
    keep: { default: [], doc: "operators to leave as they are" },
  },
  run(program, { operators }, options) {
    const table = options["table"] === "none" ? new DecompositionTable() : defaultDecompositions(operators);
    for (const target of options["keep"] as readonly string[]) table.delete(target);
    return runDecompositions(program, table, { operators });
  },
});
