import { misspelled, SconceError } from "@sconce/errors";

/** Returns the error for a name of a rule that neither the session nor a pass of it has. */
export const unknownRule = (name: string, known: ReadonlySet<string>): SconceError =>
  new SconceError({
    code: "UNKNOWN_RULE",
    message: `unknown rule "${name}"`,
    ...misspelled(
      name,
      known,
      "`sconce explain --list` and `sconce.knownRules` list the rules; a pass declares its rules with `rules`, as rulePass does",
    ),
  });
