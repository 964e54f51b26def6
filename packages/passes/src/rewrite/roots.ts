/** @file How the driver gets from one root of a rule to the others. */
import type { CallPattern, Pattern } from "./pattern.js";

/**
 * A way up to a root: from what was captured, or covered, through calls of these operators, the
 * root's last.
 */
export interface Link {
  readonly from: { readonly capture: string } | { readonly targets: readonly string[] };
  readonly path: readonly (readonly string[])[];
}

/** A root, and how it is found once those before it are. */
export interface Step {
  readonly name: string;
  readonly pattern: CallPattern;
  readonly links: readonly Link[];
}

/** A rule's roots in an order in which each can be found from those before it. */
export interface RootPlan {
  readonly steps: readonly Step[];
  /** Roots that share nothing with those. */
  readonly disconnected: readonly string[];
}

/**
 * Orders the roots of a rule, beginning with one of them. Two roots are connected by a capture or
 * a named node that both have, or by a call of the same operator, which may be one node in both.
 */
export function planRoots(roots: ReadonlyMap<string, CallPattern>, start: string): RootPlan {
  const steps: Step[] = [{ name: start, pattern: roots.get(start)!, links: [] }];
  const left = new Map(roots);
  left.delete(start);
  const known = knownIn(steps[0]!.pattern);
  for (;;) {
    const next = nextStep(left, known);
    if (next === undefined) return { steps, disconnected: [...left.keys()] };
    steps.push(next);
    left.delete(next.name);
    knownIn(next.pattern, known);
  }
}

/** What patterns capture, name and call. */
interface Known {
  readonly names: Set<string>;
  readonly targets: Set<string>;
}

function knownIn(pattern: Pattern, known: Known = { names: new Set(), targets: new Set() }): Known {
  const { names, targets } = known;
  if (pattern.kind === "any" || pattern.kind === "call")
    if (pattern.name !== undefined) names.add(pattern.name);
  if (pattern.kind === "call") for (const target of pattern.targets) targets.add(target);
  if (pattern.kind === "call" || pattern.kind === "list")
    for (const item of operandsOf(pattern)) knownIn(item, known);
  return known;
}

function nextStep(left: ReadonlyMap<string, CallPattern>, known: Known): Step | undefined {
  for (const [name, pattern] of left) {
    const links = linksOf(pattern, known, []);
    if (links.length > 0) return { name, pattern, links };
  }
  return undefined;
}

function linksOf(pattern: Pattern, known: Known, path: Link["path"]): Link[] {
  const links: Link[] = [];
  const named = (name: string | undefined): void => {
    if (name !== undefined && known.names.has(name)) links.push({ from: { capture: name }, path });
  };
  if (pattern.kind === "any" || pattern.kind === "call") named(pattern.name);
  if (pattern.kind === "call") {
    const shared = pattern.targets.filter((target) => known.targets.has(target));
    if (shared.length > 0 && path.length > 0) links.push({ from: { targets: shared }, path });
  }
  if (pattern.kind === "call" || pattern.kind === "list") {
    const inner = pattern.kind === "call" ? [pattern.targets, ...path] : path;
    for (const item of operandsOf(pattern)) links.push(...linksOf(item, known, inner));
  }
  return links;
}

const operandsOf = (pattern: Extract<Pattern, { readonly kind: "call" | "list" }>): readonly Pattern[] =>
  pattern.kind === "list" ? pattern.items : [...pattern.args, ...pattern.kwargs.values()];
