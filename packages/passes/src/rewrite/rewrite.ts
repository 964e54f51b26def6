import { checkOptions, finish, type OptionNames, type Work } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { shapeEnvOf } from "@sconce/trace";
import { constantInputs } from "../analysis/constants.js";
import { requireFunctional } from "../analysis/require-functional.js";
import { withRenamed } from "../graphs/rename.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import type { RewriteContext, RewriteEvent } from "./context.js";
import { rewriteGraph, rewriteGraphSteps } from "./driver.js";
import type { Rule } from "./rule.js";

/** How rules are applied to a graph. */
export interface RewriteOptions {
  /** The operators that patterns and replacements may name. */
  readonly operators: OperatorTable;
  /** The pass that new nodes name as their origin; "rewrite" when left out. */
  readonly pass?: string;
  /** Called with every match, fired or refused. */
  readonly observe?: ((event: RewriteEvent) => void) | undefined;
  /** Called with each rewrite. */
  readonly fired?: RewriteContext["fired"];
  /** Given each rewrite with what it matched and replaced. */
  readonly made?: RewriteContext["made"];
  /** Called with each rewrite that the driver refused although the rule agreed. */
  readonly refused?: RewriteContext["refused"];
  /** Called with the time of each attempt of a rule, in milliseconds. */
  readonly timed?: RewriteContext["timed"];
  /** The plugin that a rule comes from, for errors. */
  readonly ownerOf?: ((rule: Rule) => string | undefined) | undefined;
  /** Asked before each rewrite; false leaves the match alone. */
  readonly allows?: RewriteContext["allows"];
  /** Most rewrites in one graph, by default 1,000 and 10 for each node. */
  readonly limit?: number;
}

const REWRITE: OptionNames<RewriteOptions> = {
  operators: true,
  pass: true,
  observe: true,
  fired: true,
  made: true,
  refused: true,
  timed: true,
  ownerOf: true,
  allows: true,
  limit: true,
};

/**
 * Applies rules to a program, nested graphs included, until none fires; the same program when none
 * did.
 *
 * @throws SconceError `NOT_FUNCTIONAL` when something in the program writes; `REWRITE_DIVERGES`,
 * `RULE`
 */
export function rewriteProgram(
  program: ExportedProgram,
  rules: readonly Rule[],
  options: RewriteOptions,
): ExportedProgram {
  return finish(rewriteSteps(program, rules, options));
}

/** As {@link rewriteProgram}, in pieces. */
export function* rewriteSteps(
  program: ExportedProgram,
  rules: readonly Rule[],
  options: RewriteOptions,
): Work<ExportedProgram> {
  checkOptions("rewriteProgram", options, REWRITE);
  const context: RewriteContext = { ...options, pass: options.pass ?? "rewrite", env: shapeEnvOf(program) };
  // Where something writes, what was captured may have changed by the time the replacement runs.
  requireFunctional(program, options.operators, "rewriting");
  const constants = new Set(constantInputs(program, true).keys());
  const { graph, renamed } = yield* rewriteGraphSteps(program.graph, rules, { ...context, constants });
  const inner = (nested: Graph, outer: string): Graph =>
    mapSubgraphs(nested, (subgraph, target) => {
      const path = outer === "" ? target : `${outer}/${target}`;
      return inner(rewriteGraph(subgraph, rules, { ...context, graph: path }).graph, path);
    });
  return withRenamed(program, inner(graph, ""), renamed);
}

/** Rules that fired, and the first rewrite of each rule that the driver refused. */
export interface RuleUse {
  readonly program: ExportedProgram;
  readonly fired: ReadonlySet<string>;
  readonly refused: ReadonlyMap<string, string>;
}

/** As {@link rewriteProgram}, for notes on rules that fire nowhere. */
export const rewriteWatched = (
  program: ExportedProgram,
  rules: readonly Rule[],
  options: RewriteOptions,
): RuleUse => finish(watchedSteps(program, rules, options));

/** As {@link rewriteWatched}, in pieces. */
export function* watchedSteps(
  program: ExportedProgram,
  rules: readonly Rule[],
  options: RewriteOptions,
): Work<RuleUse> {
  const fired = new Set<string>();
  const refused = new Map<string, string>();
  const watched: RewriteOptions = {
    ...options,
    fired: (rule) => {
      fired.add(rule.name);
      options.fired?.(rule);
    },
    refused: (rewrite) => {
      const { rule, node, graph, kind, reason } = rewrite;
      const place = graph === "" ? `%${node}` : `%${node} of ${graph}`;
      // Inner calls with other users are what a pattern excludes, as a guard would.
      if (kind !== "users" && !refused.has(rule)) refused.set(rule, `at ${place}, ${reason}`);
      options.refused?.(rewrite);
    },
  };
  return { program: yield* rewriteSteps(program, rules, watched), fired, refused };
}
