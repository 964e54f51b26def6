/**
 * @file Recognizes rules that never converge, long before a bound on the rewrites. Every new node
 * knows the rewrite that made it. A rewrite that only takes away nodes that earlier rewrites made
 * continues their chain; one that also takes away a node of the graph as it was begins a new chain,
 * since there are finitely many of those. A chain in which the same match comes back, or that goes
 * on and on, has no end.
 */
import { type Argument, FakeTensor, type MetaValue, mapRefs, type Node, ref } from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import { SymExpr } from "@sconce/symbolic";
import { mapInputs } from "@sconce/trace";
import type { Rule } from "./rule.js";

/** How often the same match, operands included, may come back in a chain. */
const SAME_MATCHES = 3;
/** How often matches may come back that are the same but for the names of operands. */
const ALIKE_MATCHES = 8;
/**
 * How often matches may come back that are also the same but for the symbolic sizes of operands,
 * which then grow.
 */
const RESIZED_MATCHES = 16;
/** How many rewrites a chain may have. */
const LONGEST_CHAIN = 200;

/** One rewrite. */
export interface Rewriting {
  readonly rule: Rule;
  /** Counts the rewrites of the run from 1. */
  readonly number: number;
  readonly root: Node;
  /** All nodes that the patterns covered, as they were. */
  readonly nodes: readonly Node[];
  /** The type of an operand. */
  readonly typeOf: (name: string) => MetaValue | undefined;
}

/** A rewrite in its chain. */
export interface Link extends Rewriting {
  readonly chain: Chain;
  readonly before: Link | undefined;
  readonly length: number;
  /**
   * The match as text; with types of operands for names only behind the first link, whose operands
   * may be gone by then.
   */
  readonly exact: string;
  readonly alike: string | undefined;
  /** The same without symbolic sizes: those of a rule that feeds itself may never come back. */
  readonly resized: string | undefined;
}

interface Chain {
  /** A node of the graph as it was, from which the chain comes. */
  readonly origin: string;
}

/**
 * Rewrites that lead back to where they began, in order; or the last ones of a chain without an
 * end.
 */
export interface Cycle {
  readonly origin: string;
  readonly links: readonly Link[];
  /** Whether the last rewrite was at the same expression as the first. */
  readonly isExact: boolean;
}

/** A node as it is now; null when it is gone. */
interface Changed {
  readonly node: Node | null;
}

/** What a rewrite did to the graph. */
export interface Done {
  /** The nodes that it took away. */
  readonly removed: readonly Node[];
  readonly added: readonly Changed[];
  /** The nodes that read another value now. */
  readonly changed: readonly Changed[];
}

export class Lineage {
  /** The rewrite that made a node, or the last one to change its operands, by the node's name. */
  readonly #links = new Map<string, Link>();

  /** Takes note of a rewrite; returns the cycle that it closes. */
  add(rewriting: Rewriting, { removed, added, changed }: Done): Cycle | undefined {
    const before = this.#before(removed);
    const chain = before?.chain ?? { origin: this.#originOf(removed, rewriting) };
    const link = new RewriteLink(rewriting, chain, before);
    for (const { name } of removed) this.#links.delete(name);
    for (const { node } of added) this.#links.set(node!.name, link);
    for (const { node } of changed)
      if (node !== null && this.#links.get(node.name)?.chain === chain) this.#links.set(node.name, link);
    return before === undefined ? undefined : cycleOf(link);
  }

  /** Returns the longest link that made a removed node, when all were made by one chain. */
  #before(removed: readonly Node[]): Link | undefined {
    let longest: Link | undefined;
    for (const { name } of removed) {
      const link = this.#links.get(name);
      if (link === undefined || (longest !== undefined && link.chain !== longest.chain)) return undefined;
      if (longest === undefined || link.length > longest.length) longest = link;
    }
    return longest;
  }

  #originOf(removed: readonly Node[], { root }: Rewriting): string {
    const { name: first } = removed.find(({ name }) => !this.#links.has(name)) ?? root;
    return this.#links.get(first)?.chain.origin ?? first;
  }
}

/** Most rewrites begin a chain that has no second: their text is made when it is asked for. */
class RewriteLink implements Link {
  readonly rule: Rule;
  readonly number: number;
  readonly root: Node;
  readonly nodes: readonly Node[];
  readonly typeOf: Rewriting["typeOf"];
  readonly chain: Chain;
  readonly before: Link | undefined;
  readonly length: number;
  readonly alike: string | undefined;
  readonly resized: string | undefined;
  #exact: string | undefined;

  constructor({ rule, number, root, nodes, typeOf }: Rewriting, chain: Chain, before: Link | undefined) {
    this.rule = rule;
    this.number = number;
    this.root = root;
    this.nodes = nodes;
    this.typeOf = typeOf;
    this.chain = chain;
    this.before = before;
    this.length = (before?.length ?? 0) + 1;
    this.alike = before && matchKey(nodes, (name) => typeText(typeOf(name), ({ key }) => key));
    this.resized = before && matchKey(nodes, (name) => typeText(typeOf(name), () => "?"));
  }

  get exact(): string {
    this.#exact ??= matchKey(this.nodes, (name) => name);
    return this.#exact;
  }
}

function cycleOf(last: Link): Cycle | undefined {
  const { origin } = last.chain;
  const same: Link[] = [];
  const similar: Link[] = [];
  const resized: Link[] = [];
  for (let link: Link | undefined = last; link !== undefined; link = link.before) {
    if (link.rule !== last.rule || link.nodes.length !== last.nodes.length) continue;
    if (link.alike === last.alike) similar.push(link);
    if (link.resized === last.resized) resized.push(link);
    if (link.exact === last.exact) same.push(link);
    const found = [
      { links: same, most: SAME_MATCHES },
      { links: similar, most: ALIKE_MATCHES },
      { links: resized, most: RESIZED_MATCHES },
    ].find(({ links, most }) => links.length >= most)?.links;
    if (found !== undefined) {
      const [second, first] = found.slice(-2) as [Link, Link];
      return { origin, links: between(first, second), isExact: found === same };
    }
  }
  return last.length < LONGEST_CHAIN
    ? undefined
    : { origin, links: between(last.before!, last), isExact: false };
}

/** Returns the links of a chain from one to another, without the other. */
function between(first: Link, end: Link): Link[] {
  const links: Link[] = [];
  for (let link = end.before; link !== undefined; link = link.before) {
    links.push(link);
    if (link === first) break;
  }
  return links.reverse();
}

/**
 * Returns a match as text: its calls, with operands as `operandText` gives them. Covered nodes have
 * no names in it.
 */
function matchKey(nodes: readonly Node[], operandText: (name: string) => string): string {
  const places = new Map(nodes.map(({ name }, i) => [name, `#${i}`]));
  const operand = (name: string): string => places.get(name) ?? operandText(name);
  return nodes
    .map((node) => {
      const { target, args, kwargs } = mapInputs(node, ({ name }) => ref(operand(name)));
      const named = Object.entries(kwargs).map(([key, value]) => `${key}=${argumentText(value)}`);
      return `${target}(${[...args.map((arg) => argumentText(arg)), ...named].join(", ")})`;
    })
    .join("; ");
}

function typeText(val: MetaValue | undefined, symbolText: (size: SymExpr) => string): string {
  if (val instanceof FakeTensor) {
    const sizes = val.shape.map((size) => (size instanceof SymExpr ? symbolText(size) : String(size)));
    return `${val.dtype}[${sizes.join(", ")}]`;
  }
  if (Array.isArray(val))
    return `(${(val as readonly MetaValue[]).map((item) => typeText(item, symbolText)).join(", ")})`;
  return typeof val === "object" && val !== null ? "scalar" : String(val);
}

/** Returns a call as text, with the calls that the match covers inside of it. */
export function matchText({ root, nodes }: Rewriting): string {
  const inner = new Map(nodes.map((node) => [node.name, node]));
  const call = (node: Node): string => {
    const text = (arg: Argument): string => {
      const names: string[] = [];
      const marked = mapRefs(arg, ({ name }) => ref(`m${names.push(name) - 1}m`));
      return argumentText(marked).replace(/%m(\d+)m/g, (_, i: string) => {
        const name = names[Number(i)]!;
        return inner.has(name) ? call(inner.get(name)!) : `%${name}`;
      });
    };
    const named = Object.entries(node.kwargs).map(([key, value]) => `${key}=${text(value)}`);
    return `${node.target}(${[...node.args.map(text), ...named].join(", ")})`;
  };
  return call(root);
}
