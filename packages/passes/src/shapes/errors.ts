import { SconceError } from "@sconce/errors";

/** Two things that are known of one value exclude each other. */
export const contradiction = (what: string, where: string, fix?: string): SconceError =>
  new SconceError({
    code: "SHAPE_CONTRADICTION",
    message: what,
    where,
    fix: fix ?? "the recorded sizes or the new ones are wrong: recompute them, or give others",
  });

/** What a rule of an operator does wrong, whatever the call is. */
const RULE_FAULTS: ReadonlySet<string> = new Set([
  "SHAPE_RULE",
  "DECOMPOSITION_RESULT",
  "DECOMPOSITION_FAILED",
  "PLUGIN_FAILED",
]);

/** Returns whether an operator's own rule is at fault, and not the call. */
export const isRuleFault = ({ code }: SconceError): boolean => RULE_FAULTS.has(code);
