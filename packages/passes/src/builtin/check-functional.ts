import { requireFunctional } from "../analysis/require-functional.js";
import { definePass } from "../pass/pass.js";

/** Refuses a program that writes to its values; `isFunctional` answers the same question with a boolean. */
export const checkFunctional = definePass({
  name: "check-functional",
  doc: "Refuses a program in which something is written to, bodies of control flow included; changes nothing.",
  run(program, { operators }) {
    requireFunctional(program, operators);
    return program;
  },
});
