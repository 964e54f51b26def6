import { type BoolLike, lower, or } from "../algebra/algebra.js";
import { construct } from "../algebra/construct.js";
import type { ShapeEnv } from "./shape-env.js";

/**
 * Asks again what was required, with what equals its symbols by now: PyTorch does where it inserts
 * the assertions. What is not known then is one more guard or assertion.
 */
export function askRequiredAgain(env: ShapeEnv): void {
  for (const assertion of [...env.required]) {
    const open = computed(env.replace<BoolLike>(assertion));
    if (typeof open === "boolean" || open.key === assertion.key || env.hint(open) !== true) continue;
    if (!env.defersGuards) env.guard(open);
    else if (env.knownByRange(open) === undefined) env.check(open);
  }
}

/**
 * Returns a choice as its node computes it: without what can be seen to fail, as that twice a size
 * is 5.
 */
function computed(condition: BoolLike): BoolLike {
  if (typeof condition === "boolean" || condition.op !== "Or") return condition;
  return or(...condition.args.map((part) => lower(construct(part.op, part.args)) as BoolLike));
}
