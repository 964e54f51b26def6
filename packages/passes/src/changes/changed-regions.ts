/**
 * @file Changed regions: what computes two values that have to be equal, down to values that both
 * versions have.
 */
import { FakeTensor, forEachInput, type Graph, isSymScalar, type Node } from "@sconce/ir";
import type { Claim, Unified } from "./unify.js";

/** The calls of one version, in graph order, that compute the results of a region. */
export interface RegionSide {
  readonly graph: Graph;
  readonly nodes: readonly Node[];
  /** Results in the order of the region's claims. */
  readonly results: readonly string[];
  /** Inputs of the version alone: constants, and values for which the other has none. */
  readonly own: readonly string[];
}

/** A value that both versions have, by its name in each. */
export interface SharedInput {
  readonly before: string;
  readonly after: string;
  readonly readBy: "both" | "before" | "after";
  /** All names by which the calls of a region read the value: equal calls have one value. */
  readonly names: { readonly before: readonly string[]; readonly after: readonly string[] };
}

export interface ChangedRegion {
  readonly claims: readonly Claim[];
  readonly before: RegionSide;
  readonly after: RegionSide;
  readonly inputs: readonly SharedInput[];
}

/** Values that a region has to compute rather than to take as inputs, by their numbers. */
export type Inside = ReadonlySet<number>;

interface Cone {
  readonly nodes: Set<string>;
  /** Numbers of shared values with the nodes that have each. */
  readonly inputs: Map<number, string[]>;
  readonly own: Set<string>;
}

/** Finds the regions of two versions of a graph. */
export class RegionFinder {
  readonly unified: Unified;
  readonly before: Graph;
  readonly after: Graph;
  readonly #inBefore = new Map<number, string>();
  readonly #inAfter = new Map<number, string>();
  readonly #starts: ReadonlySet<string>;

  constructor(before: Graph, after: Graph, unified: Unified) {
    this.before = before;
    this.after = after;
    this.unified = unified;
    this.#starts = new Set(unified.claims.map((claim) => claim.before));
    for (const [name, id] of unified.before) if (!this.#inBefore.has(id)) this.#inBefore.set(id, name);
    for (const [name, id] of unified.after) if (!this.#inAfter.has(id)) this.#inAfter.set(id, name);
  }

  /** Returns the regions of all claims; claims that share a changed call are one. */
  regions(): ChangedRegion[] {
    const { claims } = this.unified;
    const groups = claims.map((_, i) => i);
    const find = (i: number): number => {
      while (groups[i] !== i) i = groups[i] = groups[groups[i]!]!;
      return i;
    };
    const owner = new Map<string, number>();
    claims.forEach((claim, i) => {
      for (const call of this.changedCalls(this.region([claim]))) {
        const other = owner.get(call);
        if (other === undefined) owner.set(call, i);
        else groups[find(i)] = find(other);
      }
    });
    const grouped = new Map<number, Claim[]>();
    claims.forEach((claim, i) => {
      const group = grouped.get(find(i));
      if (group === undefined) grouped.set(find(i), [claim]);
      else group.push(claim);
    });
    return [...grouped.values()].map((group) => this.region(group));
  }

  /**
   * Returns the region of some claims; `inside` are values that are computed in it although both
   * versions have them.
   */
  region(claims: readonly Claim[], inside: Inside = new Set()): ChangedRegion {
    const starts = claims.map((claim) => claim.before);
    const ends = claims.map((claim) => claim.after);
    const { before, after, made } = this.unified;
    const computed = new Set(ends.filter((name) => made.has(name)));
    const shared =
      (graph: Graph, other: ReadonlyMap<number, string>) =>
      (id: number, name: string): boolean =>
        other.has(id) && (!inside.has(id) || graph.node(name).op === "placeholder");
    const want = cone(this.before, starts, new Set(starts), shared(this.before, this.#inAfter), before);
    const got = cone(this.after, ends, computed, shared(this.after, this.#inBefore), after);
    const inputs = this.#inputsOf(want, got);
    return {
      claims,
      before: sideOf(this.before, want, starts),
      after: sideOf(this.after, got, ends),
      inputs,
    };
  }

  /**
   * Calls without results, and what they need: numbers are computed, tensors that both versions
   * have are inputs.
   */
  conditions(before: readonly string[], after: readonly string[], inside: Inside): ChangedRegion {
    const isInput =
      (graph: Graph, ids: ReadonlyMap<string, number>, other: ReadonlyMap<number, string>) =>
      (id: number, name: string): boolean => {
        const { op, meta } = graph.node(name);
        if (!other.has(id) || ids.get(name) !== id) return false;
        return op === "placeholder" || (!inside.has(id) && meta.val instanceof FakeTensor);
      };
    const { before: x, after: y } = this.unified;
    const want = cone(this.before, before, new Set(before), isInput(this.before, x, this.#inAfter), x);
    const got = cone(this.after, after, new Set(after), isInput(this.after, y, this.#inBefore), y);
    return {
      claims: [],
      before: sideOf(this.before, want, []),
      after: sideOf(this.after, got, []),
      inputs: this.#inputsOf(want, got),
    };
  }

  /** Returns whether a call before is made after too. */
  isInAfter(name: string): boolean {
    return this.#inAfter.has(this.unified.before.get(name)!);
  }

  /** Returns whether a call after is not made before. */
  isAdded(name: string): boolean {
    return this.unified.made.has(name);
  }

  #inputsOf(want: Cone, got: Cone): SharedInput[] {
    return [...new Set([...want.inputs.keys(), ...got.inputs.keys()])].map((id) => {
      const [before, after] = [want.inputs.get(id) ?? [], got.inputs.get(id) ?? []];
      return {
        before: before[0] ?? this.#inBefore.get(id)!,
        after: after[0] ?? this.#inAfter.get(id)!,
        readBy: after.length === 0 ? "before" : before.length > 0 ? "both" : "after",
        names: { before, after },
      };
    });
  }

  /**
   * Calls of a region that only one of the versions has, each with its side: `-mul` before, `+mul`
   * after.
   */
  changedCalls({ before, after }: ChangedRegion): string[] {
    const { before: ids, made } = this.unified;
    const gone = before.nodes.filter(
      ({ name }) => this.#starts.has(name) || !this.#inAfter.has(ids.get(name)!),
    );
    const added = after.nodes.filter(({ name }) => made.has(name));
    return [...gone.map(({ name }) => `-${name}`), ...added.map(({ name }) => `+${name}`)];
  }

  /** Returns the number of the value of a node before. */
  numberOf(name: string): number | undefined {
    return this.unified.before.get(name);
  }
}

/**
 * Returns what is computed for some results: calls back to values that `isShared` says both
 * versions have.
 */
function cone(
  graph: Graph,
  results: readonly string[],
  computed: ReadonlySet<string>,
  isShared: (id: number, name: string) => boolean,
  ids: ReadonlyMap<string, number>,
): Cone {
  const found: Cone = { nodes: new Set(), inputs: new Map(), own: new Set() };
  const open = [...new Set(results)];
  const seen = new Set(open);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = graph.node(name);
    const id = ids.get(name)!;
    const isInput =
      node.op === "placeholder" || (!computed.has(name) && canBeInput(node) && isShared(id, name));
    if (!isInput) {
      found.nodes.add(name);
      forEachInput(node, (input) => {
        if (seen.has(input)) return;
        seen.add(input);
        open.push(input);
      });
    } else if (!isShared(id, name)) found.own.add(name);
    else if (found.inputs.has(id)) found.inputs.get(id)!.push(name);
    else found.inputs.set(id, [name]);
  }
  return found;
}

/**
 * Lists of tensors are not inputs: the calls that read their items are. Nested graphs are not
 * either.
 */
const canBeInput = ({ op, meta: { val } }: Node): boolean =>
  op === "call_function" && (val instanceof FakeTensor || isSymScalar(val));

function sideOf(graph: Graph, { nodes, own }: Cone, results: readonly string[]): RegionSide {
  const sorted = [...nodes].map((name) => graph.node(name));
  sorted.sort((a, b) => graph.indexOf(a.name) - graph.indexOf(b.name));
  return { graph, nodes: sorted, results, own: [...own] };
}
