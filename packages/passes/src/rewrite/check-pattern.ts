import type { OperatorTable } from "@sconce/ops";
import { badRule } from "./errors.js";
import type { CallPattern, Pattern } from "./pattern.js";

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

function checkCall(label: string, target: string, pattern: CallPattern, operators: OperatorTable): void {
  const schema = operators.schemaOf(target);
  if (schema === undefined) {
    if (!target.startsWith("aten.")) return;
    throw badRule(
      label,
      `matches ${target}, which is not an operator; overloads are written out (aten.relu.default)`,
    );
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
