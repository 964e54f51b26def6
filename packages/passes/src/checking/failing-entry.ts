/** @file The entry of a decomposition table that made a value that differs. */
import { type ExportedProgram, type Graph, type Node, sourceLine } from "@sconce/ir";
import { nestedGraphs, pathText } from "../changes/nested.js";
import { entryOfNode, type OwnedEntry } from "../tables/entry-owners.js";

/** A use of an entry: the call that it replaced, and where. */
export interface FailingEntry extends OwnedEntry {
  /** The replaced node. */
  readonly node: string;
  /** The nested graph that it is in: `true_graph_0`; empty for the program's own graph. */
  readonly graph: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line: string | undefined;
  /** Counts the uses of entries from 1. */
  readonly number: number;
  readonly total: number;
}

/** Where a difference shows. */
export interface DifferencePlace {
  readonly graph: string;
  /** The node that differs. */
  readonly node: string | undefined;
  /** The changed calls that were run by themselves. */
  readonly region: Graph | undefined;
}

/**
 * Returns every use of an entry that is not Sconce's own, in the order of the nodes that it made.
 */
function usesOf({ graph }: ExportedProgram): Map<string, FailingEntry> {
  const found = new Map<string, Omit<FailingEntry, "total">>();
  const visit = (path: string, inner: Graph): void => {
    for (const node of inner.nodes()) {
      const entry = entryOfNode(node.meta);
      const key = useKey(path, node);
      if (entry === undefined || found.has(key)) continue;
      const replaced = node.meta.origin!.from.at(-1) ?? node.name;
      const [line, number] = [sourceLine(node), found.size + 1];
      found.set(key, { ...entry, node: replaced, graph: path, line, number });
    }
  };
  visit("", graph);
  for (const nested of nestedGraphs(graph)) visit(pathText(nested.path), nested.graph);
  return new Map([...found].map(([key, use]) => [key, { ...use, total: found.size }]));
}

const useKey = (path: string, { meta }: Node): string =>
  [path, meta.origin?.rule, ...(meta.origin?.from ?? [])].join(" ");

/**
 * Finds the entry for differences in a program that was lowered by a table with entries that are
 * not Sconce's own.
 */
export class EntryFinder {
  readonly #program: ExportedProgram;
  readonly #uses: ReadonlyMap<string, FailingEntry>;

  constructor(program: ExportedProgram) {
    this.#program = program;
    this.#uses = usesOf(program);
  }

  get hasEntries(): boolean {
    return this.#uses.size > 0;
  }

  /** The only entry, where there is but one. */
  get only(): FailingEntry | undefined {
    const [first, second] = this.#uses.values();
    return second === undefined ? first : undefined;
  }

  /**
   * Returns the entry that made the node that differs, or else the first that made a call of the
   * region.
   */
  at({ graph, node, region }: DifferencePlace): FailingEntry | undefined {
    const inner = nestedGraphs(this.#program.graph).find(({ path }) => pathText(path) === graph);
    const own = (inner?.graph ?? this.#program.graph).find(node ?? "");
    const nodes = own === undefined ? [] : [own];
    for (const made of [...nodes, ...(region?.nodes() ?? [])]) {
      const use = this.#uses.get(useKey(graph, made));
      if (use !== undefined) return use;
    }
    return undefined;
  }
}
