/**
 * @file The rewrites that the driver made in a graph: which values represent which, by which rules.
 */
import type { Graph } from "@sconce/ir";
import type { Rule } from "./rule.js";

/** One rewrite as the driver made it. */
export interface MadeRewrite {
  readonly rule: Pick<Rule, "name"> & { readonly changesNumbers?: Rule["changesNumbers"] };
  /** The graph that the run of the driver began with. */
  readonly graph: Graph;
  /**
   * Names of all nodes that the pattern covers, and of those that the rule's functions looked at
   * besides.
   */
  readonly covers: readonly string[];
  /** Whether the rule's functions looked at the whole graph. */
  readonly readsGraph: boolean;
  /** Names of the replaced nodes with those of the values that replace them. */
  readonly values: ReadonlyMap<string, string>;
}

/** What the rewrites of one graph say of a value that was replaced. */
export interface ReplacedValue {
  readonly root: string;
  /** The name of what represents it in the end. */
  readonly value: string;
  readonly rules: readonly MadeRewrite["rule"][];
  /** Nodes of the graph before that the rules matched, one through another. */
  readonly covers: ReadonlySet<string>;
  readonly readsGraph: boolean;
}

/**
 * Returns the replaced values of a graph by their names before; rewrites of rewritten nodes are
 * joined.
 */
export function replacedValues(before: Graph, made: readonly MadeRewrite[]): ReplacedValue[] {
  const own = made.filter(({ graph }) => graph === before);
  const next = new Map(own.flatMap(({ values }) => [...values]));
  const resolved = (name: string): string => {
    let latest = name;
    for (let hops = 0; hops <= next.size && next.has(latest); hops++) latest = next.get(latest)!;
    return latest;
  };
  const replacing = new Map<string, MadeRewrite>();
  for (const rewrite of own) for (const root of rewrite.values.keys()) replacing.set(root, rewrite);
  const madeBy = new Map<string, MadeRewrite>();
  // The first that has a value made it; others hand it on.
  for (const rewrite of own)
    for (const value of rewrite.values.values()) if (!madeBy.has(value)) madeBy.set(value, rewrite);
  return own.flatMap((rewrite) =>
    [...rewrite.values.keys()]
      .filter((root) => before.has(root))
      .map((root): ReplacedValue => {
        const involved = chainOf(root, next, replacing, madeBy, before);
        return {
          root,
          value: resolved(root),
          rules: [...new Set(involved.map(({ rule }) => rule))],
          covers: new Set(involved.flatMap(({ covers }) => covers.filter((name) => before.has(name)))),
          readsGraph: involved.some(({ readsGraph }) => readsGraph),
        };
      }),
  );
}

/**
 * Returns the rewrites that a replaced value went through, and those that made nodes which they
 * matched.
 */
function chainOf(
  root: string,
  next: ReadonlyMap<string, string>,
  replacing: ReadonlyMap<string, MadeRewrite>,
  madeBy: ReadonlyMap<string, MadeRewrite>,
  before: Graph,
): MadeRewrite[] {
  const found = new Set<MadeRewrite>();
  const open: MadeRewrite[] = [];
  for (let name: string | undefined = root, hops = 0; name !== undefined && hops <= next.size; hops++) {
    // What represents it may itself be what another rewrite made.
    for (const rewrite of [replacing.get(name), before.has(name) ? undefined : madeBy.get(name)])
      if (rewrite !== undefined) open.push(rewrite);
    name = next.get(name);
  }
  for (let rewrite = open.pop(); rewrite !== undefined; rewrite = open.pop()) {
    if (found.has(rewrite)) continue;
    found.add(rewrite);
    for (const name of rewrite.covers) {
      const earlier = before.has(name) ? undefined : madeBy.get(name);
      if (earlier !== undefined) open.push(earlier);
    }
  }
  return [...found];
}
