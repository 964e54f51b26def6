/**
 * @file The worklist driver of rewrite rules. Nodes are visited in graph order; where a rule fires,
 * the new nodes and everything whose match may depend on the change are visited again, until
 * nothing fires. Each visit looks only at the rules whose root has the node's target, so that a run
 * is linear in the nodes and the rewrites.
 */

import { finish, requireSameCopy, type Work } from "@sconce/errors";
import {
  forEachRef,
  type Graph,
  lineOf,
  type MetaValue,
  type Node,
  type NodeMeta,
  sourceLine,
} from "@sconce/ir";
import { memoryReads, readMemory } from "../analysis/memory-reads.js";
import { perVersion } from "../analysis/per-version.js";
import { COPY } from "../copy/this-copy.js";
import { type Candidate, CandidateFinder } from "./candidate.js";
import { checkPattern } from "./check-pattern.js";
import { labelOf, Refusal, type RewriteContext, type Rewritten } from "./context.js";
import { diverges, neverConverges } from "./divergence-errors.js";
import { guarded, verdictOf } from "./guarded.js";
import { Lineage } from "./lineage.js";
import { Matcher } from "./match.js";
import { MatchView } from "./match-view.js";
import { depthOf } from "./pattern.js";
import { type Replaced, replacedRoots } from "./replacement.js";
import { Replacer } from "./replacer.js";
import type { Rule } from "./rule.js";
import { type Plan, plansByTarget } from "./rule-plans.js";
import { sharingProblem } from "./sharing.js";
import { type Slot, WorkGraph } from "./work-graph.js";
import { Worklist } from "./worklist.js";

/**
 * Applies rules until none fires. Nested graphs are not looked into.
 *
 * @throws SconceError `REWRITE_DIVERGES` naming the rules that never converge; `RULE` for one that
 * is wrong in itself
 */
export const rewriteGraph = (graph: Graph, rules: readonly Rule[], context: RewriteContext): Rewritten =>
  finish(rewriteGraphSteps(graph, rules, context));

/** As {@link rewriteGraph}, in pieces. */
export const rewriteGraphSteps = (
  graph: Graph,
  rules: readonly Rule[],
  context: RewriteContext,
): Work<Rewritten> => new Driver(graph, rules, context).run();

/** Visits between two pauses. */
const VISITS_A_PIECE = 64;

/** Rules whose patterns fit the operators. */
const fitting = perVersion((_operators) => new WeakSet<Rule["roots"]>());

/** Checks the patterns of a rule, once for its operators. @throws SconceError `RULE` */
function requireFitting(rule: Rule, context: RewriteContext): void {
  const known = fitting(context.operators);
  if (known.has(rule.roots)) return;
  for (const root of rule.roots.values()) checkPattern(labelOf(rule, context), root, context.operators);
  known.add(rule.roots);
}

const UNTYPED = "has no recorded type; `propagate-shapes` records it";

const lacksType = ({ op, meta }: Node): boolean => op !== "get_attr" && meta.val === undefined;

class Driver {
  readonly #work: WorkGraph;
  readonly #context: RewriteContext;
  readonly #finder: CandidateFinder;
  readonly #byTarget: ReadonlyMap<string, readonly Plan[]>;
  readonly #worklist: Worklist;
  readonly #limit: number;
  readonly #lineage = new Lineage();
  /** Values whose memory calls read by strides. */
  readonly #readMemory: ReadonlySet<string>;
  readonly #replacer: Replacer;
  readonly #typeOf = (name: string): MetaValue | undefined => this.#work.find(name)?.meta.val;
  /**
   * What each replaced root became, in order; the replacement may itself have been replaced since.
   */
  readonly #renamed = new Map<string, string>();
  #count = 0;

  constructor(graph: Graph, rules: readonly Rule[], context: RewriteContext) {
    const patterns = rules.flatMap((rule) => [...rule.roots.values()].map((root) => ({ rule, root })));
    for (const rule of rules) requireSameCopy(rule, COPY);
    for (const rule of rules) requireFitting(rule, context);
    this.#work = new WorkGraph(graph);
    this.#readMemory = readMemory(memoryReads(graph, context.operators));
    this.#context = context;
    const matcher = new Matcher(this.#work, context.operators, context.observe !== undefined);
    this.#finder = new CandidateFinder(this.#work, matcher, context.operators);
    this.#byTarget = plansByTarget(rules, context);
    this.#replacer = new Replacer(this.#work, context.operators, context.env);
    const reach = Math.max(0, ...patterns.map(({ root }) => depthOf(root)));
    this.#worklist = new Worklist(this.#work, (target) => this.#byTarget.has(target), reach);
    this.#limit = context.limit ?? 1000 + 10 * graph.size;
  }

  /** Returns why the values may not take their places: as_strided would read other memory. */
  #memoryProblem(values: readonly Replaced[]): string | undefined {
    const read = values.find(({ root }) => this.#readMemory.has(root.node.name));
    return read && `as_strided reads the memory of "${read.root.node.name}"`;
  }

  *run(): Work<Rewritten> {
    let visits = 0;
    if (this.#byTarget.size > 0) this.#worklist.fill();
    for (let slot = this.#worklist.take(); slot !== undefined; slot = this.#worklist.take()) {
      if (++visits % VISITS_A_PIECE === 0) yield;
      const { node } = slot;
      if (node !== null) this.#byTarget.get(node.target)!.some((plan) => this.#timedTry(plan, node));
    }
    return { graph: this.#work.finish(), renamed: resolved(this.#renamed) };
  }

  #timedTry(plan: Plan, node: Node): boolean {
    const { timed } = this.#context;
    if (timed === undefined) return this.#try(plan, node);
    const start = performance.now();
    try {
      return this.#try(plan, node);
    } finally {
      timed(plan.rule, performance.now() - start);
    }
  }

  /** Returns whether the rule fired. */
  #try(plan: Plan, node: Node): boolean {
    const { rule } = plan;
    const { observe, fired, allows, made } = this.#context;
    const candidate = this.#finder.find(plan, node);
    if (candidate === undefined) return false;
    if (candidate instanceof Refusal) return this.#refuse(rule, node, candidate);
    const untyped = this.#untyped(candidate);
    if (untyped !== undefined) return this.#refuse(rule, node, untyped);
    const replacer = this.#replacer;
    replacer.begin(this.#metaOf(candidate));
    const captures = replacer.captures(candidate.found);
    const match = new MatchView(candidate, captures, this.#work, this.#context);
    const verdict = guarded(rule, this.#context, node, () => verdictOf(rule, captures, match));
    if (verdict !== true) return this.#refuse(rule, node, verdict);
    // Asked before the replacement is made, which may be what fails.
    if (allows?.(rule, node, this.#graph) === false)
      return this.#refuse(rule, node, new Refusal("limit", "stopped by the limit of rewrites"));
    const values = guarded(rule, this.#context, node, () => {
      const result = rule.replace(replacer.emit, captures, match);
      return typeof result === "string"
        ? new Refusal("guard", result)
        : replacedRoots(candidate, replacer, result);
    });
    if (values instanceof Refusal) return this.#refuse(rule, node, values);
    const shared =
      this.#memoryProblem(values) ??
      sharingProblem(this.#work, this.#context.operators, { nodes: replacer.nodes, values });
    if (shared !== undefined) return this.#refuse(rule, node, new Refusal("aliasing", shared));
    this.#apply(candidate, replacer.nodes, values);
    fired?.(rule);
    made?.({
      rule,
      graph: this.#work.base,
      covers: [...candidate.found.nodes.map(({ name }) => name), ...match.sources],
      readsGraph: match.readsGraph,
      values: new Map(values.map(({ root, value }) => [root.node.name, value.name])),
    });
    observe?.({ rule, root: node, graph: this.#graph, reason: undefined, kind: undefined });
    return true;
  }

  /** Returns why a rule is not asked: it compares types, and one of its values records none. */
  #untyped({ roots, found }: Candidate): Refusal | undefined {
    let untyped = roots.find(({ node }) => lacksType(node))?.node;
    const visit = (name: string): void => {
      const node = this.#work.find(name);
      if (node === undefined || !lacksType(node)) return;
      if (!found.nodes.some((covered) => covered.name === name)) untyped ??= node;
    };
    for (const value of found.captures.values()) forEachRef(value, visit);
    return untyped && new Refusal("type", `%${untyped.name} ${UNTYPED}`);
  }

  get #graph(): string {
    return this.#context.graph ?? "";
  }

  #refuse(rule: Rule, root: Node, { kind, reason, isByDriver }: Refusal): false {
    const { observe, refused, ownerOf } = this.#context;
    const graph = this.#graph;
    observe?.({ rule, root, graph, reason, kind });
    if (isByDriver)
      refused?.({
        rule: rule.name,
        plugin: ownerOf?.(rule),
        node: root.name,
        graph,
        line: sourceLine(root),
        kind,
        reason,
      });
    return false;
  }

  /** Returns the metadata of the nodes that take the place of a match. */
  #metaOf({ rule, found, roots }: Candidate): NodeMeta {
    const from = found.nodes.map((node) => node.name);
    return {
      ...withoutBindings(roots[0]!.node.meta),
      origin: { pass: this.#context.pass, rule: rule.name, from },
    };
  }

  #apply(candidate: Candidate, nodes: readonly Node[], values: readonly Replaced[]): void {
    const { rule, found } = candidate;
    const work = this.#work;
    const place = this.#finder.anchor(candidate);
    if (++this.#count > this.#limit) throw diverges(rule, this.#limit, place, this.#context);
    const anchor = work.slot(place.name)!;
    const added = nodes.map((node) => work.insertBefore(anchor, node));
    const users = values.map(({ root, value }) => work.replaceUses(work.slot(root.node.name)!, value));
    const changed = users.length === 1 ? users[0]! : users.flat();
    for (const { root, value } of values) this.#renamed.set(root.node.name, value.name);
    // Outer nodes first: an inner one loses its user with them.
    const removed = found.nodes.toReversed().filter(({ name }) => {
      const slot = work.slot(name)!;
      if (slot.node === null || work.users(slot).size > 0) return false;
      work.remove(slot);
      return true;
    });
    this.#refuseCycle(candidate, removed, added, changed);
    for (const slot of added) this.#worklist.add(slot);
    for (const user of changed) this.#worklist.addFrom(user);
    this.#visitLastUsers(candidate);
  }

  /**
   * @throws SconceError `REWRITE_DIVERGES` when the rewrite leads back to where earlier ones began
   */
  #refuseCycle(
    { rule, found, roots }: Candidate,
    removed: readonly Node[],
    added: readonly Slot[],
    changed: readonly Slot[],
  ): void {
    const rewriting = {
      rule,
      number: this.#count,
      root: roots[0]!.node,
      nodes: found.nodes,
      typeOf: this.#typeOf,
    };
    const cycle = this.#lineage.add(rewriting, { removed, added, changed });
    if (cycle !== undefined)
      throw neverConverges(cycle, lineOf(this.#work.base, cycle.origin), this.#context);
  }

  /** What has lost all users but one may be an inner node of that one's pattern now. */
  #visitLastUsers({ found }: Candidate): void {
    const visit = (name: string): void => {
      const slot = this.#work.slot(name);
      if (slot === undefined || slot.node === null) return;
      const user = this.#work.users(slot).only;
      if (user !== undefined) this.#worklist.addFrom(user);
    };
    for (const value of found.captures.values()) forEachRef(value, visit);
  }
}

/** A replacement makes no symbols. */
function withoutBindings(meta: NodeMeta): NodeMeta {
  if (meta.unbackedBindings === undefined) return meta;
  const { unbackedBindings: _, ...rest } = meta;
  return rest;
}

/** Names with the last of the names that they lead to. */
function resolved(renamed: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const latest = new Map<string, string>();
  // From the end: what a replacement became itself is known by then.
  for (const [name, next] of [...renamed].reverse()) latest.set(name, latest.get(next) ?? next);
  return latest;
}
