import { requireFunctional } from "../analysis/require-functional.js";
import { definePass } from "../pass/pass.js";

/**
 * Refuses a program that writes to its values; `isFunctional` answers the same question with a
 * boolean.
 */
export const checkFunctional = definePass({
  name: "check-functional",
  doc: "Rejects a program that writes to something. Changes nothing.",
  run(program, { operators }) {
    requireFunctional(program, operators);
    return program;
  },
});
