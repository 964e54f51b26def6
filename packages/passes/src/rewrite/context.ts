import type { Graph, Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import type { Rule } from "./rule.js";

/** What a run of the driver works with. */
export interface RewriteContext {
  readonly operators: OperatorTable;
  readonly env: SymEnv;
  /** The pass that new nodes name as their origin. */
  readonly pass: string;
  /** Told of every match, fired or refused; `reason` is undefined for those that fired. */
  readonly observe?: ((event: RewriteEvent) => void) | undefined;
  /** Told of each rewrite; costs nothing, where `observe` looks for reasons. */
  readonly fired?: ((rule: Pick<Rule, "name">) => void) | undefined;
  /** The plugin that a rule comes from, for errors. */
  readonly ownerOf?: ((rule: Rule) => string | undefined) | undefined;
  /** Refuses a rewrite before it is made: how `bisect` stops after the n-th. */
  readonly allows?: ((rule: Pick<Rule, "name">, root: Node) => boolean) | undefined;
  /** Most rewrites, by default 1,000 and 10 for each node. */
  readonly limit?: number | undefined;
  /** Placeholders whose values never change: see {@link Match.isConstant}. */
  readonly constants?: ReadonlySet<string> | undefined;
}

export interface RewriteEvent {
  readonly rule: Rule;
  readonly root: Node;
  readonly reason: string | undefined;
}

export interface Rewritten {
  readonly graph: Graph;
  /** Names of replaced roots with the names of the nodes that stand for them. */
  readonly renamed: ReadonlyMap<string, string>;
}
