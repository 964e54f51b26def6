/** @file Errors of rules, patterns and replacements. */
import { isSconceError, SconceError, thrownText } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";
import { printExpr, type SymExpr } from "@sconce/symbolic";

/**
 * Returns the error for what is wrong with a rule itself; `label` is `rule "name"`, with the plugin
 * where it is known.
 */
export const badRule = (
  label: string,
  what: string,
  { fix = "see docs/concepts/rewriting.md for how rules are written" }: { readonly fix?: string } = {},
): SconceError => new SconceError({ code: "RULE", message: `${label} ${what}`, fix });

/** Returns the error for a replacement that calls an in-place operator. */
export const writingReplacement = (target: string): SconceError =>
  new SconceError({
    code: "NOT_FUNCTIONAL",
    message: `a replacement may not write: ${target} does`,
    fix: "emit the functional overload",
  });

/** Returns the error for a rule that used a tensor from elsewhere. */
export const foreignTensor = ({ dtype, shape }: FakeTensor): SconceError =>
  new SconceError({
    code: "UNTRACED_TENSOR",
    message: `a tensor ${dtype}[${shape.map((size) => printExpr(size)).join(", ")}] was neither captured nor emitted by the rule`,
    fix: "use only the captures of the rule and the results of its emitter",
  });

/** Returns the error for a size that no captured tensor has. */
export const unknownSize = (expr: SymExpr): SconceError =>
  new SconceError({
    code: "SYMBOLIC_NODE",
    message: `the size ${printExpr(expr)} is not a size of any captured or emitted tensor`,
    fix: "capture the size, or a tensor that has it",
  });

/**
 * Returns the error for a rule's own function that threw, or returned something wrong, at a match.
 */
export const ruleThrew = (message: string, where: string, rule: string, cause: unknown): SconceError =>
  new SconceError({
    code: "RULE",
    message,
    where,
    fix: isSconceError(cause) ? cause.fix : `correct the rule, or leave "${rule}" out`,
    cause,
  });

/** Returns the error for a pattern that cannot be read. */
export const patternSyntax = (text: string, cause: unknown): SconceError =>
  new SconceError({
    code: "PATTERN_SYNTAX",
    message: `cannot read the pattern ${JSON.stringify(text)}: ${thrownText(cause)}`,
    where: isSconceError(cause) ? cause.where : undefined,
    fix: "write calls with the full overload, captures with $: aten.add.Tensor(aten.relu.default($x), 1)",
    cause,
  });

/**
 * Returns the error for a rule that declares a change of numbers that does not exist; `label` is
 * `rule "name"`.
 */
export const badNumberChange = (
  label: string,
  { what, fix }: { readonly what: string; readonly fix: string },
): SconceError => new SconceError({ code: "RULE", message: `${label} ${what}`, fix });

/**
 * Returns the error for a pattern that takes more steps to compare at one node than any rule needs.
 */
export const patternTooCostly = (pattern: string, node: string): SconceError =>
  new SconceError({
    code: "PATTERN_COST",
    message: `the pattern ${pattern.length > 120 ? `${pattern.slice(0, 117)}...` : pattern} can be compared in too many ways`,
    where: `node "${node.length > 80 ? `${node.slice(0, 77)}...` : node}"`,
    fix: "use fewer commutative calls or lists in one pattern, or repeat fewer captures",
  });
