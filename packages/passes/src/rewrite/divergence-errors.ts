/** @file Errors of rules that never converge. */
import { SconceError } from "@sconce/errors";
import { type Node, sourceLine, withLine } from "@sconce/ir";
import { labelOf, type RewriteContext } from "./context.js";
import { type Cycle, type Link, matchText } from "./lineage.js";
import type { Rule } from "./rule.js";

/** One rewrite of a cycle. */
export interface CycleStep {
  /** The name of the rule. */
  readonly rule: string;
  /** The plugin that the rule comes from. */
  readonly plugin?: string | undefined;
  /** The node at the root; later ones of a cycle are in no version of the program. */
  readonly node: string;
  /** Counts the rewrites of the graph from 1. */
  readonly number: number;
}

/** The node of the graph as it was from which rewrites come. */
interface Origin {
  readonly node: string;
  /** The user's line, `model.py:12`. */
  readonly line: string | undefined;
}

/** Rules whose rewrites have no end. */
export class RewriteDiverges extends SconceError {
  /** The rewrites that come again and again, in order; the first one is the first wrong rewrite. */
  readonly cycle: readonly CycleStep[];
  /** The node of the graph as it was from which they come. */
  readonly origin: string;
  /** The nested graph that it is in; empty for the program's own. */
  readonly graph: string;

  constructor(message: string, origin: Origin, cycle: readonly CycleStep[], graph: string) {
    super({
      code: "REWRITE_DIVERGES",
      message,
      where: withLine(origin.node, origin.line),
      fix: "let no replacement match its rule again, or a rule that undoes it",
    });
    this.cycle = cycle;
    this.origin = origin.node;
    this.graph = graph;
  }
}

/** Rules that undo each other, or feed themselves. */
export function neverConverges(
  { origin, links, isExact }: Cycle,
  line: string | undefined,
  context: RewriteContext,
): RewriteDiverges {
  const labels = [...new Set(links.map(({ rule }) => labelOf(rule, context)))];
  const [first] = links as [Link];
  const place = `at %${origin}${context.graph ? ` of ${context.graph}` : ""}`;
  const what = labels.length > 1 ? `${labels.join(" and ")} undo each other` : `${labels[0]} never converges`;
  const again = isExact
    ? `${matchText(first)} is back after ${links.length} ${links.length === 1 ? "rewrite" : "rewrites"}`
    : `${matchText(first)} was rewritten in rewrite ${first.number}, and what replaces it matches again`;
  const steps = links.map((link) => stepOf(link.rule, link.root.name, link.number, context));
  return new RewriteDiverges(
    `${what} ${place}: ${again}`,
    { node: origin, line },
    steps,
    context.graph ?? "",
  );
}

/** More rewrites than the bound, in no cycle that was recognized. */
export const diverges = (
  rule: Rule,
  limit: number,
  { name, meta }: Node,
  context: RewriteContext,
): RewriteDiverges =>
  new RewriteDiverges(
    `${labelOf(rule, context)} still fires after ${limit} rewrites, at %${name}`,
    { node: name, line: sourceLine({ meta }) },
    [stepOf(rule, name, limit + 1, context)],
    context.graph ?? "",
  );

const stepOf = (rule: Rule, node: string, number: number, { ownerOf }: RewriteContext): CycleStep => ({
  rule: rule.name,
  plugin: ownerOf?.(rule),
  node,
  number,
});
