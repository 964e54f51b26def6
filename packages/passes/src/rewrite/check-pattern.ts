import { misspelled, suggestions } from "@sconce/errors";
import { type DialectRules, targetProblem } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { badRule } from "./errors.js";
import { type CallPattern, type Pattern, targetsIn } from "./pattern.js";
import type { Rule } from "./rule.js";

/**
 * Holds a pattern against the schemas of the operators that it names: one that could never match is
 * a mistake, and so is one with arguments that the operator does not have.
 *
 * @param label the rule, with its plugin
 * @throws SconceError `RULE`
 */
export function checkPattern(label: string, pattern: Pattern, operators: OperatorTable): void {
  if (pattern.kind === "list") for (const item of pattern.items) checkPattern(label, item, operators);
  if (pattern.kind !== "call") return;
  for (const target of pattern.targets) checkCall(label, target, pattern, operators);
  for (const item of [...pattern.args, ...pattern.kwargs.values()]) checkPattern(label, item, operators);
}

/**
 * Refuses a rule whose patterns, or whose replacement where it is a text, name what nothing
 * defines. A custom operator is refused only where it is near one of an operator library that is
 * there: others may be opaque.
 *
 * @param label the rule, with its plugin
 * @param dialects of plugins, which may allow further functions
 * @throws SconceError `RULE` with the nearest names
 */
export function checkRuleTargets(
  label: string,
  rule: Rule,
  operators: OperatorTable,
  dialects: ReadonlyMap<string, DialectRules>,
): void {
  const check = (does: string, target: string): void => {
    if (operators.schemaOf(target) !== undefined) return;
    const isKnown = targetProblem(target, { operators, dialects }) === undefined;
    if (!isKnown || isNearOwn(target, operators)) throw notAnOperator(label, does, target, operators);
  };
  for (const root of rule.roots.values()) {
    for (const target of targetsIn([root])) check("matches", target);
    checkPattern(label, root, operators);
  }
  for (const target of rule.emits ?? []) check("emits", target);
}

/** Returns whether a custom operator is a misspelled one of its own namespace. */
function isNearOwn(target: string, operators: OperatorTable): boolean {
  const namespace = target.slice(0, target.indexOf(".") + 1);
  const own = [...operators.targets()].filter((known) => known.startsWith(namespace));
  const withoutNamespace = (known: string): string => known.slice(namespace.length);
  return suggestions(withoutNamespace(target), own.map(withoutNamespace)).length > 0;
}

const notAnOperator = (label: string, does: string, target: string, operators: OperatorTable) =>
  badRule(label, `${does} ${target}, which is not an operator`, {
    ...misspelled(target, operators.targets(), "write overloads out: aten.relu.default"),
  });

function checkCall(label: string, target: string, pattern: CallPattern, operators: OperatorTable): void {
  const schema = operators.schemaOf(target);
  if (schema === undefined) {
    if (!target.startsWith("aten.")) return;
    throw notAnOperator(label, "matches", target, operators);
  }
  const positional = schema.args.filter((arg) => !arg.kwargOnly);
  if (pattern.args.length > positional.length) {
    throw badRule(
      label,
      `matches ${target} with ${pattern.args.length} positional arguments, of which it takes ${positional.length}`,
    );
  }
  for (const [i, key] of [...pattern.kwargs.keys()].entries()) {
    const at = schema.args.findIndex((arg) => arg.name === key);
    if (at === -1)
      throw badRule(label, `matches ${target} with the argument "${key}", which it does not have`);
    if (at < pattern.args.length && !schema.args[at]!.kwargOnly)
      throw badRule(label, `matches ${target} with the argument "${key}" twice (keyword ${i + 1})`);
  }
}
