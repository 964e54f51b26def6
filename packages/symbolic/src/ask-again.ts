import type { SymBool } from "./algebra.js";
import type { ShapeEnv } from "./shape-env.js";

/**
 * Asks again what was required, with what equals its symbols by now: PyTorch does where it inserts
 * the assertions. What is not known then is one more guard or assertion.
 */
export function askRequiredAgain(env: ShapeEnv): void {
  for (const assertion of [...env.required]) {
    const open = env.replace<SymBool>(assertion);
    if (typeof open === "boolean" || open.key === assertion.key || env.hint(open) !== true) continue;
    if (!env.defersGuards) env.guard(open);
    else if (env.knownByRange(open) === undefined) env.check(open);
  }
}
