import type { Graph, Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import type { MadeRewrite } from "./rewrite-record.js";
import type { Rule } from "./rule.js";

/**
 * Why a match does not become a rewrite.
 *
 * - `pattern`: the call is not what the pattern says;
 * - `guard`: the rule itself gives a reason, from `where` or `replace`;
 * - `users`: an inner call has to stay, because another node reads it or because it has an effect;
 * - `order`: an operand comes after the place of the replacement;
 * - `operator`: an operator refuses what the rule passes to it;
 * - `type`: the replacement has another dtype, shape or strides, or is not a tensor;
 * - `cycle`: the replacement reads what it replaces, or is the same node;
 * - `aliasing`: an output would share memory with an input or another output;
 * - `limit`: `bisect` stops here.
 */
export type RefusalKind =
  | "pattern"
  | "guard"
  | "users"
  | "order"
  | "operator"
  | "type"
  | "cycle"
  | "aliasing"
  | "limit";

/**
 * Refusals by the driver, where the pattern matches and the rule agrees: the rule's author may not
 * expect them.
 */
const BY_DRIVER: ReadonlySet<RefusalKind> = new Set([
  "users",
  "order",
  "operator",
  "type",
  "cycle",
  "aliasing",
]);

/** A match that did not become a rewrite. */
export class Refusal {
  readonly kind: RefusalKind;
  readonly reason: string;

  constructor(kind: RefusalKind, reason: string) {
    this.kind = kind;
    this.reason = reason;
  }

  get isByDriver(): boolean {
    return BY_DRIVER.has(this.kind);
  }
}

/** A rewrite that the driver refused although the rule agreed. */
export interface RefusedRewrite {
  /** The name of the rule. */
  readonly rule: string;
  /** The plugin that the rule comes from. */
  readonly plugin?: string | undefined;
  /** The node at the root. */
  readonly node: string;
  /** The nested graph that the node is in: `true_graph_0`; empty for the program's own graph. */
  readonly graph: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string | undefined;
  /** What kind of refusal it is. */
  readonly kind: RefusalKind;
  /** Why, as a clause. */
  readonly reason: string;
}

/** What a run of the driver works with. */
export interface RewriteContext {
  readonly operators: OperatorTable;
  readonly env: SymEnv;
  /** The pass that new nodes name as their origin. */
  readonly pass: string;
  /** Called with every match, fired or refused; `reason` is undefined for those that fired. */
  readonly observe?: ((event: RewriteEvent) => void) | undefined;
  /** Called with each rewrite; costs nothing, while `observe` looks for reasons. */
  readonly fired?: ((rule: Pick<Rule, "name">) => void) | undefined;
  /** Given each rewrite with what it matched and replaced: what checks of changed regions go by. */
  readonly made?: ((rewrite: MadeRewrite) => void) | undefined;
  /**
   * Called with each rewrite that the driver refused although the rule agreed; costs nothing
   * either.
   */
  readonly refused?: ((refused: RefusedRewrite) => void) | undefined;
  /**
   * Called with the time of each attempt of a rule, in milliseconds; the clock is read for it only.
   */
  readonly timed?: ((rule: Pick<Rule, "name">, milliseconds: number) => void) | undefined;
  /** The plugin that a rule comes from, for errors. */
  readonly ownerOf?: ((rule: Rule) => string | undefined) | undefined;
  /** Refuses a rewrite before it is made: how `bisect` stops after the n-th. */
  readonly allows?: ((rule: Pick<Rule, "name">, root: Node, graph: string) => boolean) | undefined;
  /**
   * The nested graph that is rewritten: names from the outside in, with `/` between; empty for the
   * program's own.
   */
  readonly graph?: string | undefined;
  /** Most rewrites, by default 1,000 and 10 for each node. */
  readonly limit?: number | undefined;
  /** Placeholders whose values never change: see {@link Match.isConstant}. */
  readonly constants?: ReadonlySet<string> | undefined;
}

/** A match of a rule, whether it fired or not. */
export interface RewriteEvent {
  /** The rule. */
  readonly rule: Rule;
  /** The node that the pattern matched at. */
  readonly root: Node;
  /** The nested graph of the root; empty for the program's own graph. */
  readonly graph: string;
  /** Why the rule did not fire; undefined when it did. */
  readonly reason: string | undefined;
  /** What kind of refusal the reason is; undefined for those that fired. */
  readonly kind: RefusalKind | undefined;
}

export interface Rewritten {
  readonly graph: Graph;
  /** Names of replaced roots with the names of the nodes that represent them. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Returns how errors name a rule: `rule "name"`, with the plugin that it comes from. */
export function labelOf(rule: Rule, { ownerOf }: RewriteContext): string {
  const owner = ownerOf?.(rule);
  return owner === undefined ? `rule "${rule.name}"` : `rule "${rule.name}" of plugin "${owner}"`;
}
