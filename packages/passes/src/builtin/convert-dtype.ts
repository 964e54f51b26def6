import type { DType } from "@sconce/tensor";
import { requireFunctional } from "../analysis/require-functional.js";
import { operatorOrNodeNames } from "../options/choices.js";
import { noteUncalled, notInProgram } from "../options/notes.js";
import { definePass } from "../pass.js";
import { convertDtype } from "../shapes/convert-dtype.js";

const NAME = "convert-dtype";
const HALVES = ["bfloat16", "float16"] as const satisfies readonly DType[];

/** A float32 program becomes one of half-precision floats, weights included. */
export const dtypeConversion = definePass({
  name: NAME,
  doc: "Computes in float16 or bfloat16 what was computed in float32; weights and constants are converted.",
  requires: "ATEN",
  changesNumbers: true,
  options: {
    to: { default: "bfloat16", choices: HALVES, doc: "the dtype to compute in" },
    keep: {
      default: [],
      choices: operatorOrNodeNames,
      doc: "operators and nodes that go on computing in float32",
    },
    io: { default: false, doc: "convert the program's inputs and outputs too, in place of casts" },
  },
  run(program, context, options) {
    const { operators } = context;
    const names = options["keep"] as readonly string[];
    requireFunctional(program, operators, NAME);
    const isOperator = (name: string): boolean => operators.schemaOf(name) !== undefined;
    for (const name of names) {
      if (!isOperator(name) && !program.graph.has(name))
        throw notInProgram(
          "keep",
          name,
          "node",
          program.graph.nodes().map((node) => node.name),
        );
    }
    noteUncalled(context, "keep", names.filter(isOperator), [program.graph]);
    const to = options["to"] as (typeof HALVES)[number];
    return convertDtype(program, operators, { to, keep: new Set(names), io: options["io"] === true });
  },
});
