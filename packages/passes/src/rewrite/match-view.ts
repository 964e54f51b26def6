import { type Argument, FakeTensor, type Graph, isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import type { Candidate } from "./candidate.js";
import type { RewriteContext } from "./context.js";
import { type Captures, type Match, RuleFault } from "./rule.js";
import type { WorkGraph } from "./work-graph.js";

/**
 * What a rule's functions may ask about a match. Its functions are getters, since rules take them
 * out of the object, and most rules need none: a function bound to each match would cost more than
 * the match.
 */
export class MatchView implements Match {
  readonly #candidate: Candidate;
  readonly #captures: Captures;
  readonly #work: WorkGraph;
  readonly #context: RewriteContext;

  /** Nodes outside of the match that the rule looked at. */
  readonly sources = new Set<string>();
  readsGraph = false;

  constructor(candidate: Candidate, captures: Captures, work: WorkGraph, context: RewriteContext) {
    this.#candidate = candidate;
    this.#captures = captures;
    this.#work = work;
    this.#context = context;
  }

  get root(): Node {
    return this.#candidate.roots[0]!.node;
  }

  get nodes(): readonly Node[] {
    return this.#candidate.found.nodes;
  }

  get operators(): OperatorTable {
    return this.#context.operators;
  }

  get env(): SymEnv {
    return this.#context.env;
  }

  get graph(): Graph {
    this.readsGraph = true;
    return this.#work.base;
  }

  get node(): Match["node"] {
    return (name) => {
      const node = this.#candidate.found.named.get(name);
      if (node !== undefined) return node;
      throw new RuleFault(`names no node $${name} in its pattern`);
    };
  }

  get tensor(): Match["tensor"] {
    return (name) => {
      const value = this.#captures[name];
      if (value instanceof FakeTensor) return value;
      throw new RuleFault(`takes $${name} for a tensor, which it is not here`);
    };
  }

  get number(): Match["number"] {
    return (name) => numberOf(this.#captured(name));
  }

  get source(): Match["source"] {
    return (name) => {
      const value = this.#captured(name);
      if (!isRef(value)) return undefined;
      this.sources.add(value.name);
      return this.#work.find(value.name);
    };
  }

  get isConstant(): Match["isConstant"] {
    return (name) => {
      const value = this.#captured(name);
      return isRef(value) && this.#context.constants?.has(value.name) === true;
    };
  }

  #captured(name: string): Argument | undefined {
    return this.#candidate.found.captures.get(name);
  }
}

function numberOf(value: Argument | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const tagged = value as { readonly kind?: string; readonly value?: number } | null | undefined;
  return typeof tagged === "object" && tagged?.kind === "float" ? tagged.value : undefined;
}
