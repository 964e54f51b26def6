/**
 * @file The worklist driver of rewrite rules. Nodes are visited in graph order; where a rule fires, the new nodes and
 * everything whose match may depend on the change are visited again, until nothing fires. Each visit looks only at the
 * rules whose root has the node's target, so that a run is linear in the nodes and the rewrites.
 */
import { SconceError, thrownText } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  forEachInput,
  forEachRef,
  type Graph,
  isRef,
  type Node,
  type NodeMeta,
  type NodeRef,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import { hasEffect } from "../decompose/dead-nodes.js";
import { checkPattern } from "./check-pattern.js";
import { Replacer, replacementProblem } from "./emitter.js";
import { type Found, Matcher } from "./match.js";
import { type CallPattern, depthOf } from "./pattern.js";
import { told, valuesByRoot } from "./replacement.js";
import { type Link, planRoots, type Step } from "./roots.js";
import { badRule, type Captures, type Match, type Rule, RuleFault, rootsApart } from "./rule.js";
import { isEarlier, type Position, WorkGraph } from "./work-graph.js";

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

/**
 * Applies rules until none fires. Nested graphs are not looked into.
 *
 * @throws SconceError `REWRITE_DIVERGES` naming the rule that still fires; `RULE` for one that is wrong in itself
 */
export function rewriteGraph(graph: Graph, rules: readonly Rule[], context: RewriteContext): Rewritten {
  return new Driver(graph, rules, context).run();
}

/** A rule with its roots in the order in which they are looked for. */
interface Plan {
  readonly rule: Rule;
  readonly steps: readonly Step[];
}

/** A match with what belongs to it. */
interface Candidate {
  readonly rule: Rule;
  readonly found: Found;
  /** Matched nodes of the roots, by their names in the rule. */
  readonly roots: ReadonlyMap<string, Node>;
}

class Driver {
  readonly #work: WorkGraph;
  readonly #context: RewriteContext;
  readonly #matcher: Matcher;
  readonly #byTarget = new Map<string, Plan[]>();
  readonly #reach: number;
  readonly #limit: number;
  readonly #queue: string[] = [];
  readonly #queued = new Set<string>();
  readonly #renamed = new Map<string, string>();
  #count = 0;

  constructor(graph: Graph, rules: readonly Rule[], context: RewriteContext) {
    this.#work = new WorkGraph(graph);
    this.#context = context;
    this.#matcher = new Matcher(this.#work, context.operators, context.observe !== undefined);
    this.#limit = context.limit ?? 1000 + 10 * graph.size;
    for (const rule of rules) {
      for (const pattern of rule.roots.values())
        checkPattern(this.#labelOf(rule), pattern, context.operators);
      this.#index(rule);
    }
    this.#reach = Math.max(0, ...rules.flatMap((rule) => [...rule.roots.values()].map(depthOf)));
  }

  /** From each of its roots a rule can be found. */
  #index(rule: Rule): void {
    for (const [start, { targets }] of rule.roots) {
      const { steps, apart } = planRoots(rule.roots, start);
      if (apart.length > 0) throw badRule(this.#labelOf(rule), rootsApart(start, apart));
      for (const target of targets) {
        const row = this.#byTarget.get(target);
        if (row === undefined) this.#byTarget.set(target, [{ rule, steps }]);
        else row.push({ rule, steps });
      }
    }
  }

  run(): Rewritten {
    const { base } = this.#work;
    if (this.#byTarget.size > 0) {
      for (const node of base.nodes()) this.#enqueue(node);
      for (let i = 0; i < this.#queue.length; i++) this.#visit(this.#queue[i]!);
    }
    const renamed = new Map([...this.#renamed].map(([name]) => [name, this.#latest(name)]));
    return { graph: this.#work.finish(), renamed };
  }

  #enqueue(node: Node): void {
    if (!this.#byTarget.has(node.target) || this.#queued.has(node.name)) return;
    this.#queued.add(node.name);
    this.#queue.push(node.name);
  }

  #visit(name: string): void {
    this.#queued.delete(name);
    const node = this.#work.find(name);
    if (node === undefined) return;
    for (const plan of this.#byTarget.get(node.target) ?? []) {
      if (this.#try(plan, node)) return;
    }
  }

  /** Whether the rule fired. */
  #try(plan: Plan, node: Node): boolean {
    const candidate = this.#candidate(plan, node);
    if (candidate === undefined) return false;
    const { rule } = plan;
    const replacer = this.#replacer(candidate);
    const captures = replacer.captures(candidate.found);
    const match = this.#matchOf(candidate, captures);
    const verdict = this.#guarded(rule, node, () => verdictOf(rule, captures, match));
    if (verdict !== true) return this.#refuse(rule, node, verdict);
    // Asked before the replacement is made, which may be what fails.
    if (this.#context.allows?.(rule, node) === false)
      return this.#refuse(rule, node, "stopped by the limit of rewrites");
    const values = this.#guarded(rule, node, () => {
      const result = rule.replace(replacer.emit, captures, match);
      return typeof result === "string" ? result : this.#values(candidate, replacer, result);
    });
    if (typeof values === "string") return this.#refuse(rule, node, values);
    this.#apply(candidate, replacer, values);
    this.#context.fired?.(rule);
    this.#context.observe?.({ rule, root: node, reason: undefined });
    return true;
  }

  #refuse(rule: Rule, root: Node, reason: string): false {
    this.#context.observe?.({ rule, root, reason });
    return false;
  }

  #candidate({ rule, steps }: Plan, node: Node): Candidate | undefined {
    const roots = new Map<string, Node>();
    let found: Found | undefined;
    for (const step of steps) {
      const { name, pattern } = step;
      const next: [Node, Found] | undefined =
        found === undefined ? this.#matchAt(pattern, node) : this.#matchBeside(step, found, roots);
      if (next === undefined) {
        const { miss } = this.#matcher;
        if (miss !== undefined) this.#refuse(rule, node, miss.reason);
        return undefined;
      }
      roots.set(name, next[0]);
      found = next[1];
    }
    const inOrder = new Map([...rule.roots.keys()].map((name) => [name, roots.get(name)!] as const));
    const candidate = { rule, found: found!, roots: inOrder };
    const reason = this.#escape(candidate) ?? this.#disorder(candidate);
    if (reason === undefined) return candidate;
    this.#refuse(rule, node, reason);
    return undefined;
  }

  #matchAt(pattern: CallPattern, node: Node, from?: Found): [Node, Found] | undefined {
    const found = this.#matcher.match(pattern, node, from);
    return found && [node, found];
  }

  /** A further root: what its links lead to from what was captured or covered. */
  #matchBeside(
    { pattern, links }: Step,
    found: Found,
    roots: ReadonlyMap<string, Node>,
  ): [Node, Found] | undefined {
    const tried = new Set([...roots.values()].map(({ name }) => name));
    for (const link of links) {
      for (const name of this.#climb(link, found)) {
        const node = tried.has(name) ? undefined : this.#work.find(name);
        tried.add(name);
        const next = node && this.#matchAt(pattern, node, found);
        if (next !== undefined) return next;
      }
    }
    return undefined;
  }

  /** The nodes at the upper end of a link. */
  #climb({ from, path }: Link, found: Found): ReadonlySet<string> {
    let names = new Set<string>();
    if ("targets" in from) {
      for (const node of found.nodes) if (from.targets.includes(node.target)) names.add(node.name);
    } else {
      const node = found.named.get(from.capture);
      if (node !== undefined) names.add(node.name);
      forEachRef(found.captures.get(from.capture) ?? null, (name) => names.add(name));
    }
    for (const targets of path) {
      const users = new Set<string>();
      for (const name of names)
        for (const user of this.#work.users(name))
          if (targets.includes(this.#work.find(user)!.target)) users.add(user);
      names = users;
    }
    return names;
  }

  /** Why an inner node has to stay: somebody else reads it, or it does something. */
  #escape({ rule, found, roots }: Candidate): string | undefined {
    const covered = new Set(found.nodes.map((node) => node.name));
    const isRoot = new Set([...roots.values()].map((node) => node.name));
    for (const node of found.nodes) {
      if (hasEffect(node, this.#context.operators)) return `%${node.name} has an effect`;
      if (isRoot.has(node.name) || rule.sharesInner) continue;
      for (const user of this.#work.users(node.name))
        if (!covered.has(user)) return `%${node.name} is used by %${user} too`;
    }
    return undefined;
  }

  /** With several roots: where the replacement stands, every operand must be there, and no root used yet. */
  #disorder(candidate: Candidate): string | undefined {
    if (candidate.roots.size === 1) return undefined;
    const place = this.#work.position(this.#anchor(candidate).name);
    const roots = new Set([...candidate.roots.values()].map(({ name }) => name));
    for (const value of candidate.found.captures.values()) {
      const name = isRef(value) ? value.name : undefined;
      // What reads a root is refused once it is known what the replacement reads.
      if (name !== undefined && !roots.has(name) && !isEarlier(this.#work.position(name), place))
        return `%${name} comes after the first of the values to replace`;
    }
    return undefined;
  }

  /** The root before which the replacement goes: the first in the graph. */
  #anchor({ roots }: Candidate): Node {
    if (roots.size === 1) return roots.values().next().value!;
    let first: Node | undefined;
    let place: Position | undefined;
    for (const node of roots.values()) {
      const own = this.#work.position(node.name);
      if (place !== undefined && !isEarlier(own, place)) continue;
      [first, place] = [node, own];
    }
    return first!;
  }

  #replacer({ rule, found, roots }: Candidate): Replacer {
    const { operators, env, pass } = this.#context;
    const root = roots.values().next().value!;
    const { val: _val, unbackedBindings: _bindings, origin: _origin, ...rest } = root.meta;
    const from = found.nodes.map((node) => node.name);
    const meta: NodeMeta = { ...rest, origin: { pass, rule: rule.name, from } };
    return new Replacer(this.#work, operators, env, meta);
  }

  #matchOf({ found, roots }: Candidate, captures: Captures): Match {
    const { operators, env, constants } = this.#context;
    const work = this.#work;
    return {
      root: roots.values().next().value!,
      nodes: found.nodes,
      operators,
      env,
      graph: work.base,
      node: (name) => {
        const node = found.named.get(name);
        if (node === undefined) throw new RuleFault(`names no node $${name} in its pattern`);
        return node;
      },
      tensor: (name) => {
        const value = captures[name];
        if (value instanceof FakeTensor) return value;
        throw new RuleFault(`takes $${name} for a tensor, which it is not here`);
      },
      number: (name) => numberOf(found.captures.get(name)),
      source: (name) => {
        const value = found.captures.get(name);
        return isRef(value) ? work.find(value.name) : undefined;
      },
      isConstant: (name) => {
        const value = found.captures.get(name);
        return isRef(value) && constants?.has(value.name) === true;
      },
    };
  }

  /** The argument that stands for each root, or why the replacement cannot. */
  #values(
    { rule, roots }: Candidate,
    replacer: Replacer,
    result: Exclude<ReturnType<Rule["replace"]>, string>,
  ): ReadonlyMap<string, NodeRef> | string {
    const given = valuesByRoot([...roots.keys()], result);
    const values = new Map<string, NodeRef>();
    const replaced = new Set([...roots.values()].map(({ name }) => name));
    for (const [name, node] of roots) {
      const value = given.get(name)!;
      const problem = replacementProblem(node.meta.val, value, rule.changesLayout);
      if (problem !== undefined) return roots.size === 1 ? problem : `${name}: ${problem}`;
      const argument = replacer.argumentOf(value as never);
      if (!isRef(argument)) return "the replacement is no node";
      if (argument.name === node.name) return "the replacement is the same node";
      values.set(node.name, argument);
    }
    for (const node of replacer.nodes) {
      let read: string | undefined;
      forEachInput(node, (name) => (read = replaced.has(name) ? name : read));
      if (read !== undefined) return `the replacement reads %${read}, which it replaces`;
    }
    const kept = [...values.values()].find(({ name }) => replaced.has(name));
    return kept === undefined ? values : `the replacement is %${kept.name}, which is replaced too`;
  }

  #apply(candidate: Candidate, replacer: Replacer, values: ReadonlyMap<string, NodeRef>): void {
    const { rule, found } = candidate;
    const anchor = this.#anchor(candidate).name;
    if (++this.#count > this.#limit) throw diverges(this.#labelOf(rule), this.#limit, anchor);
    for (const node of replacer.nodes) this.#work.insertBefore(anchor, node);
    const operands = operandsOf(found, this.#work);
    const changed: string[] = [];
    for (const [name, value] of values) {
      changed.push(...this.#work.replaceUses(name, value));
      this.#renamed.set(name, value.name);
    }
    for (const node of found.nodes.toReversed()) {
      if (this.#work.find(node.name) !== undefined && this.#work.users(node.name).size === 0)
        this.#work.remove(node.name);
    }
    for (const node of replacer.nodes) this.#enqueue(node);
    for (const user of changed) this.#enqueueFrom(user, this.#reach);
    // What has lost all users but one may be an inner node of that one's pattern now.
    for (const name of operands) {
      const users = this.#work.users(name);
      if (users.size === 1) for (const user of users) this.#enqueueFrom(user, this.#reach);
    }
  }

  /** A node whose operands changed, and those above it whose patterns reach down to it. */
  #enqueueFrom(name: string, reach: number): void {
    const node = this.#work.find(name);
    if (node === undefined) return;
    this.#enqueue(node);
    if (reach <= 1) return;
    for (const user of this.#work.users(name)) this.#enqueueFrom(user, reach - 1);
  }

  /** `rule "name"`, with the plugin that it is of. */
  #labelOf(rule: Rule): string {
    const owner = this.#context.ownerOf?.(rule);
    return owner === undefined ? `rule "${rule.name}"` : `rule "${rule.name}" of plugin "${owner}"`;
  }

  #guarded<T>(rule: Rule, root: Node, run: () => T): T | string {
    return guarded(rule, this.#labelOf(rule), root, run);
  }

  #latest(name: string): string {
    let latest = name;
    for (let next = this.#renamed.get(latest); next !== undefined; next = this.#renamed.get(latest))
      latest = next;
    return latest;
  }
}

/** A guard that forgets to answer is no yes. @throws RuleFault */
function verdictOf(rule: Rule, captures: Captures, match: Match): true | string {
  const verdict: unknown = rule.where === undefined ? true : rule.where(captures, match);
  if (verdict === true || typeof verdict === "string") return verdict;
  throw new RuleFault(`has a guard that gives ${told(verdict)}; it must give true, or the reason why not`);
}

/** What shape rules refuse a call with; such a replacement is none. */
const REFUSALS: ReadonlySet<string> = new Set([
  "SHAPE_MISMATCH",
  "DTYPE_MISMATCH",
  "INVALID_ARGUMENT",
  "DATA_DEPENDENT_GUARD",
]);

/** Runs a rule's own function: refusals of operators are reasons, anything else names the rule. */
function guarded<T>(rule: Rule, label: string, root: Node, run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    if (error instanceof SconceError && REFUSALS.has(error.code)) return error.message;
    const message = thrownText(error);
    throw new SconceError({
      code: "RULE",
      message:
        error instanceof RuleFault
          ? `${label} ${message} (at %${root.name})`
          : `${label} threw at %${root.name}: ${message}`,
      where: root.name,
      fix: error instanceof SconceError ? error.fix : `mend the rule, or leave "${rule.name}" out`,
      cause: error,
    });
  }
}

/** Nodes from outside of the match that it reads. */
function operandsOf({ captures }: Found, work: WorkGraph): string[] {
  const names: string[] = [];
  for (const value of captures.values()) if (isRef(value) && work.find(value.name)) names.push(value.name);
  return names;
}

function numberOf(value: Argument | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const tagged = value as { readonly kind?: string; readonly value?: number } | null | undefined;
  return typeof tagged === "object" && tagged?.kind === "float" ? tagged.value : undefined;
}

const diverges = (label: string, limit: number, node: string): SconceError =>
  new SconceError({
    code: "REWRITE_DIVERGES",
    message: `${label} still fires after ${limit} rewrites, at %${node}`,
    where: node,
    fix: "make sure that a rule's replacement does not match the rule again, nor another rule that undoes it",
  });
