/**
 * @file Groups of calls that a backend can run as one kernel: a convolution or matrix product with
 * the pointwise calls behind it (bias, activation, residual sum), or pointwise calls alone.
 */
import { checkOptions, finish, type OptionNames, type Work } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, forEachRef, type Graph, type Node, rebuild } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { IntLike } from "@sconce/symbolic";
import { callName } from "@sconce/trace";
import { pointwiseCalls } from "../analysis/pointwise.js";
import { requireFunctional } from "../analysis/require-functional.js";
import { withGraph } from "../graphs/rename.js";
import { mapSubgraphSteps } from "../graphs/subgraphs.js";
import { CALL_REGION, outline } from "./outline.js";

/** Which regions are fused, and what becomes of them. */
export interface FuseOptions {
  /** Whether regions become nested graphs; otherwise their nodes are only tagged. */
  readonly outline?: boolean;
  /** Whether there are regions without a convolution or matrix product. */
  readonly pointwise?: boolean;
}

const FUSE: OptionNames<FuseOptions> = { outline: true, pointwise: true };

/** What the call of a region, or each of its nodes, has as `meta.custom.fusion`. */
export interface Fusion {
  /** `fused_0`: the name of the region. */
  readonly region: string;
  /** What its kernel is: that of its convolution or matrix product, or one over elements. */
  readonly kind: "convolution" | "matmul" | "pointwise";
  /** The operators, in order: `["convolution", "add", "relu"]`. */
  readonly calls: readonly string[];
}

const HEADS: readonly (readonly [kind: Fusion["kind"], targets: RegExp])[] = [
  ["convolution", /^aten\.(convolution|conv[123]d|conv_transpose[123]d)\.\w+$/],
  ["matmul", /^aten\.(addmm|mm|bmm|baddbmm|linear)\.default$/],
];

const PASS = "fuse-regions";

/**
 * Divides a program into regions. Each value that is read outside of its region ends one, so that a
 * region has one result, and nothing that it needs depends on it. A call joins the region of its
 * users when that is one region with its own sizes; of convolutions and matrix products a region
 * has at most one, which reads nothing else of it. One pass over the nodes, from the end.
 *
 * @throws SconceError `NOT_FUNCTIONAL`
 */
export function fuseRegions(
  program: ExportedProgram,
  operators: OperatorTable,
  options: FuseOptions = {},
): ExportedProgram {
  return finish(fusionSteps(program, operators, options));
}

/** As {@link fuseRegions}, in pieces. */
export function* fusionSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  options: FuseOptions,
): Work<ExportedProgram> {
  checkOptions("fuseRegions", options, FUSE);
  requireFunctional(program, operators, PASS);
  yield;
  const isPointwise = pointwiseCalls(operators);
  const fused = function* (graph: Graph): Work<Graph> {
    const regions = fusedCalls(graph);
    const nested = yield* mapSubgraphSteps(graph, function* (body, target) {
      return regions.has(target) ? body : yield* fused(body);
    });
    return yield* new Fuser(nested, isPointwise, options).run();
  };
  return withGraph(program, yield* fused(program.graph));
}

/** Nested graphs that are fused regions already. */
function fusedCalls(graph: Graph): Set<string> {
  const targets = new Set<string>();
  for (const node of graph.nodes()) {
    if (node.target !== CALL_REGION || node.meta.custom?.["fusion"] === undefined) continue;
    forEachRef(node.args[0]!, (name) => targets.add(graph.node(name).target));
  }
  return targets;
}

/**
 * A region by the position of its last node, with that of its convolution or matrix product, or -1.
 */
interface Growing {
  readonly members: number[];
  readonly shape: readonly IntLike[];
  head: number;
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 256;

class Fuser {
  readonly #graph: Graph;
  readonly #isPointwise: (node: Node) => boolean;
  readonly #options: FuseOptions;
  readonly #region: (Growing | undefined)[];

  constructor(graph: Graph, isPointwise: (node: Node) => boolean, options: FuseOptions) {
    this.#graph = graph;
    this.#isPointwise = isPointwise;
    this.#options = options;
    this.#region = new Array<Growing | undefined>(graph.size).fill(undefined);
  }

  *run(): Work<Graph> {
    const { pointwise = true } = this.#options;
    const found = (yield* this.#grow())
      .filter(({ members, head }) => members.length > 1 && (pointwise || head >= 0))
      .reverse();
    for (const { members } of found) members.reverse();
    if (found.length === 0) return this.#graph;
    yield;
    const tags = found.map((region, i) => this.#tag(region, `fused_${i}`));
    return this.#options.outline === false ? this.#tagged(found, tags) : yield* this.#outlined(found, tags);
  }

  /** Regions from the last to the first, their members too. */
  *#grow(): Work<Growing[]> {
    const regions: Growing[] = [];
    for (let at = this.#graph.size - 1; at >= 0; at--) {
      if (at % NODES_A_PIECE === 0) yield;
      const node = this.#graph.nodeAt(at);
      const isHead = kindOf(node) !== undefined;
      if ((!isHead && !this.#isPointwise(node)) || this.#graph.userCount(at) === 0) continue;
      let region = this.#regionOfUsers(node, isHead);
      if (region === undefined) {
        region = { members: [], shape: (node.meta.val as FakeTensor).shape, head: -1 };
        regions.push(region);
      }
      region.members.push(at);
      if (isHead) region.head = at;
      this.#region[at] = region;
    }
    return regions;
  }

  /**
   * Returns the region that a node may join: the one that all of its users are in, if its kernel
   * can compute the node too.
   */
  #regionOfUsers(node: Node, isHead: boolean): Growing | undefined {
    let region: Growing | undefined;
    for (const user of this.#graph.users(node.name)) {
      const at = this.#graph.indexOf(user.name);
      const own = this.#region[at];
      // What the head reads must be there before its kernel runs.
      if (own === undefined || own.head === at || (region !== undefined && own !== region)) return undefined;
      region = own;
    }
    if (region === undefined || (isHead && region.head >= 0)) return undefined;
    return sameSizes((node.meta.val as FakeTensor).shape, region.shape) ? region : undefined;
  }

  #tag({ members, head }: Growing, region: string): { fusion: Fusion } {
    const nodes = members.map((at) => this.#graph.nodeAt(at));
    const kind = head < 0 ? "pointwise" : kindOf(this.#graph.nodeAt(head))!;
    return { fusion: { region, kind, calls: nodes.map(({ target }) => callName(target)) } };
  }

  #tagged(found: readonly Growing[], tags: readonly { fusion: Fusion }[]): Graph {
    const tagOf = new Map<string, { fusion: Fusion }>();
    found.forEach(({ members }, i) => {
      for (const at of members) tagOf.set(this.#graph.nodeAt(at).name, tags[i]!);
    });
    const texts = new Map<unknown, string>();
    // Nodes of one region share their tag, which is as long as the region: one text for all of
    // them.
    const textOf = (tag: unknown): string => {
      const text = texts.get(tag) ?? JSON.stringify(tag ?? null);
      texts.set(tag, text);
      return text;
    };
    return rebuild(this.#graph, (node) => {
      const tag = tagOf.get(node.name);
      if (tag === undefined || textOf(node.meta.custom?.["fusion"]) === textOf(tag.fusion)) return true;
      return { ...node, meta: { ...node.meta, custom: { ...node.meta.custom, ...tag } } };
    });
  }

  /**
   * Returns the graph with its regions outlined. Each stands where its last node stood: what its
   * other nodes read comes before, what reads it behind.
   */
  *#outlined(found: readonly Growing[], tags: readonly { fusion: Fusion }[]): Work<Graph> {
    const region = new Int32Array(this.#graph.size).fill(-1);
    const level = Int32Array.from(region, (_, at) => at);
    found.forEach(({ members }, i) => {
      for (const at of members) {
        region[at] = i;
        level[at] = members.at(-1)!;
      }
    });
    const names = tags.map(({ fusion }) => fusion.region);
    const outlined = yield* outline(this.#graph, { region, level, names, pass: PASS, tags });
    return outlined.graph;
  }
}

const kindOf = ({ op, target, meta }: Node): Fusion["kind"] | undefined =>
  op === "call_function" && meta.val instanceof FakeTensor
    ? HEADS.find(([, targets]) => targets.test(target))?.[0]
    : undefined;

const sameSizes = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  a.length === b.length &&
  a.every((size, d) => {
    const other = b[d]!;
    return (
      size === other || (typeof size !== "number" && typeof other !== "number" && size.key === other.key)
    );
  });
