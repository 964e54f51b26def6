/** @file The rules that a session knows, by itself and in its passes, and where they fire. */
import type { ExportedProgram } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type Attempt, explainRule, type Pass, type Rule } from "@sconce/passes";
import { unknownRule } from "./errors.js";

/** A rewrite rule, and the pass that applies it by itself. */
export interface KnownRule {
  /** The rule. */
  readonly rule: Rule;
  /** The name of the pass that has the rule; undefined for a rule of the session. */
  readonly pass: string | undefined;
}

/** An attempt, with the pass that has the rule. */
export interface ExplainedAttempt extends Attempt {
  /** The name of the pass that has the rule; left out for a rule of the session. */
  readonly pass?: string;
}

interface Rules {
  readonly rules: ReadonlyMap<string, Rule>;
  readonly passes: ReadonlyMap<string, Pass>;
}

/** Returns the rules of the session first; a rule that is also in a pass is listed once. */
export function knownRules({ rules, passes }: Rules): readonly KnownRule[] {
  const known = new Map<Rule, KnownRule>();
  for (const rule of rules.values()) known.set(rule, { rule, pass: undefined });
  for (const pass of passes.values())
    for (const rule of pass.rules ?? []) if (!known.has(rule)) known.set(rule, { rule, pass: pass.name });
  return [...known.values()];
}

/** See `Sconce.explain`. */
export function explain(
  program: ExportedProgram,
  chosen: readonly (string | Rule | Pass)[] | undefined,
  session: Rules & { readonly operators: OperatorTable; ownerOf(part: object): string | undefined },
): ExplainedAttempt[] {
  const known = knownRules(session);
  const rules = chosen?.flatMap((one) => rulesOf(one, known)) ?? known;
  return rules.flatMap(({ rule, pass }) =>
    explainRule(program, rule, session.operators, (part) => session.ownerOf(part)).map((attempt) =>
      pass === undefined ? attempt : { ...attempt, pass },
    ),
  );
}

/** Several passes may have rules of one name. */
function rulesOf(one: string | Rule | Pass, known: readonly KnownRule[]): readonly KnownRule[] {
  if (typeof one !== "string")
    return "roots" in one
      ? [{ rule: one, pass: undefined }]
      : (one.rules ?? []).map((rule) => ({ rule, pass: one.name }));
  const named = known.filter(({ rule }) => rule.name === one);
  if (named.length === 0) throw unknownRule(one, new Set(known.map(({ rule }) => rule.name)));
  return named;
}
