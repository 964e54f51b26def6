/**
 * @file Where a rule may fire: all its roots are found, nothing else needs what goes, and the order
 * allows it.
 */
import { forEachRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { hasEffect } from "../graphs/dead-nodes.js";
import { Refusal } from "./context.js";
import type { Found, Matcher } from "./match.js";
import type { Link, Step } from "./roots.js";
import type { Rule } from "./rule.js";
import type { Plan } from "./rule-plans.js";
import { isEarlier, type Slot, type WorkGraph } from "./work-graph.js";

/** A match with what belongs to it. */
export interface Candidate {
  readonly rule: Rule;
  readonly found: Found;
  /** Matched nodes of the roots, in the rule's order. */
  readonly roots: readonly Root[];
}

/** A node that a replacement represents, with its name in the rule. */
export interface Root {
  readonly name: string;
  readonly node: Node;
}

interface FoundRoot {
  readonly root: Node;
  readonly found: Found;
}

export class CandidateFinder {
  readonly #work: WorkGraph;
  readonly #matcher: Matcher;
  readonly #operators: OperatorTable;

  constructor(work: WorkGraph, matcher: Matcher, operators: OperatorTable) {
    this.#work = work;
    this.#matcher = matcher;
    this.#operators = operators;
  }

  /**
   * Returns the match of a rule at a node; or why there is none, where the matcher keeps reasons.
   */
  find({ rule, steps }: Plan, node: Node): Candidate | Refusal | undefined {
    const { name, pattern } = steps[0]!;
    let found = this.#matcher.match(pattern, node);
    if (found === undefined) return this.#miss();
    const roots: Root[] = [{ name, node }];
    for (let i = 1; i < steps.length; i++) {
      const next: FoundRoot | undefined = this.#matchBeside(steps[i]!, found, roots);
      if (next === undefined) return this.#miss();
      roots.push({ name: steps[i]!.name, node: next.root });
      found = next.found;
    }
    const candidate = { rule, found, roots: roots.length === 1 ? roots : inOrder(rule, roots) };
    return this.#escape(candidate) ?? this.#disorder(candidate) ?? candidate;
  }

  #miss(): Refusal | undefined {
    const { miss } = this.#matcher;
    return miss && new Refusal("pattern", miss.reason);
  }

  /** Returns the root before which the replacement goes: the first in the graph. */
  anchor({ roots }: Candidate): Node {
    let first = roots[0]!.node;
    if (roots.length === 1) return first;
    let place = this.#work.position(first.name);
    for (const { node } of roots) {
      const own = this.#work.position(node.name);
      if (isEarlier(own, place)) [first, place] = [node, own];
    }
    return first;
  }

  /** Returns a further root: what its links lead to from what was captured or covered. */
  #matchBeside({ pattern, links }: Step, found: Found, roots: readonly Root[]): FoundRoot | undefined {
    const tried = new Set(roots.map(({ node }) => node));
    for (const link of links) {
      for (const { node } of this.#climb(link, found)) {
        if (node === null || tried.has(node)) continue;
        tried.add(node);
        const next = this.#matcher.match(pattern, node, found);
        if (next !== undefined) return { root: node, found: next };
      }
    }
    return undefined;
  }

  /** Returns the nodes at the upper end of a link. */
  #climb({ from, path }: Link, found: Found): ReadonlySet<Slot> {
    let slots = new Set<Slot>();
    const start = (name: string): void => void slots.add(this.#work.slot(name)!);
    if ("targets" in from) {
      for (const { name, target } of found.nodes) if (from.targets.includes(target)) start(name);
    } else {
      const node = found.named.get(from.capture);
      if (node !== undefined) start(node.name);
      forEachRef(found.captures.get(from.capture) ?? null, start);
    }
    for (const targets of path) {
      const users = new Set<Slot>();
      for (const slot of slots)
        for (const user of this.#work.users(slot)) if (targets.includes(user.node!.target)) users.add(user);
      slots = users;
    }
    return slots;
  }

  /** Returns why an inner node has to stay: something else reads it, or it does something. */
  #escape({ rule, found, roots }: Candidate): Refusal | undefined {
    for (const node of found.nodes) {
      if (hasEffect(node, this.#operators)) return new Refusal("users", `%${node.name} has an effect`);
      if (rule.sharesInner || roots.some((root) => root.node === node)) continue;
      for (const user of this.#work.users(this.#work.slot(node.name)!))
        if (!found.nodes.includes(user.node!))
          return new Refusal("users", `%${node.name} is used by %${user.node!.name} too`);
    }
    return undefined;
  }

  /**
   * With several roots: where the replacement stands, every operand must be there, and no root used
   * yet.
   */
  #disorder(candidate: Candidate): Refusal | undefined {
    if (candidate.roots.length === 1) return undefined;
    const place = this.#work.position(this.anchor(candidate).name);
    let late: string | undefined;
    for (const value of candidate.found.captures.values()) {
      forEachRef(value, (name) => {
        // What reads a root is refused once it is known what the replacement reads.
        if (candidate.roots.some(({ node }) => node.name === name)) return;
        if (!isEarlier(this.#work.position(name), place)) late ??= name;
      });
    }
    return late === undefined
      ? undefined
      : new Refusal("order", `%${late} comes after the first of the values to replace`);
  }
}

/** Roots as the rule has them, whichever was found first. */
const inOrder = (rule: Rule, roots: readonly Root[]): Root[] =>
  [...rule.roots.keys()].map((name) => roots.find((root) => root.name === name)!);
