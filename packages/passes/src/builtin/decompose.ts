import type { Work } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { decompositionSteps } from "../decompose/run-decompositions.js";
import { opaqueAssumption } from "../opaque/assumption.js";
import { operatorNames } from "../options/choices.js";
import { noteUncalled } from "../pass/notes.js";
import { definePass, type PassContext } from "../pass/pass.js";
import { DecompositionTable, defaultDecompositions, isAlwaysDecomposed } from "../tables/table.js";

/**
 * `run_decompositions` as a pass: PyTorch's text, also where that computes other numbers than the
 * program because an operator hides that it aliases
 * (`docs/concepts/decomposition.md#functionalization`); `functionalize` does not.
 */
export const decompose = definePass({
  name: "decompose",
  doc: "Functionalizes the program, and lowers it to core ATen operators (`run_decompositions`).",
  ensures: "ATEN",
  changesNumbers: {
    // Decompositions are PyTorch's: a lerp of zeros has another sign than its kernel gives.
    valueClasses: ["signed-zero"],
    operators: {
      // PyTorch's kernel leaves out what the causal mask hides; its decomposition adds -inf to it.
      // Scores far from zero are rounded otherwise, and a softmax of these is a choice.
      "aten.scaled_dot_product_attention.default": ["nan", "infinity", "large", "offset"],
    },
  },
  options: {
    table: {
      default: "core",
      choices: ["core", "none"],
      doc: '"core" for PyTorch\'s default table, "none" for an empty one (functionalization only)',
    },
    keep: { default: [], choices: operatorNames, doc: "operators to leave as they are" },
  },
  steps: decomposed,
});

function* decomposed(
  program: ExportedProgram,
  context: PassContext,
  options: { readonly table: string; readonly keep: readonly string[] },
): Work<ExportedProgram> {
  const table = tableOf(options.table, context);
  const keep = options.keep;
  for (const target of keep) if (table.has(target)) table.delete(target);
  const assumed = opaqueAssumption(program, context.operators);
  if (assumed !== undefined) context.note?.(assumed);
  const lowered = yield* decompositionSteps(program, table, { operators: context.operators });
  // What only decompositions call is there afterwards, since it was kept.
  noteUncalled(context, "keep", keep, [program.graph, lowered.graph]);
  for (const target of keep) {
    const row = context.operators.get(target);
    if (row !== undefined && isAlwaysDecomposed(row))
      context.note?.(`keep names ${target}, which cannot be kept: it may alias or write`);
  }
  return lowered;
}

function tableOf(name: string, { operators, decompositions }: PassContext): DecompositionTable {
  if (name === "none") return new DecompositionTable();
  const table = decompositions?.() ?? defaultDecompositions(operators);
  return table instanceof DecompositionTable ? table : new DecompositionTable().update(table);
}
