import { SconceError } from "@sconce/errors";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { DecompositionTable, defaultDecompositions } from "../decompose/table.js";
import { definePass, type PassContext } from "../pass.js";

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
  run(program, context, options) {
    const table = tableOf(String(options["table"]), context);
    for (const target of options["keep"] as readonly string[]) {
      if (context.operators.schemaOf(target) === undefined) {
        throw passOption(
          `keep names ${target}, which is no operator`,
          "write overloads out: aten.conv2d.default",
        );
      }
      table.delete(target);
    }
    return runDecompositions(program, table, { operators: context.operators });
  },
});

function tableOf(name: string, { operators, decompositions }: PassContext): DecompositionTable {
  if (name === "none") return new DecompositionTable();
  if (name === "core") return decompositions?.() ?? defaultDecompositions(operators);
  throw passOption(`there is no table "${name}"`, 'the tables are "core" and "none"');
}

const passOption = (message: string, fix: string): SconceError =>
  new SconceError({ code: "PASS_OPTION", message: `pass "decompose": ${message}`, fix });
