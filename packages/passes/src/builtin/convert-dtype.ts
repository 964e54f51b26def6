import { SconceError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";
import { requireFunctional } from "../analysis/require-functional.js";
import { definePass } from "../pass.js";
import { convertDtype } from "../shapes/convert-dtype.js";

const HALVES: ReadonlySet<string> = new Set(["float16", "bfloat16"]);

/** A float32 program becomes one of half-precision floats, weights included. */
export const dtypeConversion = definePass({
  name: "convert-dtype",
  doc: "Computes in float16 or bfloat16 what was computed in float32; weights and constants are converted.",
  requires: "ATEN",
  changesNumbers: true,
  options: {
    to: { default: "bfloat16", doc: '"float16" or "bfloat16"' },
    keep: { default: [], doc: "operators and nodes that go on computing in float32" },
    io: { default: false, doc: "convert the program's inputs and outputs too, in place of casts" },
  },
  run(program, { operators }, options) {
    const to = String(options["to"]);
    if (!HALVES.has(to)) {
      throw new SconceError({
        code: "PASS_OPTION",
        message: `pass "convert-dtype": cannot convert to "${to}"`,
        fix: 'the dtypes are "float16" and "bfloat16"',
      });
    }
    requireFunctional(program, operators, "convert-dtype");
    const unknown = (options["keep"] as readonly string[]).find(
      (name) => !program.graph.has(name) && operators.schemaOf(name) === undefined,
    );
    if (unknown !== undefined) {
      throw new SconceError({
        code: "PASS_OPTION",
        message: `pass "convert-dtype": keep names ${unknown}, which is neither an operator nor a node`,
        fix: "write overloads out: aten.softmax.int",
      });
    }
    const keep = new Set(options["keep"] as readonly string[]);
    return convertDtype(program, operators, { to: to as DType, keep, io: options["io"] === true });
  },
});
