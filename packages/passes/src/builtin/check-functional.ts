import { SconceError } from "@sconce/errors";
import { functionality, type Impurity } from "../analysis/functional.js";
import { definePass } from "../pass.js";

/** Refuses a program that writes to its values; `isFunctional` answers the same question with a boolean. */
export const checkFunctional = definePass({
  name: "check-functional",
  doc: "Refuses a program in which something is written to, bodies of control flow included; changes nothing.",
  run(program, { operators }) {
    const { impurities } = functionality(program, operators);
    if (impurities.length > 0) throw notFunctional(impurities);
    return program;
  },
});

function notFunctional(impurities: readonly Impurity[]): SconceError {
  const [{ node, path, reason, fix }, ...more] = impurities as [Impurity, ...Impurity[]];
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  return new SconceError({
    code: "NOT_FUNCTIONAL",
    message: `the program is not functional: ${reason}${rest}`,
    where: [...path, `%${node}`].join("."),
    fix,
  });
}
