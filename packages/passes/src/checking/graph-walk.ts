/**
 * @file Two versions of a graph in one round of a check: their claims, and the regions that belong
 * to them.
 */
import { type ExportedProgram, forEachInput, type Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type ChangedRegion, RegionFinder, type SharedInput } from "../changes/changed-regions.js";
import { type GraphVersions, isRandom, isWrite, type Sides } from "../changes/program-sides.js";
import { type Claim, claimKey, unify } from "../changes/unify.js";
import { changesLaterCalls } from "../graphs/dead-nodes.js";
import type { ReplacedValue } from "../rewrite/rewrite-record.js";

/**
 * How many levels of producers are taken into a region for values that are constant, or that one
 * version alone reads.
 */
const EXTENSION_LEVELS = 24;
/** How many nodes are looked at for what an input is computed from. */
const MOST_PRODUCERS = 256;

/** Two versions of a graph with the claims of one round. */
export class GraphWalk {
  readonly finder: RegionFinder;
  readonly sides: Sides;
  readonly #replaced: ReadonlyMap<string, ReplacedValue>;
  readonly #constants: ReadonlySet<string>;

  constructor(
    { before, after, programs }: GraphVersions,
    operators: OperatorTable,
    sides: Sides,
    replaced: readonly ReplacedValue[],
    rejected: ReadonlySet<string>,
    likely: ReadonlyMap<string, string>,
  ) {
    this.sides = sides;
    this.#constants = constantValues(before, programs?.before, operators);
    const firm = replaced
      .filter(({ root, value }) => isRead(before, root) && after.has(value))
      .map(({ root, value }) => ({ before: root, after: value }));
    this.finder = new RegionFinder(
      before,
      after,
      unify(sides.before, sides.after, { firm, likely, rejected }),
    );
    this.#replaced = new Map(replaced.map((one) => [claimKey(one.root, one.value), one]));
  }

  /** Numbers of the values that rules matched: they are computed in the region, not taken. */
  coveredBy({ claims }: ChangedRegion): Set<number> {
    const roots = new Set(claims.map(({ before }) => before));
    const covered = claims.flatMap((claim) => [...(this.#replacedBy(claim)?.covers ?? [])]);
    const names = covered.filter((name) => !roots.has(name));
    const calls = names.filter((name) => this.sides.before.graph.find(name)?.op === "call_function");
    return new Set(calls.flatMap((name) => this.finder.numberOf(name) ?? []));
  }

  /**
   * Extends the region so that it computes two kinds of its inputs: constant ones, which so have
   * their own values, and those that only one version reads. The other version computes these from
   * inputs that may be the same.
   */
  extend(
    region: ChangedRegion,
    inside: ReadonlySet<number>,
  ): { extended: ChangedRegion; inside: ReadonlySet<number> } {
    let extended = this.finder.region(region.claims, inside);
    for (let level = 0; level < EXTENSION_LEVELS; level++) {
      const calls = extended.inputs.filter(({ before }) => this.#isCall(before));
      const own = calls.filter(({ before, readBy }) => readBy !== "both" || this.#constants.has(before));
      const found = own.length > 0 ? own : this.#derived(extended, calls);
      if (found.length === 0) break;
      inside = new Set([...inside, ...found.map(({ before }) => this.finder.numberOf(before)!)]);
      extended = this.finder.region(region.claims, inside);
    }
    return { extended, inside };
  }

  /**
   * Inputs that are computed from others which one version alone reads: that version may compute
   * them anew, where the other takes them.
   */
  #derived({ inputs }: ChangedRegion, calls: readonly SharedInput[]): SharedInput[] {
    const own = inputs.filter(({ readBy }) => readBy !== "both");
    const sources = new Set(own.map(({ before }) => this.finder.numberOf(before)));
    return sources.size === 0 ? [] : calls.filter(({ before }) => this.#isComputedFrom(before, sources));
  }

  #isComputedFrom(name: string, sources: ReadonlySet<number | undefined>): boolean {
    const { graph } = this.sides.before;
    const seen = new Set<string>();
    const open = [name];
    for (let next = open.pop(); next !== undefined && seen.size < MOST_PRODUCERS; next = open.pop()) {
      if (next !== name && sources.has(this.finder.numberOf(next))) return true;
      forEachInput(graph.node(next), (input) => {
        if (seen.has(input)) return;
        seen.add(input);
        open.push(input);
      });
    }
    return false;
  }

  #isCall(name: string): boolean {
    return this.sides.before.graph.node(name).op === "call_function";
  }

  /**
   * Returns whether facts about what produces the inputs may be why the change is right: rules
   * declare what they read.
   */
  mayExtend({ claims }: ChangedRegion): boolean {
    return claims.some((claim) => this.#replacedBy(claim)?.readsGraph ?? true);
  }

  rulesOf({ claims, after }: ChangedRegion): ReplacedValue["rules"] {
    const rules = new Set(claims.flatMap((claim) => this.#replacedBy(claim)?.rules ?? []));
    const made = new Set(after.nodes.flatMap(({ meta }) => meta.origin?.rule ?? []));
    for (const { rules: own } of this.#replaced.values())
      for (const rule of own) if (made.has(rule.name)) rules.add(rule);
    return [...rules];
  }

  #replacedBy({ before, after }: Claim): ReplacedValue | undefined {
    return this.#replaced.get(claimKey(before, after));
  }
}

/** Parameters, buffers, constants, and what is computed from nothing else. */
function constantValues(
  graph: Graph,
  program: ExportedProgram | undefined,
  operators: OperatorTable,
): Set<string> {
  const specs = program?.graphSignature.inputSpecs ?? [];
  const found = new Set(specs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [] : [arg.name])));
  for (const node of graph.nodes()) {
    if (node.op !== "call_function" || isRandom(node, operators) || isWrite(node, operators)) continue;
    let isConstant = !node.target.startsWith("higher_order.") && !changesLaterCalls(node.target);
    forEachInput(node, (input) => {
      isConstant &&= found.has(input);
    });
    if (isConstant) found.add(node.name);
  }
  return found;
}

const isRead = (graph: Graph, name: string): boolean => graph.has(name) && graph.users(name).length > 0;
